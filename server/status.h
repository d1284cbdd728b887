#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "env/diagnostic.h"

namespace planarium {

/// Outcome of a call. The numbers are those of google.rpc.Code, so the gRPC glue only casts.
enum class StatusCode : int {
  kOk = 0,
  kCancelled = 1,
  kInvalidArgument = 3,
  kNotFound = 5,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
};

struct Status {
  StatusCode code = StatusCode::kOk;
  std::string text;

  bool ok() const { return code == StatusCode::kOk; }
};

/// A request that is refused: thrown by whoever finds out, turned into a Status once, by Guard.
class RequestError : public std::exception {
 public:
  RequestError(StatusCode code, std::string text) : status_{code, std::move(text)} {}
  const char* what() const noexcept override { return status_.text.c_str(); }
  const Status& status() const { return status_; }

 private:
  Status status_;
};

/// Longest error text. gRPC sends it in a header, and headers above 8 KiB kill the connection.
inline constexpr std::size_t kMaxStatusBytes = 1024;

/// Text cut to at most `limit` bytes between two UTF-8 characters; a cut text ends in "...".
std::string CapText(std::string text, std::size_t limit = kMaxStatusBytes);

/// Client text made safe for a log line or message: control characters and invalid bytes become
/// \xNN, and more than 64 bytes are cut.
std::string Escape(std::string_view text);

/// The errors of a bad file, one a line, at most 16 and a count.
std::string DescribeFindings(const SpecError& error);

/// Runs one request and turns every exception into a Status: the only place where it happens, so
/// that gRPC never sees one (it would answer UNIMPLEMENTED or UNKNOWN). Foreign texts go to the
/// log, not to the client.
Status Guard(std::string_view method, const std::function<void()>& body);

}  // namespace planarium
