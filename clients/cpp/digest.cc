// Steps a batch with fixed actions and prints the SHA-256 of all observations. The clients in other
// languages do the same (clients/node/digest.mjs): equal arguments give equal digests.
//
// usage: planarium-digest ADDRESS SCENARIO_FILE NUM_ENVS STEPS SEED

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "clients/cpp/client.h"
#include "clients/cpp/sha256.h"

namespace planarium {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

// Some number in [-1, 1) that every language computes alike: integers modulo 2^32, one division.
float ActionOf(std::uint64_t slot, std::uint64_t step, std::uint64_t component) {
  const std::uint64_t mixed = slot * 2654435761u + step * 40503u + component * 9973u;
  return static_cast<float>(static_cast<double>(mixed & 0xFFFFFFFFu) / 2147483648.0 - 1.0);
}

std::vector<float> ActionsOf(const v1::BatchSpec& spec, std::uint64_t step) {
  const std::uint64_t components = std::uint64_t{spec.num_agents()} * spec.action().shape(0);
  std::vector<float> actions;
  for (std::uint64_t slot = 0; slot < spec.num_envs(); ++slot) {
    for (std::uint64_t k = 0; k < components; ++k) actions.push_back(ActionOf(slot, step, k));
  }
  return actions;
}

void AddObservations(const StepView& view, Sha256* hash) {
  for (std::size_t part = 0; part < view.parts(); ++part) {
    hash->Update(std::as_bytes(view.observations(part)));
  }
}

std::string Digest(std::span<char*> arguments) {
  const std::string path = arguments[1];
  const std::uint64_t seed = std::stoull(arguments[4]);
  Client client(arguments[0]);
  v1::CreateBatchRequest request;
  request.add_scenarios()->set_scenario_id(
      client.RegisterScenario(std::filesystem::path(path).filename().string(), ReadFile(path)));
  request.set_num_envs(static_cast<std::uint32_t>(std::stoul(arguments[2])));
  request.set_seed(seed);
  request.set_owner("planarium-digest");
  const std::unique_ptr<Batch> batch = client.CreateBatch(request);

  Sha256 hash;
  AddObservations(batch->Reset(seed), &hash);
  const std::uint64_t steps = std::stoull(arguments[3]);
  for (std::uint64_t step = 0; step < steps; ++step) {
    AddObservations(batch->Step(ActionsOf(batch->spec(), step)), &hash);
  }
  return hash.HexDigest();
}

}  // namespace
}  // namespace planarium

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: %s ADDRESS SCENARIO_FILE NUM_ENVS STEPS SEED\n", argv[0]);
    return 64;
  }
  try {
    std::printf("%s\n", planarium::Digest({argv + 1, 5}).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "planarium-digest: %s\n", error.what());
    return 1;
  }
}
