# shellcheck shell=bash
# Helpers that the scripts of this folder share. Sourced, not run.

root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/build/venv

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# require COMMAND HINT: stops with the hint when the command is missing.
require() {
  command -v "$1" >/dev/null 2>&1 || die "'$1' is missing: $2"
}

# hash_of PATH...: one hash over the names and contents of the files below the paths.
hash_of() {
  find "$@" -type f -not -path '*/__pycache__/*' -not -path '*.egg-info/*' -not -path '*/build/*' -print0 2>/dev/null |
    LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

# up_to_date STAMP HASH: true when the stamp file holds the hash.
up_to_date() {
  [[ -f $1 && $(<"$1") == "$2" ]]
}

# Installs the Python client of this checkout into the virtual environment, when it changed since the last time.
install_client() {
  local stamp=$venv/.client-hash hash
  hash=$(cd "$root" && hash_of clients/python proto)
  if up_to_date "$stamp" "$hash"; then return; fi
  say "Installing the Python client into build/venv ..."
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$root/clients/python[gymnasium,progress]"
  printf '%s\n' "$hash" >"$stamp"
}
