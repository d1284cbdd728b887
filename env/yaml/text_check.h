#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace planarium {

/// Position in a text, 1-based; the column counts bytes.
struct TextPosition {
  int line = 1;
  int column = 1;
};

/// A byte sequence that no YAML text may contain.
struct TextFault {
  TextPosition position;
  std::string message;
};

/// Position of the byte at `offset`.
TextPosition PositionOf(std::string_view text, std::size_t offset);

/// The first invalid UTF-8 sequence or control character of `text`, as PyYAML's reader sees it.
std::optional<TextFault> FindTextFault(std::string_view text);

/// True when the quoted scalar that begins at `offset` has no closing quote: yaml-cpp 0.7 accepts
/// such a text at the end of the file. Anchors and tags before the quote are skipped.
bool IsUnterminatedQuote(std::string_view text, std::size_t offset);

}  // namespace planarium
