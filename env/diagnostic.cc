#include "env/diagnostic.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace planarium {
namespace {

// Longer words are no misspelt keys; the bound keeps the distance cheap for hostile files.
constexpr std::size_t kLongestWord = 64;

const char* SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

bool IsError(const Diagnostic& diagnostic) { return diagnostic.severity == Severity::kError; }

std::vector<Diagnostic> ErrorsFirst(std::vector<Diagnostic> diagnostics) {
  std::stable_partition(diagnostics.begin(), diagnostics.end(), IsError);
  return diagnostics;
}

// Quotes from a file must not reach a terminal or a log as commands.
std::string EscapeControls(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      safe += c;
    } else {
      safe += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return safe;
}

std::vector<Diagnostic> MakePrintable(std::vector<Diagnostic> diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) diagnostic = Printable(std::move(diagnostic));
  return diagnostics;
}

std::string Summary(const std::vector<Diagnostic>& diagnostics) {
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), IsError);
  if (first == diagnostics.end()) return "the file cannot be used";
  std::string text = first->ToString();
  const auto errors = std::count_if(diagnostics.begin(), diagnostics.end(), IsError);
  if (errors > 1) text += " (and " + std::to_string(errors - 1) + " more)";
  return text;
}

// Levenshtein distance in which two swapped neighbours ("widht") count once, by rows of its table.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Diagnostic::ToString() const {
  std::string text = file;
  if (line > 0) text += ":" + std::to_string(line) + ":" + std::to_string(column);
  if (!key_path.empty()) text += " " + key_path;
  text += ": " + message;
  if (!hint.empty()) text += "; " + hint;
  return text + " (" + SeverityName(severity) + ")";
}

Diagnostic Printable(Diagnostic diagnostic) {
  for (std::string* text :
       {&diagnostic.file, &diagnostic.key_path, &diagnostic.message, &diagnostic.hint}) {
    *text = EscapeControls(*text);
  }
  return diagnostic;
}

SpecError::SpecError(std::vector<Diagnostic> diagnostics)
    : SpecError(Ready{}, MakePrintable(ErrorsFirst(std::move(diagnostics)))) {}

SpecError::SpecError(Ready, std::vector<Diagnostic> diagnostics)
    : std::runtime_error(Summary(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::string Nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = word.size() / 3 + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > word.size() + best_distance) continue;
    const std::size_t distance = EditDistance(word, candidate);
    if (distance >= best_distance) continue;
    best_distance = distance;
    best = candidate;
  }
  return std::string(best);
}

}  // namespace planarium
