#include "env/yaml/reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace planarium {
namespace {

// Enough of the known keys to help, not so many that the line cannot be read.
constexpr std::size_t kMaxListedKeys = 12;

std::string Shown(double number) {
  if (std::isinf(number)) return number > 0 ? ".inf" : "-.inf";
  char buffer[32];
  const auto result = std::to_chars(std::begin(buffer), std::end(buffer), number);
  return std::string(buffer, result.ptr);
}

// A bound is named when it tells something: the widest bounds only when `number` breaks them.
std::string Expectation(std::string_view what, const NumberRule& rule, double number) {
  const bool has_high = rule.high < kLargestNumber || (number > rule.high && std::isfinite(number));
  const bool has_low = rule.low > -kLargestNumber || (number < rule.low && std::isfinite(number));
  std::string text(what);
  if (std::isfinite(rule.above)) {
    text += " > " + Shown(rule.above) + (has_high ? " and" : "");
  } else if (has_low) {
    text += (has_high ? " from " : " >= ") + Shown(rule.low);
  }
  if (!has_high) return text;
  return text + (has_low && !std::isfinite(rule.above) ? " to " : " <= ") + Shown(rule.high);
}

bool IsWithin(double number, const NumberRule& rule) {
  if (std::isnan(number) || (std::isinf(number) && !rule.infinite)) return false;
  const bool below_high = number <= rule.high || (rule.infinite && std::isinf(number));
  const bool above_low = number >= rule.low || (rule.infinite && std::isinf(number) &&
                                                rule.low == std::numeric_limits<double>::lowest());
  return below_high && above_low && number > rule.above;
}

const char* SpellingName(Spelling spelling) {
  switch (spelling) {
    case Spelling::kOctal:
      return "an octal number";
    case Spelling::kBinary:
      return "a binary number";
    case Spelling::kHexadecimal:
      return "a hexadecimal number";
    case Spelling::kSexagesimal:
      return "a sexagesimal number";
    case Spelling::kUnderscores:
    case Spelling::kPlain:
      return "a number with separators";
  }
  return "";
}

// A way out for texts that look like numbers: YAML 1.1 reads 1e-3 and -.5 as text.
std::string NumberHint(const YamlNode& node) {
  double number = 0.0;
  if (!node.IsText() || !ParsePythonFloat(node.text, number)) return {};
  if (node.quoted) return "write it without quotes";
  return "YAML 1.1 reads '" + node.text + "' as text: write digits before and after the point, " +
         "like 1.0e-3 or -0.5";
}

// The number of a scalar, if it may be one at all. Python counts booleans as 0 and 1.
bool TakeNumber(const YamlValue& value, const NumberRule& rule, Findings& findings,
                double& number) {
  const YamlNode& node = *value.node;
  if (rule.numeric_text && node.IsText() && ParsePythonFloat(node.text, number)) return true;
  if (!node.IsNumber() && !node.IsBool()) return false;
  number = node.number;
  if (node.IsBool()) {
    findings.Add(Severity::kWarning, &node, value.path,
                 "the boolean " + node.text + " counts as the number " + Shown(number));
  }
  if (node.spelling != Spelling::kPlain) {
    findings.Add(Severity::kWarning, &node, value.path,
                 node.text + " is read as " + Shown(number) + ", " + SpellingName(node.spelling) +
                     " of YAML 1.1");
  }
  return true;
}

void ReportNumber(const YamlValue& value, std::string_view what, const NumberRule& rule,
                  Findings& findings) {
  findings.Add(
      Severity::kError, value.node, value.path,
      "expected " + Expectation(what, rule, value.node->number) + ", got " + value.node->Describe(),
      NumberHint(*value.node));
}

// Python takes a null as the value itself and fails later; a forgotten value is the likelier story.
bool IsAbsent(const YamlValue& value, Findings& findings) {
  if (value.present() && value.node->IsNull()) {
    findings.Add(Severity::kWarning, value.node, value.path, "null: the default is used");
  }
  return !value.given();
}

std::string CountText(const CountRule& count) {
  if (count.low == count.high) return std::to_string(count.low) + " numbers";
  if (count.high == std::numeric_limits<std::size_t>::max()) {
    return "at least " + std::to_string(count.low) + " numbers";
  }
  return std::to_string(count.low) + " to " + std::to_string(count.high) + " numbers";
}

std::string ListedKeys(const std::vector<std::string_view>& keys) {
  std::string text = "known keys: ";
  for (std::size_t i = 0; i < keys.size() && i < kMaxListedKeys; ++i) {
    text += (i == 0 ? "" : ", ") + std::string(keys[i]);
  }
  return keys.size() > kMaxListedKeys ? text + ", ..." : text;
}

NumberRule RuleOf(const ParamSchema& schema) {
  NumberRule rule;
  // The schema's default bounds mean "any finite number".
  if (schema.low > -1e308) rule.low = schema.low;
  if (schema.high < 1e308) rule.high = schema.high;
  return rule;
}

}  // namespace

void Findings::Add(Severity severity, const YamlNode* where, std::string_view key_path,
                   std::string message, std::string hint) {
  const int line = where == nullptr ? 0 : where->line;
  const int column = where == nullptr ? 0 : where->column;
  Add({severity, file_, line, column, std::string(key_path), std::move(message), std::move(hint)});
}

void Findings::Add(const Diagnostic& diagnostic) {
  has_errors_ = has_errors_ || diagnostic.severity == Severity::kError;
  // The first error is always kept: it is the reason for the refusal.
  const bool is_first_error = diagnostic.severity == Severity::kError &&
                              std::none_of(list_.begin(), list_.end(), [](const Diagnostic& d) {
                                return d.severity == Severity::kError;
                              });
  if (full() && !is_first_error) return;
  if (seen_.insert(diagnostic.ToString()).second) list_.push_back(Printable(diagnostic));
}

double ReadNumber(const YamlValue& value, double fallback, const NumberRule& rule,
                  Findings& findings) {
  if (IsAbsent(value, findings)) return fallback;
  double number = 0.0;
  if (TakeNumber(value, rule, findings, number) && IsWithin(number, rule)) return number;
  ReportNumber(value, "a number", rule, findings);
  return fallback;
}

std::int64_t ReadInteger(const YamlValue& value, std::int64_t fallback, const NumberRule& rule,
                         Findings& findings) {
  if (IsAbsent(value, findings)) return fallback;
  // Beyond 2^53 a double does not hold every integer.
  constexpr double kLargest = 9007199254740992.0;
  NumberRule bounds = rule;
  bounds.numeric_text = false;
  bounds.low = std::max(rule.low, -kLargest);
  bounds.high = std::min(rule.high, kLargest);
  double number = 0.0;
  const bool is_integer = value.node->IsScalar() && value.node->type != ScalarType::kFloat;
  if (is_integer && TakeNumber(value, bounds, findings, number) && IsWithin(number, bounds)) {
    return static_cast<std::int64_t>(number);
  }
  ReportNumber(value, "an integer", rule, findings);
  return fallback;
}

std::vector<double> ReadNumbers(const YamlValue& value, std::vector<double> fallback,
                                const CountRule& count, const NumberRule& rule,
                                Findings& findings) {
  if (!value.given()) return fallback;
  const YamlNode& node = *value.node;
  const std::size_t size = node.items.size();
  if (!node.IsSequence() || size < count.low || size > count.high) {
    findings.Add(Severity::kError, &node, value.path,
                 "expected a list of " + CountText(count) + ", got " + node.Describe(),
                 NumberHint(node));
    return fallback;
  }
  std::vector<double> numbers;
  for (std::size_t i = 0; i < size; ++i) {
    const YamlNode& item = *node.items[i];
    double number = item.number;
    // Key paths are made only for what has to be explained.
    const bool is_plain = item.IsNumber() && item.spelling == Spelling::kPlain;
    const bool is_number = is_plain || TakeNumber(value.Item(i), rule, findings, number);
    if (!is_number || !IsWithin(number, rule)) {
      ReportNumber(value.Item(i), "a number", rule, findings);
      return fallback;
    }
    numbers.push_back(number);
  }
  return numbers;
}

std::string ReadText(const YamlValue& value, std::string_view fallback, Findings& findings) {
  if (IsAbsent(value, findings)) return std::string(fallback);
  if (value.node->IsText()) return value.node->text;
  findings.Add(Severity::kError, value.node, value.path,
               "expected text, got " + value.node->Describe(),
               value.node->IsScalar() ? "put it in quotes to make it text" : "");
  return std::string(fallback);
}

bool ReadBool(const YamlValue& value, bool fallback, Findings& findings) {
  if (!value.present()) return fallback;
  const YamlNode& node = *value.node;
  if (node.IsNull()) return false;
  if (node.IsBool() || node.IsNumber()) return node.number != 0.0;
  const bool truth = !node.text.empty() || !node.items.empty() || !node.entries.empty();
  findings.Add(Severity::kWarning, &node, value.path,
               "expected true or false, got " + node.Describe() + ", which counts as " +
                   (truth ? "true" : "false") + ", as in Python");
  return truth;
}

MapReader::MapReader(const YamlNode& node, std::string path, Findings& findings)
    : path_(std::move(path)), findings_(&findings) {
  if (node.IsMapping()) {
    node_ = &node;
    return;
  }
  findings.Add(Severity::kError, &node, path_, "expected a mapping, got " + node.Describe());
}

MapReader::MapReader(const YamlValue& value, Findings& findings)
    : path_(value.path), findings_(&findings) {
  if (value.given()) *this = MapReader(*value.node, value.path, findings);
}

bool MapReader::Has(std::string_view key) const {
  return node_ != nullptr && node_->Find(key) != nullptr;
}

YamlValue MapReader::Get(std::string_view key) { return {Lookup(key).node, PathOf(key)}; }

const MapReader::Known& MapReader::Lookup(std::string_view key) {
  const auto known = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& other) { return other.key == key; });
  if (known != known_.end()) return *known;
  return known_.emplace_back(Known{key, node_ == nullptr ? nullptr : node_->Find(key)});
}

std::vector<YamlValue> MapReader::Ignore(std::span<const std::string_view> keys) {
  std::vector<YamlValue> present;
  for (const std::string_view key : keys) {
    YamlValue value = Get(key);
    if (value.present()) present.push_back(std::move(value));
  }
  return present;
}

double MapReader::Number(std::string_view key, double fallback, const NumberRule& rule) {
  return ReadNumber(Get(key), fallback, rule, *findings_);
}

std::int64_t MapReader::Integer(std::string_view key, std::int64_t fallback,
                                const NumberRule& rule) {
  return ReadInteger(Get(key), fallback, rule, *findings_);
}

std::vector<double> MapReader::Numbers(std::string_view key, std::vector<double> fallback,
                                       const CountRule& count, const NumberRule& rule) {
  return ReadNumbers(Get(key), std::move(fallback), count, rule, *findings_);
}

std::string MapReader::Text(std::string_view key, std::string_view fallback) {
  return ReadText(Get(key), fallback, *findings_);
}

bool MapReader::Bool(std::string_view key, bool fallback) {
  return ReadBool(Get(key), fallback, *findings_);
}

void MapReader::ReadParams(std::span<const ParamSchema> schema, Params& params) {
  for (const ParamSchema& row : schema) {
    const YamlValue value = Get(row.name);
    if (!value.given() || params.Has(row.name)) continue;
    const std::string name(row.name);
    const NumberRule rule = RuleOf(row);
    switch (row.type) {
      case ParamType::kBool:
        params.Set(name, ReadBool(value, false, *findings_));
        break;
      case ParamType::kNumber:
        params.Set(name, ReadNumber(value, 0.0, rule, *findings_));
        break;
      case ParamType::kInteger:
        params.Set(name, static_cast<double>(ReadInteger(value, 0, rule, *findings_)));
        break;
      case ParamType::kText:
        params.Set(name, ReadText(value, "", *findings_));
        break;
      case ParamType::kNumbers:
        params.Set(name, ReadNumbers(value, {}, {}, rule, *findings_));
        break;
    }
  }
}

void MapReader::Error(std::string_view key, std::string message, std::string hint) const {
  Report(Severity::kError, key, std::move(message), std::move(hint));
}

void MapReader::Warn(std::string_view key, std::string message, std::string hint) const {
  Report(Severity::kWarning, key, std::move(message), std::move(hint));
}

void MapReader::Note(std::string_view key, std::string message, std::string hint) const {
  Report(Severity::kNote, key, std::move(message), std::move(hint));
}

void MapReader::Finish(UnknownKeys policy) const {
  if (node_ == nullptr) return;
  std::vector<std::string_view> names;
  for (const Known& known : known_) names.push_back(known.key);
  for (const YamlNode::Entry& entry : node_->entries) {
    const std::string& key = entry.key->text;
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    if (findings_->full()) return;
    const std::string nearest = Nearest(key, names);
    findings_->Add(policy == UnknownKeys::kError ? Severity::kError : Severity::kWarning, entry.key,
                   PathOf(key.empty() ? entry.key->Describe() : key),
                   policy == UnknownKeys::kError ? "unknown key" : "unknown key, not used",
                   nearest.empty() ? ListedKeys(names) : "did you mean " + nearest + "?");
  }
}

void MapReader::Report(Severity severity, std::string_view key, std::string message,
                       std::string hint) const {
  const YamlNode* where = node_;
  if (node_ != nullptr && !key.empty()) {
    const auto entry =
        std::find_if(node_->entries.begin(), node_->entries.end(),
                     [&](const YamlNode::Entry& other) { return other.key->text == key; });
    if (entry != node_->entries.end()) where = entry->key;
  }
  findings_->Add(severity, where, key.empty() ? path_ : PathOf(key), std::move(message),
                 std::move(hint));
}

std::string MapReader::PathOf(std::string_view key) const {
  std::string path = path_;
  if (!path.empty()) path += ".";
  return path.append(key);
}

}  // namespace planarium
