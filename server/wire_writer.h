#pragma once

#include <cstddef>
#include <cstdint>

namespace planarium {

/// Protobuf wire types used here.
enum class WireType : std::uint8_t { kVarint = 0, kBytes = 2 };

/// Bytes that `value` takes as a varint.
constexpr std::size_t VarintBytes(std::uint64_t value) {
  std::size_t bytes = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++bytes;
  }
  return bytes;
}

/// Writes protobuf's wire format into memory that the caller has measured. Field numbers <= 15.
class WireWriter {
 public:
  explicit WireWriter(std::byte* at) : at_(at) {}

  std::byte* at() const { return at_; }
  void Skip(std::size_t bytes) { at_ += bytes; }

  void Varint(std::uint64_t value) {
    while (value >= 0x80) {
      *at_++ = static_cast<std::byte>((value & 0x7F) | 0x80);
      value >>= 7;
    }
    *at_++ = static_cast<std::byte>(value);
  }
  /// `field: value`
  void Number(int field, std::uint64_t value) {
    Tag(field, WireType::kVarint);
    Varint(value);
  }
  /// Tag and length of a field of `bytes` bytes; the content follows.
  void Open(int field, std::size_t bytes) {
    Tag(field, WireType::kBytes);
    Varint(bytes);
  }

 private:
  void Tag(int field, WireType type) {
    *at_++ = static_cast<std::byte>(field << 3 | static_cast<int>(type));
  }

  std::byte* at_;
};

}  // namespace planarium
