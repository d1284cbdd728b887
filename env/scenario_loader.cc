#include "env/scenario_loader.h"

#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "env/scenario_parts.h"

namespace planarium {
namespace {

constexpr std::array<std::string_view, 6> kRootKeys{"world",    "gui",    "robot",
                                                    "obstacle", "custom", "irsim"};

// Keys of IR-SIM before version 2, and what replaced them.
constexpr std::array<std::array<std::string_view, 2>, 7> kOldRootKeys{{
    {"robots", "robot"},
    {"cars", "robot with kinematics: {name: acker}"},
    {"obstacles", "obstacle"},
    {"obs_cirs", "obstacle with shape: {name: circle}"},
    {"obs_lines", "obstacle with shape: {name: linestring}"},
    {"obs_polygons", "obstacle with shape: {name: polygon}"},
    {"obs_polygon", "obstacle with shape: {name: polygon}"},
}};

// FNV-1a over the text, forwards and backwards: 128 bits that tell files apart. No defence against
// forgery, and none is needed: the hash is a name, the text itself is what is loaded.
std::string ContentHash(std::string_view text) {
  constexpr std::uint64_t kOffset = 0xcbf29ce484222325u;
  constexpr std::uint64_t kPrime = 0x100000001b3u;
  std::uint64_t forwards = kOffset;
  std::uint64_t backwards = ~kOffset;
  for (std::size_t i = 0; i < text.size(); ++i) {
    forwards = (forwards ^ static_cast<unsigned char>(text[i])) * kPrime;
    backwards = (backwards ^ static_cast<unsigned char>(text[text.size() - 1 - i])) * kPrime;
  }
  std::string hex;
  for (const std::uint64_t half : {forwards, backwards}) {
    for (int shift = 60; shift >= 0; shift -= 4) hex += "0123456789abcdef"[half >> shift & 0xF];
  }
  return hex;
}

// IR-SIM's world name: the file's base name up to its first dot.
std::string WorldName(const std::string& file) {
  const std::string base = file.substr(file.rfind('/') + 1);  // npos + 1 == 0
  return base.substr(0, base.find('.'));
}

void ReportRootKey(const YamlNode& key, Findings& findings) {
  for (const auto& [old_key, new_key] : kOldRootKeys) {
    if (key.text != old_key) continue;
    findings.Add(Severity::kError, &key, key.text,
                 "this key belongs to IR-SIM before version 2, which is not supported",
                 "the new key is " + std::string(new_key));
    return;
  }
  const std::string nearest = Nearest(key.text, {kRootKeys.begin(), kRootKeys.end()});
  findings.Add(Severity::kError, &key, key.text, "unknown top-level key",
               nearest.empty() ? "valid keys: world, gui, robot, obstacle, custom"
                               : "did you mean " + nearest + "?");
}

// The mapping that holds the world: the root, or what is nested under `irsim:` for files that
// several tools share.
const YamlNode* FindRoot(const YamlDocument& document, std::string& path, Findings& findings) {
  const YamlNode& root = document.root();
  if (!root.IsMapping()) {
    const bool is_empty = root.IsNull();
    findings.Add(Severity::kError, root.line > 0 ? &root : nullptr, "<root>",
                 "expected a mapping, got " + root.Describe() + (is_empty ? " (empty file?)" : ""));
    return nullptr;
  }
  const YamlNode* nested = root.Find("irsim");
  if (nested == nullptr || !nested->IsMapping()) return &root;
  path = "irsim.";
  return nested;
}

void ReadRoot(const YamlNode& root, const std::string& path, LoadContext& context) {
  Findings& findings = context.findings;
  for (const YamlNode::Entry& entry : root.entries) {
    const std::string& key = entry.key->text;
    const bool known =
        key == "world" || key == "gui" || key == "robot" || key == "obstacle" || key == "custom";
    if (!known) ReportRootKey(*entry.key, findings);
    if (key == "gui" && !entry.value->IsNull()) {
      findings.Add(Severity::kNote, entry.key, path + key,
                   "a server opens no window: this section is not used");
    }
  }
  ReadWorld({root.Find("world"), path + "world"}, context);
  ReadSection({root.Find("robot"), path + "robot"}, Role::kRobot, context);
  ReadSection({root.Find("obstacle"), path + "obstacle"}, Role::kObstacle, context);
}

// Two objects of one name could not be told apart by clients.
void CheckNames(const Scenario& scenario, Findings& findings) {
  std::unordered_map<std::string_view, int> owners;
  for (const ObjectSpec& object : scenario.world.objects) {
    const auto [owner, is_new] = owners.try_emplace(object.name, object.id);
    if (is_new) continue;
    const ObjectPlan& plan = scenario.plans[static_cast<std::size_t>(object.id)];
    findings.Add({Severity::kError, findings.file(), plan.line, plan.column, "name",
                  "objects " + std::to_string(owner->second) + " and " + std::to_string(object.id) +
                      " are both named '" + object.name + "'",
                  "give a list with one name per object, or no name at all"});
  }
}

// Reads what can be read; the findings say whether the result may be used.
Scenario Load(std::string_view text, const LoadLimits& limits, Findings& findings) {
  const YamlLimits yaml{limits.max_bytes, limits.max_depth, limits.max_alias_uses,
                        limits.max_nodes};
  const YamlDocument document = YamlDocument::Parse(text, findings.file(), yaml);
  for (const Diagnostic& warning : document.warnings()) findings.Add(warning);

  Scenario scenario;
  scenario.file = findings.file();
  scenario.name = WorldName(findings.file());
  scenario.content_hash = ContentHash(text);
  scenario.world.name = scenario.name;
  std::string path;
  if (const YamlNode* root = FindRoot(document, path, findings)) {
    LoadContext context{findings, limits, scenario, {}, {}, {}, 0};
    ReadRoot(*root, path, context);
    CheckNames(scenario, findings);
  }
  return scenario;
}

}  // namespace

Scenario LoadScenario(std::string_view text, const std::string& file, const LoadLimits& limits) {
  Findings findings(file);
  Scenario scenario = Load(text, limits, findings);
  if (findings.has_errors()) throw SpecError(findings.list());
  scenario.diagnostics = findings.list();
  return scenario;
}

Scenario LoadScenarioFile(const std::string& path, const LoadLimits& limits) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw SpecError({{Severity::kError, path, 0, 0, "", "the file cannot be opened", ""}});
  }
  // One byte more than allowed is enough to know that the file is too long.
  std::string text(limits.max_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) {
    throw SpecError({{Severity::kError, path, 0, 0, "", "the file cannot be read", ""}});
  }
  return LoadScenario(text, path, limits);
}

std::vector<Diagnostic> LintScenario(std::string_view text, const std::string& file,
                                     const LoadLimits& limits) {
  Findings findings(file);
  try {
    Load(text, limits, findings);
  } catch (const SpecError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) findings.Add(diagnostic);
  }
  return findings.list();
}

}  // namespace planarium
