#include "server/rpc_server.h"

#include <dlfcn.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <sys/stat.h>
#include <sysexits.h>

#include <algorithm>

#include "server/cpu_budget.h"
#include "server/version.h"

namespace planarium {
namespace {

// Buffers of all connections together. max_receive alone does not bound memory: gRPC reads a
// message of 1 GB completely before it refuses it.
constexpr std::size_t kTransportBytes = 256u << 20;

// Work that gRPC's threads must not do: long steps, batch creation, drawing. More than CPUs, so
// that long tasks, and looks at batches that wait for them, do not hold up a short one.
constexpr int kExtraWorkers = 16;
// What never waits for a simulation: server information, lists of batches.
constexpr int kLookupThreads = 2;

ServiceOptions MakeServiceOptions(const ServerOptions& options) {
  ServiceOptions service;
  service.limits = options.limits;
  service.threads = options.threads > 0 ? options.threads : CpuBudget();
  service.version = kVersion;
  return service;
}

// Dead clients are noticed within 30 s; living ones may ping every 5 s.
void SetKeepalive(grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder->AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
}

void SetLimits(grpc::ServerBuilder* builder, const ServerLimits& limits) {
  // One socket, one server: without this a second process shares the port and half the clients.
  builder->AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder->AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 5'000);
  // A connection may have a stream to every batch and still make calls.
  builder->AddChannelArgument(
      GRPC_ARG_MAX_CONCURRENT_STREAMS,
      static_cast<int>(std::min<std::size_t>(limits.max_batches, 4096)) + 64);
  builder->SetMaxReceiveMessageSize(static_cast<int>(limits.max_receive_bytes));
  builder->SetMaxSendMessageSize(-1);
  builder->SetResourceQuota(grpc::ResourceQuota("planarium").Resize(kTransportBytes));

  // A compressed message of 1 MB may hold 1 GB of zeros, and rows do not compress.
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder->SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
}

// Large frames and windows from the start: there is no network to be gentle with.
void SetThroughput(grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, 16'777'215);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder->AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 16 << 20);
}

// The library's mere presence switches reflection on, so it is loaded only when asked for.
void LoadReflection() {
  if (::dlopen(PLANARIUM_REFLECTION_LIBRARY, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    throw StartupError(EX_UNAVAILABLE, std::string("--reflection: ") + ::dlerror());
  }
}

}  // namespace

RpcServer::RpcServer(const ServerOptions& options, const ListenAddress& address)
    : socket_(address),
      service_(MakeServiceOptions(options)),
      executor_(CpuBudget() + kExtraWorkers),
      lookups_(kLookupThreads),
      rpc_(&service_, &executor_, &lookups_),
      reaper_(&service_) {
  if (options.reflection) LoadReflection();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  SetKeepalive(&builder);
  SetLimits(&builder, options.limits);
  SetThroughput(&builder);
  int port = 0;
  builder.AddListeningPort(address.ToString(), grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&rpc_);
  server_ = builder.BuildAndStart();
  if (server_ == nullptr || port == 0) {
    throw StartupError(EX_UNAVAILABLE, address.ToString() + ": cannot listen there; is it in use?");
  }
  ListenAddress chosen = address;
  if (address.is_unix()) {
    ::chmod(address.path.c_str(), 0600);  // who may write to it may step, and nobody runs it
  } else {
    chosen.port = static_cast<std::uint16_t>(port);
  }
  address_ = chosen.ToString();
}

RpcServer::~RpcServer() {
  if (server_ != nullptr) Drain(std::chrono::milliseconds(0));
}

void RpcServer::Drain(std::chrono::milliseconds patience) {
  service_.Drain();
  server_->GetHealthCheckService()->SetServingStatus(false);
  rpc_.DrainStreams();
  server_->Shutdown(std::chrono::system_clock::now() + patience);
  server_->Wait();
}

}  // namespace planarium
