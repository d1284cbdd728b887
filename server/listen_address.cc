#include "server/listen_address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sysexits.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace planarium {
namespace {

constexpr std::string_view kUnixScheme = "unix:";

std::string Reason() { return std::strerror(errno); }

std::string DefaultDirectory() { return "/tmp/planarium-" + std::to_string(::getuid()); }

ListenAddress ParseUnix(std::string path) {
  // unix:///absolute is another way to write unix:/absolute.
  if (path.starts_with("///")) path.erase(0, 2);
  if (path.empty()) throw StartupError(EX_USAGE, "--listen unix:PATH: the path is empty");
  ListenAddress address;
  address.path = std::filesystem::absolute(path).lexically_normal();
  constexpr std::size_t kMaxPath = sizeof(sockaddr_un::sun_path) - 1;
  if (address.path.size() > kMaxPath) {
    throw StartupError(EX_USAGE, "--listen unix:" + address.path + ": the path has " +
                                     std::to_string(address.path.size()) +
                                     " bytes, sockets take at most " + std::to_string(kMaxPath));
  }
  return address;
}

// Ours alone: anybody may have made a directory of this name in /tmp before us.
void MakePrivateDirectory(const std::string& directory) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    throw StartupError(EX_UNAVAILABLE, directory + ": cannot be made: " + Reason());
  }
  struct stat info {};
  const bool known = ::lstat(directory.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (!known || info.st_uid != ::getuid() || (info.st_mode & 0077) != 0) {
    throw StartupError(EX_UNAVAILABLE,
                       directory +
                           ": expected a directory of this user with mode 0700; remove it "
                           "or give --listen unix:PATH");
  }
}

}  // namespace

std::string ListenAddress::ToString() const {
  return is_unix() ? std::string(kUnixScheme) + path : host + ":" + std::to_string(port);
}

ListenAddress ParseListenAddress(const std::string& text) {
  if (text.starts_with(kUnixScheme)) return ParseUnix(text.substr(kUnixScheme.size()));
  const std::size_t colon = text.rfind(':');
  ListenAddress address;
  bool valid = colon != std::string::npos && colon > 0;
  if (valid) {
    address.host = text.substr(0, colon);
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + colon + 1, end, address.port);
    valid = parsed.ec == std::errc() && parsed.ptr == end;
  }
  if (!valid) {
    throw StartupError(EX_USAGE, "--listen " + text + ": expected unix:PATH or HOST:PORT");
  }
  return address;
}

std::string DefaultListenAddress() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const std::string directory = runtime != nullptr && *runtime != 0 ? runtime : DefaultDirectory();
  return std::string(kUnixScheme) + directory + "/planarium.sock";
}

bool IsLoopback(const ListenAddress& address) {
  if (address.is_unix()) return true;
  // A name may begin with 127 and resolve to anything; a number may not.
  in_addr numeric{};
  const bool is_number = ::inet_pton(AF_INET, address.host.c_str(), &numeric) == 1;
  return address.host == "localhost" || address.host == "[::1]" ||
         (is_number && ntohl(numeric.s_addr) >> 24 == 127);
}

SocketGuard::SocketGuard(const ListenAddress& address) : path_(address.path) {
  if (!address.is_unix()) return;
  const std::string directory = std::filesystem::path(path_).parent_path();
  if (directory == DefaultDirectory()) MakePrivateDirectory(directory);
  const std::string lock_path = path_ + ".lock";
  lock_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock_ < 0) throw StartupError(EX_UNAVAILABLE, lock_path + ": " + Reason());
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw StartupError(EX_UNAVAILABLE,
                       path_ +
                           ": another server listens there; use it, stop it, or give another "
                           "--listen unix:PATH");
  }
  // Only a socket may be replaced: the path could be a typing error.
  struct stat info {};
  if (::lstat(path_.c_str(), &info) == 0) {
    if (!S_ISSOCK(info.st_mode)) {
      ::close(lock_);
      throw StartupError(EX_UNAVAILABLE, path_ + ": exists and is no socket");
    }
    ::unlink(path_.c_str());
  }
}

SocketGuard::~SocketGuard() {
  if (lock_ < 0) return;
  ::unlink(path_.c_str());
  ::close(lock_);
}

void WriteFileAtomically(const std::string& path, const std::string& text) {
  const std::string draft = path + "." + std::to_string(::getpid()) + ".tmp";
  std::ofstream out(draft);
  out << text << "\n";
  out.close();
  if (!out || std::rename(draft.c_str(), path.c_str()) != 0) {
    const std::string reason = Reason();
    ::unlink(draft.c_str());
    throw StartupError(EX_CANTCREAT, path + ": cannot be written: " + reason);
  }
}

}  // namespace planarium
