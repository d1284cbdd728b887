#include "server/options.h"

#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <vector>

#include "env/diagnostic.h"
#include "server/version.h"

namespace planarium {
namespace {

// A file that cannot be used, as opposed to a wrong command line.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr std::size_t kGiB = std::size_t{1} << 30;

// A range does not keep out what compares with nothing.
std::string NotANumber(const std::string& text) {
  double value = 0.0;
  return CLI::detail::lexical_cast(text, value) && std::isnan(value) ? "not a number" : "";
}

// Every option has an environment variable: --max-worlds is PLANARIUM_MAX_WORLDS.
std::string EnvironmentName(std::string_view flag) {
  std::string name = "PLANARIUM_";
  for (const char c : flag.substr(2)) name += c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

template <typename T>
CLI::Option* AddOption(CLI::App* app, const std::string& flag, T* value, const std::string& doc) {
  return app->add_option(flag, *value, doc)->envname(EnvironmentName(flag))->capture_default_str();
}

void AddSwitch(CLI::App* app, const std::string& flag, bool* value, const std::string& doc) {
  app->add_flag(flag, *value, doc)->envname(EnvironmentName(flag));
}

// A number of bytes, also written as 16MiB or 2 GB (both count in 1024).
CLI::Option* AddBytes(CLI::App* app, const std::string& flag, std::size_t* value,
                      const std::string& doc) {
  return AddOption(app, flag, value, doc)->transform(CLI::AsSizeValue(false));
}

void AddLimits(CLI::App* app, ServerLimits* limits) {
  const auto within = [](std::size_t low, std::size_t high) { return CLI::Range(low, high); };
  AddBytes(app, "--max-receive-bytes", &limits->max_receive_bytes, "Largest request message")
      ->check(within(4096, kGiB));
  AddBytes(app, "--max-yaml-bytes", &limits->max_yaml_bytes, "Largest scenario or task text")
      ->check(within(1, kGiB));
  AddOption(app, "--max-worlds", &limits->max_worlds, "Worlds of one batch")
      ->check(within(1, 1u << 24));
  AddOption(app, "--max-batches", &limits->max_batches, "Batches at a time")
      ->check(within(1, 65'536));
  AddBytes(app, "--max-memory", &limits->max_memory, "Memory of all batches together")
      ->check(within(1u << 20, 65'536 * kGiB));
  AddOption(app, "--max-scenarios", &limits->max_scenarios, "Registered scenarios at a time")
      ->check(within(1, 1u << 20));
  AddOption(app, "--lease", &limits->lease_seconds, "Seconds after which an unused batch is freed")
      ->check(CLI::Range(1.0, kMaxLeaseSeconds) & CLI::Validator(NotANumber, ""));
  // Below 64 KiB the messages are too many, above 16 MiB clients do not take them.
  AddBytes(app, "--chunk-bytes", &limits->chunk_bytes, "Largest bulk message of a reply")
      ->check(CLI::Range(std::size_t{65'536}, std::size_t{16u << 20}));
}

void AddAll(CLI::App* app, ServerOptions* options, std::string* config_file) {
  app->add_option("--config", *config_file, "File of NAME = VALUE lines, names as the flags")
      ->envname("PLANARIUM_CONFIG");
  AddOption(app, "--listen", &options->listen,
            "unix:PATH or HOST:PORT (port 0: any). Default: planarium.sock in $XDG_RUNTIME_DIR, "
            "else in /tmp/planarium-UID");
  AddOption(app, "--port-file", &options->port_file, "File to write the address to");
  AddOption(app, "--threads", &options->threads,
            "Worker threads of a batch; 0: CPUs granted by affinity and cgroup, rounded down")
      ->check(CLI::Range(0, kMaxThreads));
  AddOption(app, "--log-level", &options->log_level, "trace, debug, info, warn, error or off")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}));
  AddSwitch(app, "--reflection", &options->reflection, "Serve gRPC reflection");
  AddSwitch(app, "--exit-with-parent", &options->exit_with_parent,
            "Drain and exit when the starting process ends");
  AddSwitch(app, "--i-know-this-is-insecure", &options->insecure,
            "Listen beyond this machine: no encryption, no authentication");
  AddLimits(app, &options->limits);
}

CLI::Option* FindOption(CLI::App* app, const std::string& file, const CLI::ConfigItem& item) {
  CLI::Option* const option = app->get_option_no_throw("--" + item.name);
  if (option != nullptr && item.parents.empty() && item.name != "config") return option;
  std::vector<std::string> names;
  for (const CLI::Option* known : app->get_options()) names.push_back(known->get_single_name());
  const std::string nearest = Nearest(item.name, {names.begin(), names.end()});
  throw ConfigError(file + ": unknown key \"" + item.fullname() + "\"" +
                    (nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?"));
}

// Values of the file for options that neither flag nor environment gave. CLI11's own set_config
// would let the file win over the environment.
void ApplyConfig(CLI::App* app, const std::string& file) {
  if (file.empty()) return;
  if (std::filesystem::is_directory(file)) throw ConfigError(file + ": is a directory");
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_file(file)) {
      CLI::Option* const option = FindOption(app, file, item);
      if (option->count() > 0) continue;
      for (const std::string& value : item.inputs) option->add_result(value);
      option->run_callback();
    }
  } catch (const CLI::Error& error) {
    throw ConfigError(file + ": " + error.what());
  }
}

}  // namespace

std::string VersionText() {
  return std::string("planarium-server ") + kVersion + " (protocol " +
         std::to_string(kProtocolMajor) + "." + std::to_string(kProtocolMinor) + ")";
}

ParsedOptions ParseOptions(int argc, const char* const* argv) {
  ServerOptions options;
  std::string config_file;
  CLI::App app("Planarium server: batched 2D robot worlds over gRPC", "planarium-server");
  app.set_version_flag("--version", VersionText());
  app.footer(
      "Each flag has an environment variable (--max-worlds: PLANARIUM_MAX_WORLDS) and a key "
      "of the same name in the file given by --config. Flags win over the environment, "
      "that over the file.");
  try {
    AddAll(&app, &options, &config_file);
    app.parse(argc, argv);
    ApplyConfig(&app, config_file);
  } catch (const CLI::CallForHelp&) {
    return {{}, EX_OK, app.help()};
  } catch (const CLI::CallForVersion& version) {
    return {{}, EX_OK, std::string(version.what()) + "\n"};
  } catch (const CLI::ParseError& error) {
    return {{}, EX_USAGE, std::string(error.what()) + "\nRun with --help for more information.\n"};
  } catch (const ConfigError& error) {
    return {{}, EX_CONFIG, std::string(error.what()) + "\n"};
  }
  return {options, EX_OK, ""};
}

}  // namespace planarium
