#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "env/diagnostic.h"
#include "env/yaml/scalar.h"

namespace planarium {

/// Bounds on an untrusted YAML text.
struct YamlLimits {
  std::size_t max_bytes = 1 << 20;
  int max_depth = 32;
  int max_alias_uses = 256;
  std::size_t max_nodes = 100'000;  ///< after alias expansion
  std::size_t max_scalar = 4096;    ///< bytes of one scalar
};

/// One node of a document: constant once the document is parsed. Aliases share the node they name,
/// so a document is a graph without cycles whose walk visits at most YamlLimits::max_nodes.
struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMapping };
  struct Entry {
    const YamlNode* key;
    const YamlNode* value;
  };

  Kind kind = Kind::kNull;
  ScalarType type = ScalarType::kNull;  ///< of scalars
  double number = 0.0;                  ///< value of numbers, 0 or 1 of booleans
  Spelling spelling = Spelling::kPlain;
  bool quoted = false;                 ///< a quoted or block scalar: always text
  std::string text;                    ///< scalar as written, quotes and escapes removed
  int line = 0;                        ///< 1-based
  int column = 0;                      ///< 1-based, in bytes
  std::vector<const YamlNode*> items;  ///< of a sequence
  bool only_numbers = true;            ///< a sequence of nothing but numbers and booleans
  std::vector<Entry> entries;  ///< of a mapping: keys unique, merge keys resolved, file order
  std::size_t size = 1;        ///< nodes of the expanded subtree
  int height = 1;              ///< levels of the expanded subtree

  bool IsNull() const { return kind == Kind::kNull; }
  bool IsScalar() const { return kind == Kind::kScalar; }
  bool IsSequence() const { return kind == Kind::kSequence; }
  bool IsMapping() const { return kind == Kind::kMapping; }
  bool IsText() const { return IsScalar() && type == ScalarType::kText; }
  bool IsBool() const { return IsScalar() && type == ScalarType::kBool; }
  /// Integer or float. Booleans are numbers to Python, but not here.
  bool IsNumber() const {
    return IsScalar() && (type == ScalarType::kInteger || type == ScalarType::kFloat);
  }
  /// Value of a mapping's key, nullptr when absent.
  const YamlNode* Find(std::string_view key) const;
  /// "null", "a list", "a mapping", or the scalar, escaped and at most 64 characters long.
  std::string Describe() const;
};

/// A parsed YAML text with PyYAML's meaning. Owns its nodes.
class YamlDocument {
 public:
  /// Parses one document; an empty text has a null root. Throws SpecError for syntax errors, limits
  /// and whatever PyYAML's safe_load refuses (unknown tags, a second document, keys that are no
  /// scalars). `file` is the name that messages show.
  static YamlDocument Parse(std::string_view text, const std::string& file,
                            const YamlLimits& limits = {});

  YamlDocument(YamlDocument&&) = default;
  YamlDocument& operator=(YamlDocument&&) = default;

  const YamlNode& root() const { return *root_; }
  /// Duplicate keys and the like.
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  friend class YamlBuilder;
  YamlDocument() = default;

  std::deque<YamlNode> nodes_;  // stable addresses
  const YamlNode* root_ = nullptr;
  std::vector<Diagnostic> warnings_;
};

}  // namespace planarium
