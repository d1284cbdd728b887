#include "env/yaml/text_check.h"

#include <algorithm>
#include <cstdint>

namespace planarium {
namespace {

// One decoded character; length 0: not UTF-8.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;
};

unsigned char ByteAt(std::string_view text, std::size_t offset) {
  return offset < text.size() ? static_cast<unsigned char>(text[offset]) : 0;
}

// Strict UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint Decode(std::string_view text, std::size_t offset) {
  const std::uint32_t lead = ByteAt(text, offset);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {};
  std::uint32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint32_t next = ByteAt(text, offset + i);
    if ((next & 0xC0u) != 0x80u) return {};
    value = value << 6 | (next & 0x3Fu);
  }
  const std::uint32_t smallest = length == 4 ? 0x10000u : length == 3 ? 0x800u : 0x80u;
  if (value < smallest || value > 0x10FFFFu || (value >= 0xD800u && value < 0xE000u)) return {};
  return {value, length};
}

// PyYAML's printable characters.
bool IsPrintable(std::uint32_t c) {
  if (c == '\t' || c == '\n' || c == '\r' || c == 0x85) return true;
  return c >= 0x20 && c != 0x7F && !(c > 0x7F && c < 0xA0) && c != 0xFFFE && c != 0xFFFF;
}

std::string CodePointName(std::uint32_t c) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string name;
  for (int shift = c > 0xFFFF ? 20 : 12; shift >= 0; shift -= 4) name += kDigits[c >> shift & 0xF];
  return "U+" + name;
}

}  // namespace

TextPosition PositionOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 == 0
  return {static_cast<int>(lines) + 1, static_cast<int>(before.size() - line_start) + 1};
}

std::optional<TextFault> FindTextFault(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    const CodePoint c = Decode(text, offset);
    if (c.length == 0) return TextFault{PositionOf(text, offset), "the text is not valid UTF-8"};
    if (!IsPrintable(c.value)) {
      return TextFault{PositionOf(text, offset),
                       "the text contains the control character " + CodePointName(c.value)};
    }
    offset += c.length;
  }
  return std::nullopt;
}

bool IsUnterminatedQuote(std::string_view text, std::size_t offset) {
  // Skip anchors and tags in front of the scalar.
  while (offset < text.size() && text[offset] != '\'' && text[offset] != '"') {
    const char c = text[offset];
    if (c != '&' && c != '!') return false;
    offset = std::min(text.find_first_of(" \t\r\n", offset), text.size());
    offset = std::min(text.find_first_not_of(" \t\r\n", offset), text.size());
  }
  if (offset >= text.size()) return false;
  const char quote = text[offset++];
  while (offset < text.size()) {
    if (quote == '"' && text[offset] == '\\') {
      offset += 2;
      continue;
    }
    const bool doubled = quote == '\'' && offset + 1 < text.size() && text[offset + 1] == quote;
    if (text[offset] == quote && !doubled) return false;
    offset += text[offset] == quote ? 2 : 1;
  }
  return true;
}

}  // namespace planarium
