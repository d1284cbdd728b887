#include "server/listen_address.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace planarium {
namespace {

int ExitCodeOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const StartupError& error) {
    return error.exit_code();
  }
  return EX_OK;
}

TEST(ListenAddress, ReadsSocketsAndPorts) {
  EXPECT_EQ(ParseListenAddress("unix:/run/x.sock").path, "/run/x.sock");
  EXPECT_EQ(ParseListenAddress("unix:///run/x.sock").ToString(), "unix:/run/x.sock");
  EXPECT_EQ(ParseListenAddress("unix:x.sock").path, std::filesystem::current_path() / "x.sock");
  EXPECT_EQ(ParseListenAddress("127.0.0.1:0").port, 0);
  EXPECT_EQ(ParseListenAddress("[::1]:50051").ToString(), "[::1]:50051");
}

TEST(ListenAddress, RefusesOtherTexts) {
  for (const char* text : {"", "unix:", "localhost", ":80", "host:", "host:port", "host:99999",
                           "host:-1", "host:1x"}) {
    EXPECT_EQ(ExitCodeOf([&] { ParseListenAddress(text); }), EX_USAGE) << text;
  }
  const std::string lengthy = "unix:/" + std::string(107, 'x');
  EXPECT_EQ(ExitCodeOf([&] { ParseListenAddress(lengthy); }), EX_USAGE);
  EXPECT_EQ(ExitCodeOf([&] { ParseListenAddress(lengthy.substr(0, 112)); }), EX_OK);
}

TEST(ListenAddress, KnowsWhatOtherMachinesCanReach) {
  for (const char* text : {"unix:/x", "127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"}) {
    EXPECT_TRUE(IsLoopback(ParseListenAddress(text))) << text;
  }
  for (const char* text :
       {"0.0.0.0:1", "[::]:1", "10.0.0.1:1", "127.evil.example:1", "host.example:1"}) {
    EXPECT_FALSE(IsLoopback(ParseListenAddress(text))) << text;
  }
}

class SocketGuardTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "planariumXXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    address_ = ParseListenAddress("unix:" + directory_ + "/s.sock");
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string directory_;
  ListenAddress address_;
};

TEST_F(SocketGuardTest, TwoServersCannotHaveOnePath) {
  {
    const SocketGuard first(address_);
    EXPECT_EQ(ExitCodeOf([&] { const SocketGuard second(address_); }), EX_UNAVAILABLE);
  }
  EXPECT_EQ(ExitCodeOf([&] { const SocketGuard third(address_); }), EX_OK);
}

TEST_F(SocketGuardTest, NeverRemovesAFileThatIsNoSocket) {
  std::ofstream(address_.path) << "precious";
  EXPECT_EQ(ExitCodeOf([&] { const SocketGuard guard(address_); }), EX_UNAVAILABLE);
  EXPECT_TRUE(std::filesystem::exists(address_.path));
}

TEST_F(SocketGuardTest, AMissingDirectoryIsAnError) {
  const ListenAddress missing = ParseListenAddress("unix:" + directory_ + "/none/s.sock");
  EXPECT_EQ(ExitCodeOf([&] { const SocketGuard guard(missing); }), EX_UNAVAILABLE);
}

TEST_F(SocketGuardTest, AddressFilesAppearWhole) {
  const std::string path = directory_ + "/address";
  WriteFileAtomically(path, "unix:/x");
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "unix:/x\n");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_), {}), 1);
  EXPECT_EQ(ExitCodeOf([&] { WriteFileAtomically(directory_ + "/none/address", "x"); }),
            EX_CANTCREAT);
}

TEST(DefaultListenAddress, PrefersTheRuntimeDirectory) {
  const char* const old = std::getenv("XDG_RUNTIME_DIR");
  const std::string saved = old == nullptr ? "" : old;
  ::setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  EXPECT_EQ(DefaultListenAddress(), "unix:/run/user/7/planarium.sock");
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(DefaultListenAddress(),
            "unix:/tmp/planarium-" + std::to_string(::getuid()) + "/planarium.sock");
  if (old != nullptr) ::setenv("XDG_RUNTIME_DIR", saved.c_str(), 1);
}

}  // namespace
}  // namespace planarium
