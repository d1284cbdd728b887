#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace planarium {

/// A startup problem with its sysexits(3) code.
class StartupError : public std::exception {
 public:
  StartupError(int exit_code, std::string text) : exit_code_(exit_code), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
  std::string text_;
};

/// Where a server listens: a UNIX socket or a TCP port.
struct ListenAddress {
  std::string path;  ///< absolute path of the socket; empty: TCP
  std::string host;
  std::uint16_t port = 0;  ///< 0: any free one

  bool is_unix() const { return !path.empty(); }
  /// As gRPC takes it: "unix:/run/x.sock", "127.0.0.1:50051".
  std::string ToString() const;
};

/// Reads `unix:PATH` or `HOST:PORT`. Throws StartupError (64) for anything else.
ListenAddress ParseListenAddress(const std::string& text);

/// planarium.sock in $XDG_RUNTIME_DIR, else in /tmp/planarium-UID.
std::string DefaultListenAddress();

/// True for addresses that other machines cannot reach.
bool IsLoopback(const ListenAddress& address);

/// The right to a socket path, held by a lock on PATH.lock: a second server is refused instead of
/// taking the path away from the first. The socket is removed at the end, the lock file stays (to
/// remove it would let two servers lock two files of one name).
class SocketGuard {
 public:
  /// Makes the directory of the default address (0700) when it is missing, takes the lock, removes
  /// a socket left by a dead server. Throws StartupError (69).
  explicit SocketGuard(const ListenAddress& address);
  ~SocketGuard();
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;

 private:
  std::string path_;
  int lock_ = -1;
};

/// Writes `text` and a newline so that readers see all or nothing. Throws StartupError (73).
void WriteFileAtomically(const std::string& path, const std::string& text);

}  // namespace planarium
