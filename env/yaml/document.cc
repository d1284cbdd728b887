#include "env/yaml/document.h"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "env/yaml/builder.h"
#include "env/yaml/text_check.h"

namespace planarium {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestShownScalar = 64;

SpecError Failure(const std::string& file, TextPosition position, std::string message) {
  return SpecError(
      {{Severity::kError, file, position.line, position.column, "", std::move(message), ""}});
}

std::string Escaped(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, kLongestShownScalar)) {
    shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  // Do not cut a UTF-8 sequence in two.
  if (text.size() > kLongestShownScalar) {
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0u) == 0x80u) {
      shown.pop_back();
    }
    if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xC0u) shown.pop_back();
    shown += "...";
  }
  return shown;
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key->text == key) return entry.value;
  }
  return nullptr;
}

std::string YamlNode::Describe() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kSequence:
      return items.empty() ? "an empty list" : "a list of " + std::to_string(items.size());
    case Kind::kMapping:
      return "a mapping";
    case Kind::kScalar:
      break;
  }
  return type == ScalarType::kText ? "the text '" + Escaped(text) + "'" : Escaped(text);
}

YamlDocument YamlDocument::Parse(std::string_view text, const std::string& file,
                                 const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    throw Failure(file, {0, 0},
                  "the text has " + std::to_string(text.size()) + " bytes; at most " +
                      std::to_string(limits.max_bytes) + " are read");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (const auto fault = FindTextFault(text)) throw Failure(file, fault->position, fault->message);

  YamlDocument document;
  YamlBuilder builder(text, file, limits, document);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    // The second call finds what Load would silently leave unread.
    if (parser.HandleNextDocument(builder)) parser.HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    const TextPosition position{std::max(error.mark.line, 0) + 1,
                                std::max(error.mark.column, 0) + 1};
    throw Failure(file, position, "YAML syntax: " + error.msg);
  }
  if (document.root_ == nullptr) document.root_ = &document.nodes_.emplace_back();
  return document;
}

}  // namespace planarium
