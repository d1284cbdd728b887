// The server and the digest client as programs.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

#include "tests/server/rpc_testing.h"

namespace planarium {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A program started by a test; killed at the end when it still runs.
class Process {
 public:
  explicit Process(std::vector<std::string> arguments) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(pipe[1], STDOUT_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(pipe[1]);
    output_ = pipe[0];
  }
  ~Process() {
    if (pid_ > 0) {
      Signal(SIGKILL);
      Wait();
    }
    ::close(output_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const { ::kill(pid_, signal); }
  std::string ReadLine() const {
    std::string line;
    for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }
  // Exit code, or 128 + signal.
  int Wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int output_ = -1;
};

class ProcessTest : public testing::Test {
 protected:
  std::vector<std::string> ServerCommand(std::vector<std::string> more = {}) {
    std::vector<std::string> command{PLANARIUM_SERVER_BINARY, "--listen", address_, "--log-level",
                                     "warn"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  TemporaryDirectory directory_;
  const std::string socket_ = directory_ / "s.sock";
  const std::string address_ = "unix:" + socket_;
};

TEST_F(ProcessTest, OneReadyLineAnAddressFileAndACleanEnd) {
  const std::string file = directory_ / "address";
  Process server(ServerCommand({"--port-file", file}));
  EXPECT_EQ(server.ReadLine(), "planarium ready " + address_);
  EXPECT_EQ(ReadFile(file), address_ + "\n");
  struct stat info {};
  ASSERT_EQ(::stat(socket_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0600u);
  EXPECT_NO_THROW(Client{address_});

  server.Signal(SIGTERM);
  EXPECT_EQ(server.ReadLine(), "");  // nothing else on stdout
  EXPECT_EQ(server.Wait(), EX_OK);
  EXPECT_FALSE(std::filesystem::exists(socket_));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ProcessTest, MayOpenAsManyFilesAsTheSystemAllows) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  Process server(ServerCommand());
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_EQ(server.ReadLine(), "planarium ready " + address_);
  rlimit raised{};
  ASSERT_EQ(::prlimit(server.pid(), RLIMIT_NOFILE, nullptr, &raised), 0);
  EXPECT_EQ(raised.rlim_cur, raised.rlim_max);
}

TEST_F(ProcessTest, ASecondServerOnOneSocketIsRefusedAndADeadOneIsReplaced) {
  Process first(ServerCommand());
  ASSERT_EQ(first.ReadLine(), "planarium ready " + address_);
  EXPECT_EQ(Process(ServerCommand()).Wait(), EX_UNAVAILABLE);
  EXPECT_NO_THROW(Client{address_});
  first.Signal(SIGKILL);
  first.Wait();
  Process third(ServerCommand());
  EXPECT_EQ(third.ReadLine(), "planarium ready " + address_);
}

TEST_F(ProcessTest, BadStartsHaveTheirExitCodes) {
  EXPECT_EQ(Process({PLANARIUM_SERVER_BINARY, "--bogus"}).Wait(), EX_USAGE);
  EXPECT_EQ(Process({PLANARIUM_SERVER_BINARY, "--listen", "nowhere"}).Wait(), EX_USAGE);
  EXPECT_EQ(Process({PLANARIUM_SERVER_BINARY, "--listen", "0.0.0.0:0"}).Wait(), EX_CONFIG);
  EXPECT_EQ(Process({PLANARIUM_SERVER_BINARY, "--listen", "unix:/none/s.sock"}).Wait(),
            EX_UNAVAILABLE);
  EXPECT_EQ(Process({PLANARIUM_SERVER_BINARY, "--version"}).Wait(), EX_OK);
}

TEST_F(ProcessTest, ASecondSignalEndsADrainAtOnce) {
  Process server(ServerCommand());
  ASSERT_EQ(server.ReadLine(), "planarium ready " + address_);
  // An open stream that never says Hello keeps the drain waiting.
  Client client(address_);
  grpc::ClientContext context;
  const auto stream = client.stub().Attach(&context);
  server.Signal(SIGTERM);
  server.Signal(SIGINT);
  // Which of two pending signals comes first is the kernel's choice.
  EXPECT_THAT(server.Wait(), testing::AnyOf(128 + SIGINT, 128 + SIGTERM));
  EXPECT_FALSE(std::filesystem::exists(socket_));
}

TEST_F(ProcessTest, EndsWithItsParentWhenAsked) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    // The middle process starts a server, waits for it and ends without a word.
    Process server(ServerCommand({"--exit-with-parent"}));
    ::_exit(server.ReadLine().empty() ? 1 : 0);
  }
  int status = 0;
  ::waitpid(parent, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(Eventually([&] { return !std::filesystem::exists(socket_); }));
}

TEST_F(ProcessTest, LivesOnWhenOnlyTheStartingThreadEnds) {
  std::unique_ptr<Process> server;
  std::jthread([&] {
    server = std::make_unique<Process>(ServerCommand({"--exit-with-parent"}));
    ASSERT_EQ(server->ReadLine(), "planarium ready " + address_);
  }).join();
  EXPECT_NO_THROW(Client{address_});
  server->Signal(SIGTERM);
  EXPECT_EQ(server->Wait(), EX_OK);
}

TEST_F(ProcessTest, KilledClientsLeaveNothingBehind) {
  Process server(ServerCommand({"--lease", "1"}));
  ASSERT_EQ(server.ReadLine(), "planarium ready " + address_);
  const std::string world = directory_ / "world.yaml";
  std::ofstream(world) << kWorldYaml;
  Client client(address_);
  for (int round = 0; round < 5; ++round) {
    Process digest({PLANARIUM_DIGEST_BINARY, address_, world, "64", "1000000", "7"});
    ASSERT_TRUE(Eventually([&] { return CountBatches(&client) > round; }));
    digest.Signal(SIGKILL);
    digest.Wait();
  }
  EXPECT_TRUE(Eventually([&] { return CountBatches(&client) == 0; }));
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Wait(), EX_OK);
}

TEST_F(ProcessTest, DigestsDependOnSeedAndNotOnThreads) {
  const std::string world = directory_ / "world.yaml";
  std::ofstream(world) << kWorldYaml;
  std::vector<std::string> digests;
  for (const char* threads : {"1", "2", "3"}) {
    Process server(ServerCommand({"--threads", threads}));
    ASSERT_EQ(server.ReadLine(), "planarium ready " + address_);
    Process digest({PLANARIUM_DIGEST_BINARY, address_, world, "70", "50", "7"});
    digests.push_back(digest.ReadLine());
    EXPECT_EQ(digest.Wait(), EX_OK);
    server.Signal(SIGTERM);
    EXPECT_EQ(server.Wait(), EX_OK);
  }
  EXPECT_EQ(digests[0].size(), 64u);
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[0], digests[2]);
}

}  // namespace
}  // namespace planarium
