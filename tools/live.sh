#!/usr/bin/env bash
# Builds the foreign peers of `make interop` into .cache/live/bin of this clone: simd (ibc-go), Hermes, CometBFT.
# Needs Go for all but Hermes, Rust for Hermes (20 minutes of CPU once), and the build script of the folder
# beside this clone. Does nothing where they are there.
#
#   tools/live.sh [cometbft|probe|simd|lightquery|hermes]...      all without arguments
#
#   IBC_LIVE_DIR   the folder with build.sh            (../shared/live)
set -euo pipefail
cd "$(dirname "$0")/.."
live=${IBC_LIVE_DIR:-../shared/live}
export OUT=$PWD/.cache/live
PATH=$PATH:/usr/local/go/bin:$HOME/.cargo/bin

[ -x "$live/build.sh" ] || { echo "no build.sh in $live: set IBC_LIVE_DIR to the folder that has it" >&2; exit 1; }

# A dependency of a dependency of Hermes is yanked. Hermes' own lock file names it, but the build script
# resolves once without that file: this seed lets that resolution take the yanked version too.
seed_lock() {
  local lock=$OUT/hermes-fetch/Cargo.lock
  [ -f "$lock" ] && return
  mkdir -p "${lock%/*}"
  cat >"$lock" <<'LOCK'
version = 3

[[package]]
name = "core2"
version = "0.3.3"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "239fa3ae9b63c2dc74bd3fa852d4792b8b305ae64eeede946265b6af62f1fff3"
dependencies = [
 "memchr",
]

[[package]]
name = "memchr"
version = "2.7.5"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "32a282da65faaf38286cf3be983213fcf1d2e2a58700e808f83f4ea9a4804bc0"
LOCK
}

missing=0
[ $# -gt 0 ] || set -- cometbft probe simd lightquery hermes
for name in "$@"; do
  [ -x "$OUT/bin/$name" ] && continue
  tool=go
  [ "$name" = hermes ] && tool=cargo
  if ! command -v "$tool" >/dev/null; then
    echo "$name is not built: there is no $tool here" >&2
    missing=1
    continue
  fi
  echo "building $name (the first time some minutes; Hermes some twenty)"
  [ "$name" = hermes ] && seed_lock
  if [ "$name" = lightquery ]; then
    (cd tests/interop/live/lightquery && go build -trimpath -ldflags "-s -w" -o "$OUT/bin/lightquery" .)
  else
    "$live/build.sh" "$name"
  fi
done
ls "$OUT/bin" 2>/dev/null || true
exit $missing
