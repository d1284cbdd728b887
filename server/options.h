#pragma once

#include <optional>
#include <string>

#include "server/limits.h"

namespace planarium {

/// How a server is run. Flags win over the environment (PLANARIUM_*), that over the file given by
/// --config, that over the values here.
struct ServerOptions {
  std::string listen;     ///< unix:PATH or HOST:PORT; empty: the default socket
  std::string port_file;  ///< where the address is written; empty: nowhere
  std::string log_level = "info";
  int threads = 0;                ///< per batch; 0: what affinity and cgroup grant
  bool reflection = false;        ///< serve gRPC reflection
  bool insecure = false;          ///< listen beyond this machine without encryption
  bool exit_with_parent = false;  ///< end when the starting process ends
  ServerLimits limits;
};

/// What the command line asked for: options to run with, or a text to print and an exit code.
struct ParsedOptions {
  std::optional<ServerOptions> options;
  int exit_code = 0;  ///< sysexits: 64 usage, 78 configuration file
  std::string text;
};

ParsedOptions ParseOptions(int argc, const char* const* argv);

/// "planarium-server 0.1.0 (protocol 1.0)"
std::string VersionText();

}  // namespace planarium
