#pragma once

#include <yaml-cpp/eventhandler.h>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "env/yaml/document.h"

namespace planarium {

/// Builds a YamlDocument from yaml-cpp's events (never from YAML::Node: its maps keep the first of
/// two equal keys, know no merge keys and are not safe to read from several threads). Counts depth,
/// nodes and aliases while the text is parsed, so a hostile file costs no more than its limit.
class YamlBuilder final : public YAML::EventHandler {
 public:
  /// All referenced objects must outlive the builder. Events throw SpecError.
  YamlBuilder(std::string_view text, const std::string& file, const YamlLimits& limits,
              YamlDocument& document);

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;
  void OnAnchor(const YAML::Mark& mark, const std::string& anchor_name) override;

  /// Throws the SpecError of a finding at a node.
  [[noreturn]] void Fail(int line, int column, std::string message) const;

 private:
  // A collection that is still being filled.
  struct Frame {
    YamlNode* node;
    const YamlNode* key = nullptr;                     // of a mapping: waits for its value
    std::unordered_map<std::string, std::size_t> own;  // key -> entry
    std::vector<YamlNode::Entry> merged;               // from `<<`, before the own entries
    std::unordered_set<std::string> merged_keys;
  };

  YamlNode& NewNode(const YAML::Mark& mark, YAML::anchor_t anchor);
  void CheckDepth(const YAML::Mark& mark, int levels) const;
  void CountNodes(const YAML::Mark& mark, std::size_t nodes);
  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor);
  void Close();
  void Attach(const YamlNode& node);
  void AttachToMapping(Frame& frame, const YamlNode& node);
  void SetScalar(YamlNode& node, const std::string& tag, const std::string& value) const;
  void SetTaggedScalar(YamlNode& node, const std::string& tag) const;
  void Merge(Frame& frame, const YamlNode& source);
  static void MergeMapping(Frame& frame, const YamlNode& mapping);
  static void FinishMapping(Frame& frame);
  void Warn(const YamlNode& node, std::string key_path, std::string message);
  std::string PathOf(const std::string& key) const;

  std::string_view text_;
  const std::string& file_;
  const YamlLimits& limits_;
  YamlDocument& document_;
  int documents_ = 0;
  int alias_uses_ = 0;
  std::size_t node_count_ = 0;
  std::string pending_anchor_;
  std::unordered_map<YAML::anchor_t, const YamlNode*> anchors_;
  std::unordered_map<YAML::anchor_t, std::string> anchor_names_;
  std::vector<Frame> frames_;
};

}  // namespace planarium
