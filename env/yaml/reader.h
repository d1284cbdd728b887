#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/diagnostic.h"
#include "env/yaml/document.h"
#include "sensors/params.h"

namespace planarium {

/// The findings about one file. Equal findings are kept once, and at most kMaxFindings in all, so
/// that a hostile file cannot drown its reader.
class Findings {
 public:
  static constexpr std::size_t kMaxFindings = 256;

  explicit Findings(std::string file) : file_(std::move(file)) {}

  /// `where` may be null: no position.
  void Add(Severity severity, const YamlNode* where, std::string_view key_path, std::string message,
           std::string hint = {});
  /// Takes over findings made elsewhere (the parser's warnings).
  void Add(const Diagnostic& diagnostic);

  const std::string& file() const { return file_; }
  bool has_errors() const { return has_errors_; }
  /// True when further findings are dropped.
  bool full() const { return list_.size() >= kMaxFindings; }
  const std::vector<Diagnostic>& list() const { return list_; }

 private:
  std::string file_;
  std::vector<Diagnostic> list_;
  std::set<std::string> seen_;
  bool has_errors_ = false;
};

/// A node with its key path; `node` is null when the key is absent.
struct YamlValue {
  const YamlNode* node = nullptr;
  std::string path;

  /// Present and not null.
  bool given() const { return node != nullptr && !node->IsNull(); }
  bool present() const { return node != nullptr; }
  /// Element of a sequence: "path[index]".
  YamlValue Item(std::size_t index) const {
    return {node->items[index], path + "[" + std::to_string(index) + "]"};
  }
};

/// What a number may be. NaN is never accepted.
struct NumberRule {
  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  double above = -std::numeric_limits<double>::infinity();  ///< exclusive lower bound
  bool infinite = false;      ///< .inf within the bounds' side is accepted
  bool numeric_text = false;  ///< '2.5' as text is accepted (where IR-SIM calls float())
};
inline constexpr NumberRule kAnyNumber{};
inline constexpr NumberRule kPositive{.above = 0.0};
inline constexpr NumberRule kNonNegative{.low = 0.0};

/// How many elements a list of numbers may have.
struct CountRule {
  std::size_t low = 0;
  std::size_t high = std::numeric_limits<std::size_t>::max();
};
constexpr CountRule Exactly(std::size_t count) { return {count, count}; }

// Typed reading of one value. An absent or null value gives the fallback without a finding; a value
// of another kind or out of bounds gives the fallback and an error.
double ReadNumber(const YamlValue& value, double fallback, const NumberRule& rule,
                  Findings& findings);
std::int64_t ReadInteger(const YamlValue& value, std::int64_t fallback, const NumberRule& rule,
                         Findings& findings);
std::vector<double> ReadNumbers(const YamlValue& value, std::vector<double> fallback,
                                const CountRule& count, const NumberRule& rule, Findings& findings);
std::string ReadText(const YamlValue& value, std::string_view fallback, Findings& findings);
/// Python's truth: numbers other than 0 are true, and so are, with a warning, texts and lists that
/// are not empty.
bool ReadBool(const YamlValue& value, bool fallback, Findings& findings);

/// What Finish says about keys that nothing has read.
enum class UnknownKeys { kWarn, kError };

/// Reads a mapping key by key, remembers what was read, and reports the rest with the nearest known
/// key.
///
///     MapReader reader(node, "robot[0]", findings);
///     const double threshold = reader.Number("goal_threshold", 0.1);
///     reader.Finish(UnknownKeys::kWarn);
///
/// References must outlive the reader. A node that is no mapping is an error and reads as empty.
class MapReader {
 public:
  MapReader(const YamlNode& node, std::string path, Findings& findings);
  /// An absent value reads as an empty mapping without an error.
  MapReader(const YamlValue& value, Findings& findings);

  const std::string& path() const { return path_; }
  const YamlNode* node() const { return node_; }
  Findings& findings() const { return *findings_; }

  /// True when the key is in the file, be it null.
  bool Has(std::string_view key) const;
  /// The value of a key, for typed reading elsewhere; the key counts as known and read.
  YamlValue Get(std::string_view key);
  /// Reader of a nested mapping; empty when the key is absent or null.
  MapReader Child(std::string_view key) { return MapReader(Get(key), *findings_); }
  /// Declares keys that are known and not used; returns those that the file has.
  std::vector<YamlValue> Ignore(std::span<const std::string_view> keys);

  double Number(std::string_view key, double fallback, const NumberRule& rule = kAnyNumber);
  std::int64_t Integer(std::string_view key, std::int64_t fallback,
                       const NumberRule& rule = kAnyNumber);
  std::vector<double> Numbers(std::string_view key, std::vector<double> fallback,
                              const CountRule& count = {}, const NumberRule& rule = kAnyNumber);
  std::string Text(std::string_view key, std::string_view fallback);
  bool Bool(std::string_view key, bool fallback);

  /// Reads every parameter of `schema` that the file gives and `params` does not have yet.
  void ReadParams(std::span<const ParamSchema> schema, Params& params);

  /// Reports at the mapping itself or at one of its keys.
  void Error(std::string_view key, std::string message, std::string hint = {}) const;
  void Warn(std::string_view key, std::string message, std::string hint = {}) const;
  void Note(std::string_view key, std::string message, std::string hint = {}) const;

  /// Reports the keys that were not asked for.
  void Finish(UnknownKeys policy) const;

 private:
  void Report(Severity severity, std::string_view key, std::string message, std::string hint) const;
  std::string PathOf(std::string_view key) const;

  // A key that was asked for. Large mappings are searched once for each key, however many objects
  // ask.
  struct Known {
    std::string_view key;
    const YamlNode* node;
  };

  const Known& Lookup(std::string_view key);

  const YamlNode* node_ = nullptr;  // null: empty
  std::string path_;
  Findings* findings_;
  std::vector<Known> known_;
};

}  // namespace planarium
