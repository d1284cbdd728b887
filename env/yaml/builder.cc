#include "env/yaml/builder.h"

#include <yaml-cpp/mark.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "env/yaml/text_check.h"

namespace planarium {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

// Keys are equal when Python's are: the number 1 and the text '1' are different keys.
std::string KeyIdentity(const YamlNode& key) {
  if (key.IsNull()) return "null";
  if (key.IsText()) return "t" + key.text;
  // 1, 1.0 and true are one key in Python; adding zero makes -0.0 equal 0.0.
  return "v" + std::to_string(std::bit_cast<std::uint64_t>(key.number + 0.0));
}

std::string KeyText(const YamlNode& key) { return key.IsNull() ? "null" : key.text; }

bool IsMergeKey(const YamlNode& key) { return key.IsText() && !key.quoted && key.text == "<<"; }

}  // namespace

YamlBuilder::YamlBuilder(std::string_view text, const std::string& file, const YamlLimits& limits,
                         YamlDocument& document)
    : text_(text), file_(file), limits_(limits), document_(document) {}

void YamlBuilder::Fail(int line, int column, std::string message) const {
  throw SpecError({{Severity::kError, file_, line, column, "", std::move(message), ""}});
}

void YamlBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ == 1) return;
  Fail(mark.line + 1, mark.column + 1,
       "expected one document, but more text follows here (a second document or a stray line)");
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Attach(NewNode(mark, anchor));
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const YamlNode& target = *anchors_.at(anchor);
  const auto is_target = [&](const Frame& frame) { return frame.node == &target; };
  if (std::any_of(frames_.begin(), frames_.end(), is_target)) {
    Fail(mark.line + 1, mark.column + 1,
         "alias *" + anchor_names_[anchor] + " refers to the node that contains it");
  }
  if (++alias_uses_ > limits_.max_alias_uses) {
    Fail(mark.line + 1, mark.column + 1,
         "more than " + std::to_string(limits_.max_alias_uses) + " alias uses");
  }
  CheckDepth(mark, target.height);
  CountNodes(mark, target.size);
  Attach(target);
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  const auto offset = static_cast<std::size_t>(std::max(mark.pos, 0));
  if (tag != "?" && IsUnterminatedQuote(text_, offset)) {
    Fail(mark.line + 1, mark.column + 1, "the quoted text that begins here never ends");
  }
  if (value.size() > limits_.max_scalar) {
    Fail(mark.line + 1, mark.column + 1,
         "a text longer than " + std::to_string(limits_.max_scalar) + " bytes");
  }
  YamlNode& node = NewNode(mark, anchor);
  SetScalar(node, tag, value);
  Attach(node);
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value) {
  Open(YamlNode::Kind::kSequence, mark, tag, anchor);
}

void YamlBuilder::OnSequenceEnd() { Close(); }

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  Open(YamlNode::Kind::kMapping, mark, tag, anchor);
}

void YamlBuilder::OnMapEnd() {
  FinishMapping(frames_.back());
  Close();
}

void YamlBuilder::OnAnchor(const YAML::Mark&, const std::string& anchor_name) {
  pending_anchor_ = anchor_name;
}

YamlNode& YamlBuilder::NewNode(const YAML::Mark& mark, YAML::anchor_t anchor) {
  CheckDepth(mark, 1);
  CountNodes(mark, 1);
  YamlNode& node = document_.nodes_.emplace_back();
  node.line = mark.line + 1;
  node.column = mark.column + 1;
  if (anchor != YAML::NullAnchor) {
    anchors_[anchor] = &node;
    anchor_names_[anchor] = std::exchange(pending_anchor_, "");
  }
  return node;
}

void YamlBuilder::CheckDepth(const YAML::Mark& mark, int levels) const {
  if (static_cast<int>(frames_.size()) + levels <= limits_.max_depth) return;
  Fail(mark.line + 1, mark.column + 1,
       "nesting deeper than " + std::to_string(limits_.max_depth) + " levels");
}

void YamlBuilder::CountNodes(const YAML::Mark& mark, std::size_t nodes) {
  node_count_ += nodes;
  if (node_count_ <= limits_.max_nodes) return;
  Fail(mark.line + 1, mark.column + 1,
       "more than " + std::to_string(limits_.max_nodes) + " nodes (aliases expanded)");
}

void YamlBuilder::Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor) {
  const std::string core =
      std::string(kCoreTag) + (kind == YamlNode::Kind::kMapping ? "map" : "seq");
  if (tag != "?" && tag != "!" && !tag.empty() && tag != core) {
    Fail(mark.line + 1, mark.column + 1, "unsupported tag '" + tag + "'");
  }
  YamlNode& node = NewNode(mark, anchor);
  node.kind = kind;
  frames_.push_back({&node, nullptr, {}, {}, {}});
}

void YamlBuilder::Close() {
  const YamlNode& node = *frames_.back().node;
  frames_.pop_back();
  Attach(node);
}

void YamlBuilder::Attach(const YamlNode& node) {
  if (frames_.empty()) {
    document_.root_ = &node;
    return;
  }
  Frame& frame = frames_.back();
  if (frame.node->IsMapping()) {
    AttachToMapping(frame, node);
    return;
  }
  frame.node->items.push_back(&node);
  frame.node->only_numbers = frame.node->only_numbers && (node.IsNumber() || node.IsBool());
  frame.node->size += node.size;
  frame.node->height = std::max(frame.node->height, node.height + 1);
}

void YamlBuilder::AttachToMapping(Frame& frame, const YamlNode& node) {
  if (frame.key == nullptr) {
    const bool usable = node.IsScalar() || node.IsNull();
    if (!usable) Fail(node.line, node.column, "a list or mapping cannot be a key");
    frame.key = &node;
    return;
  }
  const YamlNode& key = *std::exchange(frame.key, nullptr);
  if (IsMergeKey(key)) {
    Merge(frame, node);
    return;
  }
  const auto [known, is_new] = frame.own.try_emplace(KeyIdentity(key), frame.node->entries.size());
  if (is_new) {
    frame.node->entries.push_back({&key, &node});
    return;
  }
  YamlNode::Entry& entry = frame.node->entries[known->second];
  Warn(key, PathOf(KeyText(key)),
       "duplicate key (lines " + std::to_string(entry.key->line) + " and " +
           std::to_string(key.line) + "): the last one wins, as in PyYAML");
  entry = {&key, &node};
}

void YamlBuilder::SetScalar(YamlNode& node, const std::string& tag,
                            const std::string& value) const {
  node.kind = YamlNode::Kind::kScalar;
  node.type = ScalarType::kText;
  node.text = value;
  node.quoted = tag == "!";
  if (node.quoted) return;
  const Scalar scalar = ResolvePlainScalar(value);
  node.type = scalar.type;
  node.number = scalar.number;
  node.spelling = scalar.spelling;
  if (tag != "?" && !tag.empty()) SetTaggedScalar(node, tag);
  if (node.type == ScalarType::kNull) node.kind = YamlNode::Kind::kNull;
}

// `!!str 5` and its kin; a tag that does not fit its scalar is refused, as are all other tags.
void YamlBuilder::SetTaggedScalar(YamlNode& node, const std::string& tag) const {
  const bool is_core = tag.starts_with(kCoreTag);
  const std::string name = is_core ? tag.substr(kCoreTag.size()) : tag;
  const bool is_integer = node.type == ScalarType::kInteger;
  if (is_core && name == "str") {
    node.type = ScalarType::kText;
    node.quoted = true;
  } else if (is_core && name == "float" && (is_integer || node.type == ScalarType::kFloat)) {
    node.type = ScalarType::kFloat;
  } else if (!is_core || !((name == "int" && is_integer) ||
                           (name == "bool" && node.type == ScalarType::kBool) ||
                           (name == "null" && node.type == ScalarType::kNull))) {
    Fail(node.line, node.column, "unsupported tag '" + tag + "'");
  }
}

// `<<: *mapping` or `<<: [*first, *second]`.
void YamlBuilder::Merge(Frame& frame, const YamlNode& source) {
  if (source.IsMapping()) {
    MergeMapping(frame, source);
    return;
  }
  const auto is_mapping = [](const YamlNode* item) { return item->IsMapping(); };
  const bool mergeable =
      source.IsSequence() && std::all_of(source.items.begin(), source.items.end(), is_mapping);
  if (!mergeable) {
    Fail(source.line, source.column,
         "expected a mapping or a list of mappings after <<, got " + source.Describe());
  }
  for (const YamlNode* mapping : source.items) MergeMapping(frame, *mapping);
}

// The first of several merged mappings wins (YAML's rule; PyYAML 6.0.4 is at odds with itself).
void YamlBuilder::MergeMapping(Frame& frame, const YamlNode& mapping) {
  for (const YamlNode::Entry& entry : mapping.entries) {
    const bool is_new = frame.merged_keys.insert(KeyIdentity(*entry.key)).second;
    if (is_new) frame.merged.push_back(entry);
  }
}

// Merged entries come first; own ones override them.
void YamlBuilder::FinishMapping(Frame& frame) {
  YamlNode& node = *frame.node;
  std::vector<YamlNode::Entry> entries;
  for (const YamlNode::Entry& entry : frame.merged) {
    if (!frame.own.contains(KeyIdentity(*entry.key))) entries.push_back(entry);
  }
  entries.insert(entries.end(), node.entries.begin(), node.entries.end());
  node.entries = std::move(entries);
  for (const YamlNode::Entry& entry : node.entries) {
    node.size += 1 + entry.value->size;
    node.height = std::max(node.height, entry.value->height + 1);
  }
}

void YamlBuilder::Warn(const YamlNode& node, std::string key_path, std::string message) {
  document_.warnings_.push_back({Severity::kWarning, file_, node.line, node.column,
                                 std::move(key_path), std::move(message), ""});
}

// Key path of `key` in the innermost open mapping: "robot[0].goal_threshold".
std::string YamlBuilder::PathOf(const std::string& key) const {
  std::string path;
  for (const Frame& frame : frames_) {
    if (&frame == &frames_.back()) break;
    if (frame.node->IsSequence()) {
      path += "[" + std::to_string(frame.node->items.size()) + "]";
    } else if (frame.key != nullptr) {
      path += (path.empty() ? "" : ".") + KeyText(*frame.key);
    }
  }
  return path + (path.empty() ? "" : ".") + key;
}

}  // namespace planarium
