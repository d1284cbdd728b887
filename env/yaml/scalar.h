#pragma once

#include <string_view>

namespace planarium {

/// What an unquoted YAML 1.1 scalar means to PyYAML's safe_load.
enum class ScalarType { kNull, kBool, kInteger, kFloat, kTimestamp, kText };

/// How a number was spelt; everything but plain decimals surprises people.
enum class Spelling { kPlain, kOctal, kBinary, kHexadecimal, kSexagesimal, kUnderscores };

/// A resolved scalar.
struct Scalar {
  ScalarType type = ScalarType::kText;
  double number = 0.0;  ///< value of integers and floats (may be inf or NaN), 0 or 1 of booleans
  Spelling spelling = Spelling::kPlain;
};

/// Resolves an unquoted scalar by the implicit resolvers of PyYAML 6 (YAML 1.1): yes/no/on/off are
/// booleans, 017 is octal, 1:30 is 90, and 1e-3 or -.5 are text.
Scalar ResolvePlainScalar(std::string_view text);

/// Python's float(text) for numeric strings ("2.5", "1e-3", "inf"); false when it is none.
bool ParsePythonFloat(std::string_view text, double& number);

}  // namespace planarium
