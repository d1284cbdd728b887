#pragma once

#include <grpcpp/server.h>

#include <chrono>
#include <memory>
#include <string>

#include "server/executor.h"
#include "server/lease_reaper.h"
#include "server/listen_address.h"
#include "server/options.h"
#include "server/rpc_service.h"
#include "server/service.h"

namespace planarium {

/// A running gRPC server: the service, its threads, its socket.
class RpcServer {
 public:
  /// Starts to serve at `address`. Throws StartupError (69) when it cannot.
  RpcServer(const ServerOptions& options, const ListenAddress& address);
  /// Drains without patience.
  ~RpcServer();

  /// Where clients find it, with the port that was chosen.
  const std::string& address() const { return address_; }
  PlanariumService& service() { return service_; }

  /// Reports NOT_SERVING, refuses new work, finishes running steps, ends the streams; what is not
  /// done after `patience` is cancelled.
  void Drain(std::chrono::milliseconds patience);

 private:
  SocketGuard socket_;
  PlanariumService service_;
  Executor executor_;
  Executor lookups_;
  RpcService rpc_;
  std::unique_ptr<grpc::Server> server_;
  LeaseReaper reaper_;
  std::string address_;
};

}  // namespace planarium
