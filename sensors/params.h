#pragma once

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// Typed named parameters of everything that a registry builds (sensors, behaviors, task terms).
namespace planarium {

using ParamValue = std::variant<bool, double, std::string, std::vector<double>>;

enum class ParamType { kBool, kNumber, kInteger, kText, kNumbers };

/// Bound of the numbers in files: coordinates, lengths, speeds and times beyond it belong to no
/// map, and their squares and products would leave float32.
inline constexpr double kLargestNumber = 1e9;

/// One documented parameter: a registry row lists these; the loaders check files against them.
struct ParamSchema {
  std::string_view name;  ///< YAML key
  ParamType type = ParamType::kNumber;
  std::string_view default_text;  ///< as written in YAML, e.g. "0.2", "false", "[0, 0, 0]"
  std::string_view unit;          ///< "m", "rad", "-" ...
  std::string_view doc;           ///< one line
  double low = -kLargestNumber;   ///< inclusive bound of each number
  double high = kLargestNumber;
};

/// Values by name. Factories read them through the typed getters, which fall back to a default.
class Params {
 public:
  bool Has(std::string_view name) const { return values_.find(name) != values_.end(); }
  void Set(std::string name, ParamValue value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

  bool Bool(std::string_view name, bool fallback) const { return Get<bool>(name, fallback); }
  double Number(std::string_view name, double fallback) const {
    return Get<double>(name, fallback);
  }
  int Integer(std::string_view name, int fallback) const {
    return static_cast<int>(Get<double>(name, fallback));
  }
  std::string Text(std::string_view name, std::string_view fallback) const {
    return Get<std::string>(name, std::string(fallback));
  }
  std::vector<double> Numbers(std::string_view name, std::vector<double> fallback) const {
    return Get<std::vector<double>>(name, std::move(fallback));
  }

  const std::map<std::string, ParamValue, std::less<>>& values() const { return values_; }

 private:
  template <typename T>
  T Get(std::string_view name, T fallback) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return fallback;
    if (const T* value = std::get_if<T>(&found->second)) return *value;
    throw std::invalid_argument("parameter '" + std::string(name) +
                                "' has another type than its schema says");
  }

  std::map<std::string, ParamValue, std::less<>> values_;
};

}  // namespace planarium
