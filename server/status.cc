#include "server/status.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdint>
#include <new>

namespace planarium {
namespace {

// Enough to recognise a name or a path by, too short to drown a message in.
constexpr std::size_t kMaxQuotedBytes = 64;

// Findings shown of a bad file; the rest is counted.
constexpr std::size_t kMaxFindings = 16;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// Bytes of the valid UTF-8 character at the start of `text`, 0 when there is none.
std::size_t CharacterBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0x80   ? 1
                           : lead < 0xC2 ? 0
                           : lead < 0xE0 ? 2
                           : lead < 0xF0 ? 3
                                         : 4;
  if (size == 0 || lead > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!IsContinuation(text[i])) return 0;
  }
  return size;
}

// Our own fault: the client gets a number, the log gets the reason.
Status InternalError(std::string_view method, std::string_view reason) {
  static std::atomic<std::uint32_t> counter{0};
  const std::uint32_t id = ++counter;
  spdlog::error("internal error {} in {}: {}", id, method, Escape(reason));
  return {StatusCode::kInternal,
          "internal error " + std::to_string(id) + " (see the server's log)"};
}

}  // namespace

std::string CapText(std::string text, std::size_t limit) {
  constexpr std::string_view kEllipsis = "...";
  if (text.size() <= limit) return text;
  std::size_t end = limit - kEllipsis.size();
  while (end > 0 && IsContinuation(text[end])) --end;
  text.resize(end);
  return text.append(kEllipsis);
}

std::string Escape(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  const bool cut = text.size() > kMaxQuotedBytes;
  text = text.substr(0, kMaxQuotedBytes);
  std::string safe;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t size = CharacterBytes(text);
    const bool plain = size > 1 || (size == 1 && lead >= 0x20 && lead != 0x7F);
    if (plain) {
      safe += text.substr(0, size);
    } else {
      safe += {'\\', 'x', kHex[lead >> 4], kHex[lead & 15]};
    }
    text.remove_prefix(plain ? size : 1);
  }
  return cut ? safe + "..." : safe;
}

std::string DescribeFindings(const SpecError& error) {
  std::string text;
  std::size_t shown = 0;
  for (const Diagnostic& finding : error.diagnostics()) {
    if (finding.severity != Severity::kError) continue;
    if (++shown <= kMaxFindings) text += (text.empty() ? "" : "\n") + finding.ToString();
  }
  if (shown > kMaxFindings) text += "\nand " + std::to_string(shown - kMaxFindings) + " more";
  return text.empty() ? std::string(error.what()) : text;
}

Status Guard(std::string_view method, const std::function<void()>& body) {
  Status status;
  try {
    body();
  } catch (const RequestError& error) {
    status = error.status();
  } catch (const SpecError& error) {
    status = {StatusCode::kInvalidArgument, DescribeFindings(error)};
  } catch (const std::bad_alloc&) {
    status = {StatusCode::kResourceExhausted, std::string(method) + ": out of memory"};
  } catch (const std::exception& error) {
    status = InternalError(method, error.what());
  } catch (...) {
    status = InternalError(method, "unknown exception");
  }
  status.text = CapText(std::move(status.text));
  return status;
}

}  // namespace planarium
