#pragma once

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "clients/cpp/client.h"
#include "tests/server/service_testing.h"

/// What the tests through real sockets share.
namespace planarium {

/// A directory of its own under the test's temporary one.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = testing::TempDir() + "planariumXXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Waits until `holds` is true, at most ten seconds; returns whether it became true.
inline bool Eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

struct RawReply {
  grpc::Status status;
  std::string bytes;
};

/// A unary call with any bytes as its request.
inline RawReply RawCall(const std::string& address, const std::string& method,
                        const std::string& bytes,
                        grpc_compression_algorithm compression = GRPC_COMPRESS_NONE) {
  grpc::GenericStub stub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_compression_algorithm(compression);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer reply;
  grpc::CompletionQueue queue;
  auto call = stub.PrepareUnaryCall(&context, method, request, &queue);
  call->StartCall();
  RawReply result;
  call->Finish(&reply, &result.status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  std::vector<grpc::Slice> slices;
  if (result.status.ok() && reply.Dump(&slices).ok()) {
    for (const grpc::Slice& piece : slices) {
      result.bytes.append(reinterpret_cast<const char*>(piece.begin()), piece.size());
    }
  }
  return result;
}

/// Registers the small world and asks for `num_envs` of it.
inline v1::CreateBatchRequest MakeBatchRequest(Client* client, std::uint32_t num_envs) {
  v1::CreateBatchRequest request;
  request.add_scenarios()->set_scenario_id(
      client->RegisterScenario("small.yaml", std::string(kWorldYaml)));
  request.set_num_envs(num_envs);
  request.set_seed(7);
  return request;
}

inline int CountBatches(Client* client) {
  grpc::ClientContext context;
  v1::BatchList list;
  EXPECT_TRUE(client->stub().ListBatches(&context, {}, &list).ok());
  return list.batches_size();
}

/// The code of the ClientError that `work` throws; 0 when it throws none.
inline int ErrorCodeOf(const std::function<void()>& work) {
  try {
    work();
  } catch (const ClientError& error) {
    return error.code();
  }
  return 0;
}

}  // namespace planarium
