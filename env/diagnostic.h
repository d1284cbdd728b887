#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace planarium {

enum class Severity { kNote, kWarning, kError };

/// One finding about a file: where, what was expected, what came, and the nearest right thing.
struct Diagnostic {
  Severity severity = Severity::kError;
  std::string file;      ///< name as given by the caller
  int line = 0;          ///< 1-based; 0: no position
  int column = 0;        ///< 1-based
  std::string key_path;  ///< "robot[0].sensors[0].type"
  std::string message;   ///< one sentence, no trailing period
  std::string hint;      ///< nearest valid key or the way out; may be empty

  /// `FILE:LINE:COLUMN KEY_PATH: MESSAGE; HINT (severity)`
  std::string ToString() const;
};

/// The same with control characters as \xNN: its texts quote files that anybody may have written.
Diagnostic Printable(Diagnostic diagnostic);

/// A file that cannot be used. `diagnostics` holds all findings, errors first; what() is the first
/// error and a count.
class SpecError : public std::runtime_error {
 public:
  explicit SpecError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  struct Ready {};
  SpecError(Ready, std::vector<Diagnostic> diagnostics);

  std::vector<Diagnostic> diagnostics_;
};

/// The candidate most similar to `word` (Levenshtein within a third of its length), empty when none
/// is near.
std::string Nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace planarium
