#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/listen_address.h"
#include "server/options.h"
#include "server/rpc_server.h"

namespace planarium {
namespace {

// How long a drain waits for running calls before it cancels them.
constexpr std::chrono::seconds kDrainPatience{10};

// What the cancelled calls then have to come to an end.
constexpr std::chrono::seconds kCutOff{2};

// Sent by the kernel when a thread of the starting process ends; see Stopper.
constexpr int kParentSignal = SIGUSR1;

// Logs to stderr: stdout is for the ready line alone.
void StartLog(const std::string& level) {
  auto logger = spdlog::stderr_logger_mt("planarium");
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
}

// What the libraries say goes to the same log. Most of it is caused by what clients send, so it is
// shown at level debug only.
void CatchLibraryLogs() {
  google::protobuf::SetLogHandler(
      [](google::protobuf::LogLevel, const char*, int, const std::string& text) {
        spdlog::debug("protobuf: {}", text);
      });
  gpr_set_log_function([](gpr_log_func_args* entry) {
    spdlog::log(
        entry->severity == GPR_LOG_SEVERITY_ERROR ? spdlog::level::warn : spdlog::level::debug,
        "grpc: {}", entry->message);
  });
}

// Every connection is a file; gRPC's listener stays deaf once it ran out of them.
void AllowManyFiles() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

// Everything this process makes (socket, lock, address file) is its user's alone; signals are taken
// by the Stopper's thread, so they are blocked before any other thread exists.
sigset_t PrepareProcess() {
  ::umask(0077);
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, kParentSignal}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

/// Waits for the end in its own thread: the first signal asks for a drain, the second ends the
/// process at once.
class Stopper {
 public:
  Stopper(const sigset_t& signals, pid_t parent) : signals_(signals), parent_(parent) {
    std::thread([this] { Run(); }).detach();
  }
  /// Name of the first signal.
  std::string Wait() { return asked_.get_future().get(); }
  /// A file to remove when the process ends at once.
  void RemoveAtEnd(const std::string& path) {
    std::lock_guard lock(mutex_);
    files_.push_back(path);
  }
  /// Ends the process when it still runs after this time: a step cannot be cancelled half-way.
  void EndWithin(std::chrono::seconds patience) {
    std::thread([this, patience] {
      std::this_thread::sleep_for(patience);
      spdlog::warn("work that cannot be cancelled was cut off");
      Abandon(EX_OK);
    }).detach();
  }

 private:
  // The kernel's parent signal comes when the *thread* that started us ends; that is the end only
  // when the process has gone with it.
  int WaitForSignal() const {
    int signal = 0;
    do {
      sigwait(&signals_, &signal);
    } while (signal == kParentSignal && ::getppid() == parent_);
    return signal;
  }
  void Run() {
    const int first = WaitForSignal();
    asked_.set_value(first == kParentSignal ? "end of the parent" : ::strsignal(first));
    const int second = WaitForSignal();
    Abandon(128 + second);
  }

  [[noreturn]] void Abandon(int code) {
    std::lock_guard lock(mutex_);
    for (const std::string& file : files_) ::unlink(file.c_str());
    ::_exit(code);
  }

  const sigset_t signals_;
  const pid_t parent_;
  std::promise<std::string> asked_;
  std::mutex mutex_;
  std::vector<std::string> files_;
};

int Serve(const ServerOptions& options, const sigset_t& signals) {
  const pid_t parent = ::getppid();
  if (options.exit_with_parent) ::prctl(PR_SET_PDEATHSIG, kParentSignal);
  // Lives until the process ends: its thread may still wait for a second signal.
  auto* const stopper = new Stopper(signals, parent);

  const ListenAddress address =
      ParseListenAddress(options.listen.empty() ? DefaultListenAddress() : options.listen);
  if (!IsLoopback(address) && !options.insecure) {
    throw StartupError(EX_CONFIG, "--listen " + options.listen +
                                      ": refusing an address that other machines can reach: there "
                                      "is no encryption and no authentication yet; use unix:PATH "
                                      "or 127.0.0.1:PORT, or add --i-know-this-is-insecure");
  }
  RpcServer server(options, address);
  if (address.is_unix()) stopper->RemoveAtEnd(address.path);
  if (!options.port_file.empty()) {
    WriteFileAtomically(options.port_file, server.address());
    stopper->RemoveAtEnd(options.port_file);
  }
  spdlog::info("{} ready at {}", VersionText(), server.address());
  std::printf("planarium ready %s\n", server.address().c_str());
  std::fflush(stdout);

  const std::string reason = stopper->Wait();
  spdlog::info("draining: {}", reason);
  stopper->EndWithin(kDrainPatience + kCutOff);
  server.Drain(kDrainPatience);
  if (!options.port_file.empty()) ::unlink(options.port_file.c_str());
  spdlog::info("stopped");
  return EX_OK;
}

int Main(int argc, const char* const* argv) {
  const ParsedOptions parsed = ParseOptions(argc, argv);
  if (!parsed.options) {
    std::fputs(parsed.text.c_str(), parsed.exit_code == EX_OK ? stdout : stderr);
    return parsed.exit_code;
  }
  const sigset_t signals = PrepareProcess();
  AllowManyFiles();
  StartLog(parsed.options->log_level);
  CatchLibraryLogs();
  try {
    return Serve(*parsed.options, signals);
  } catch (const StartupError& error) {
    spdlog::error("{}", error.what());
    return error.exit_code();
  } catch (const std::exception& error) {
    spdlog::critical("{}", error.what());
    return EX_SOFTWARE;
  }
}

}  // namespace
}  // namespace planarium

int main(int argc, char** argv) { return planarium::Main(argc, argv); }
