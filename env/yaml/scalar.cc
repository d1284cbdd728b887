#include "env/yaml/scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>

namespace planarium {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsDecimal(char c) { return IsDigit(c) || c == '_'; }
bool IsOctal(char c) { return (c >= '0' && c <= '7') || c == '_'; }
bool IsBinary(char c) { return c == '0' || c == '1' || c == '_'; }
bool IsHexadecimal(char c) {
  return IsDecimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

template <typename Predicate>
bool AllOf(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::string_view WithoutSign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

std::string WithoutUnderscores(std::string_view text) {
  std::string digits(text);
  digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
  return digits;
}

// Nearest double of a decimal literal; an overflow is infinite, an underflow is zero.
double DecimalValue(const std::string& literal) {
  double value = 0.0;
  const auto result = std::from_chars(literal.data(), literal.data() + literal.size(), value);
  if (result.ec != std::errc::result_out_of_range) return value;
  const std::size_t exponent = literal.find_first_of("eE");
  const bool tiny = exponent != std::string::npos && literal[exponent + 1] == '-';
  return tiny ? 0.0 : kInfinity;
}

double ValueInBase(const std::string& digits, int base) {
  double value = 0.0;
  for (const char c : digits) {
    const int digit = IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    value = value * base + digit;
  }
  return value;
}

// `[eE][-+][0-9]+` or nothing: PyYAML wants the sign of an exponent.
bool IsExponentOrNothing(std::string_view text) {
  if (text.empty()) return true;
  return text.size() >= 3 && (text[0] == 'e' || text[0] == 'E') &&
         (text[1] == '-' || text[1] == '+') && AllOf(text.substr(2), IsDigit);
}

// `(:[0-5]?[0-9])+`
bool IsSexagesimalTail(std::string_view text) {
  if (text.empty()) return false;
  while (!text.empty()) {
    if (text[0] != ':') return false;
    text.remove_prefix(1);
    const std::size_t length = std::min(text.find(':'), text.size());
    if (length < 1 || length > 2 || !AllOf(text.substr(0, length), IsDigit)) return false;
    if (length == 2 && text[0] > '5') return false;
    text.remove_prefix(length);
  }
  return true;
}

double SexagesimalValue(const std::string& text) {
  double value = 0.0;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    value = value * 60.0 + DecimalValue(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return value;
}

Scalar Number(ScalarType type, std::string_view signed_text, double magnitude, Spelling spelling) {
  const double value = signed_text[0] == '-' ? -magnitude : magnitude;
  if (spelling == Spelling::kPlain && signed_text.find('_') != std::string_view::npos) {
    spelling = Spelling::kUnderscores;
  }
  return {type, value, spelling};
}

// PyYAML's float patterns; kText when none fits.
Scalar ResolveFloat(std::string_view text) {
  const std::string_view body = WithoutSign(text);
  if (IsOneOf(body, {".inf", ".Inf", ".INF"})) {
    return Number(ScalarType::kFloat, text, kInfinity, Spelling::kPlain);
  }
  if (IsOneOf(text, {".nan", ".NaN", ".NAN"})) return {ScalarType::kFloat, kNan, Spelling::kPlain};
  const std::size_t dot = body.find('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view before = body.substr(0, dot);
  const std::string_view after = body.substr(dot + 1);
  const std::size_t exponent = std::min(after.find_first_of("eE"), after.size());
  const bool plain_tail =
      AllOf(after.substr(0, exponent), IsDecimal) && IsExponentOrNothing(after.substr(exponent));
  const std::string literal = WithoutUnderscores(body);
  if (before.empty()) {
    // `.5` only: a sign or a leading underscore makes it text.
    const bool valid = body.size() == text.size() && !after.empty() && IsDigit(after[0]);
    if (!valid || !plain_tail) return {};
    return Number(ScalarType::kFloat, text, DecimalValue(literal), Spelling::kPlain);
  }
  if (!IsDigit(before[0])) return {};
  if (AllOf(before, IsDecimal)) {
    if (!plain_tail) return {};
    return Number(ScalarType::kFloat, text, DecimalValue(literal), Spelling::kPlain);
  }
  const std::size_t colon = before.find(':');
  if (colon == std::string_view::npos || !AllOf(before.substr(0, colon), IsDecimal)) return {};
  if (!IsSexagesimalTail(before.substr(colon)) || !AllOf(after, IsDecimal)) return {};
  return Number(ScalarType::kFloat, text, SexagesimalValue(literal), Spelling::kSexagesimal);
}

// PyYAML's integer patterns; kText when none fits.
Scalar ResolveInteger(std::string_view text) {
  const std::string_view body = WithoutSign(text);
  if (body.empty() || !IsDigit(body[0])) return {};
  const std::string digits = WithoutUnderscores(body);
  if (digits == "0") return Number(ScalarType::kInteger, text, 0.0, Spelling::kPlain);
  if (body[0] == '0') {
    const std::string_view rest = body.substr(1);
    if (AllOf(rest, IsOctal)) {
      return Number(ScalarType::kInteger, text, ValueInBase(digits, 8), Spelling::kOctal);
    }
    const bool has_digits = digits.size() > 2;
    if (rest[0] == 'b' && has_digits && AllOf(rest.substr(1), IsBinary)) {
      const double value = ValueInBase(digits.substr(2), 2);
      return Number(ScalarType::kInteger, text, value, Spelling::kBinary);
    }
    if (rest[0] == 'x' && has_digits && AllOf(rest.substr(1), IsHexadecimal)) {
      const double value = ValueInBase(digits.substr(2), 16);
      return Number(ScalarType::kInteger, text, value, Spelling::kHexadecimal);
    }
    return {};
  }
  if (AllOf(body, IsDecimal)) {
    return Number(ScalarType::kInteger, text, DecimalValue(digits), Spelling::kPlain);
  }
  const std::size_t colon = body.find(':');
  if (colon == std::string_view::npos || !AllOf(body.substr(0, colon), IsDecimal)) return {};
  if (!IsSexagesimalTail(body.substr(colon))) return {};
  return Number(ScalarType::kInteger, text, SexagesimalValue(digits), Spelling::kSexagesimal);
}

// Takes between `low` and `high` digits off the front.
bool TakeDigits(std::string_view& text, std::size_t low, std::size_t high) {
  std::size_t count = 0;
  while (count < text.size() && count < high && IsDigit(text[count])) ++count;
  text.remove_prefix(count);
  return count >= low;
}

bool Take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

std::string_view SkipBlanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

// `[ \t]*(Z|[-+]hh(:mm)?)?` at the end of a timestamp.
bool IsTimeZone(std::string_view text) {
  if (text.empty()) return true;
  text = SkipBlanks(text);
  if (text == "Z") return true;
  if (!Take(text, '-') && !Take(text, '+')) return text.empty();
  if (!TakeDigits(text, 1, 2)) return false;
  if (Take(text, ':') && !TakeDigits(text, 2, 2)) return false;
  return text.empty();
}

// PyYAML's timestamps: dates are neither text nor numbers to a Python program.
bool IsTimestamp(std::string_view text) {
  const std::string_view whole = text;
  if (!TakeDigits(text, 4, 4) || !Take(text, '-')) return false;
  if (!TakeDigits(text, 1, 2) || !Take(text, '-') || !TakeDigits(text, 1, 2)) return false;
  if (text.empty()) return whole.size() == 10;
  const std::string_view time = SkipBlanks(text);
  text = time.size() == text.size() ? text.substr(1) : time;
  if (time.size() == text.size() + 1 && time[0] != 'T' && time[0] != 't') return false;
  if (!TakeDigits(text, 1, 2) || !Take(text, ':')) return false;
  if (!TakeDigits(text, 2, 2) || !Take(text, ':') || !TakeDigits(text, 2, 2)) return false;
  if (Take(text, '.')) TakeDigits(text, 0, text.size());
  return IsTimeZone(text);
}

}  // namespace

Scalar ResolvePlainScalar(std::string_view text) {
  if (IsOneOf(text, {"", "~", "null", "Null", "NULL"})) return {ScalarType::kNull};
  if (IsOneOf(text, {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})) {
    return {ScalarType::kBool, 1.0};
  }
  if (IsOneOf(text, {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})) {
    return {ScalarType::kBool, 0.0};
  }
  Scalar scalar = ResolveFloat(text);
  if (scalar.type == ScalarType::kText) scalar = ResolveInteger(text);
  if (scalar.type == ScalarType::kText && IsTimestamp(text)) scalar.type = ScalarType::kTimestamp;
  return scalar;
}

bool ParsePythonFloat(std::string_view text, double& number) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  text = text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
  const bool negative = !text.empty() && text[0] == '-';
  const std::string_view body = WithoutSign(text);
  if (body.empty() || WithoutSign(body).size() != body.size()) return false;
  double value = 0.0;
  const auto result = std::from_chars(body.data(), body.data() + body.size(), value);
  if (result.ec != std::errc() || result.ptr != body.data() + body.size()) return false;
  number = negative ? -value : value;
  return true;
}

}  // namespace planarium
