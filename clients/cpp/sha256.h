#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace planarium {

/// SHA-256 (FIPS 180-4), so that the example needs no further library.
class Sha256 {
 public:
  void Update(std::span<const std::byte> data);
  /// Ends the hash: 64 hexadecimal digits.
  std::string HexDigest();

 private:
  void Block();

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t used_ = 0;  // bytes in block_
  std::uint64_t total_bits_ = 0;
};

}  // namespace planarium
