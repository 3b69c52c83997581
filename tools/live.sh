#!/usr/bin/env bash
# Builds the foreign peers of `make interop` into .cache/live/bin of this clone: simd (ibc-go), Hermes, CometBFT.
# Needs Go for all but Hermes, Rust and some system packages for Hermes (`live_packages.sh`; half an hour of CPU once),
# and the build script of the folder beside this clone. Does nothing where they are there.
#
#   tools/live.sh [cometbft|probe|simd|simd11|simd11cb|lightquery|hermes]...      all without arguments
#
#   IBC_LIVE_DIR   the folder with build.sh            (../shared/live)
set -euo pipefail
cd "$(dirname "$0")/.."
live=${IBC_LIVE_DIR:-../shared/live}
export OUT=$PWD/.cache/live
PATH=$PATH:/usr/local/go/bin:$HOME/.cargo/bin

[ -x "$live/build.sh" ] || { echo "no build.sh in $live: set IBC_LIVE_DIR to the folder that has it" >&2; exit 1; }

# The build script unpacks Hermes' crates by resolving its dependencies anew. That fails today: a crate deep among
# them is yanked, and what it finds otherwise is not what Hermes was released with. So they are unpacked here, by the
# released lock file, and the script finds them there. To reach that file Hermes itself must be unpacked: the
# seed lets that one resolution take the yanked crate.
unpack_hermes() {
  local seed=$OUT/hermes-seed version=${HERMES:-1.13.2}
  released() { ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/ibc-relayer-cli-"$version" 2>/dev/null | head -1; }
  mkdir -p "$seed/src"
  touch "$seed/src/lib.rs"
  if [ -z "$(released)" ]; then
    printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nibc-relayer-cli = "=%s"\n' \
      "$version" >"$seed/Cargo.toml"
    yanked_lock >"$seed/Cargo.lock"
    (cd "$seed" && cargo fetch)
  fi
  (cd "$(released)" && cargo fetch --locked)
}

yanked_lock() {
  cat <<'LOCK'
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
[ $# -gt 0 ] || set -- cometbft probe simd simd11 simd11cb lightquery hermes
case " $* " in *" hermes "*) [ -x "$OUT/bin/hermes" ] || tools/live_packages.sh || exit 1 ;; esac # before half an hour of building
for name in "$@"; do
  [ "$name" != cometbft ] && [ -x "$OUT/bin/$name" ] && continue # that one has its own look, at its version
  tool=go
  [ "$name" = hermes ] && tool=cargo
  if ! command -v "$tool" >/dev/null; then
    echo "$name is not built: there is no $tool here" >&2
    missing=1
    continue
  fi
  echo "building $name (the first time some minutes; Hermes half an hour)"
  [ "$name" = hermes ] && unpack_hermes
  if [ "$name" = lightquery ]; then
    (cd tests/interop/live/lightquery && go build -trimpath -ldflags "-s -w" -o "$OUT/bin/lightquery" .)
  elif [ "$name" = cometbft ]; then
    FOLDER=$OUT/bin tools/cometbft.sh # with our patch, as `make cometbft` builds it
  elif [ "$name" = simd11 ]; then
    (cd conformance/walks/go && go build -trimpath -ldflags "-s -w" -o "$OUT/bin/simd11" ./simd11)
  elif [ "$name" = simd11cb ]; then
    (cd conformance/walks/go && go build -tags callbacks -trimpath -ldflags "-s -w" -o "$OUT/bin/simd11cb" ./simd11)
  else
    "$live/build.sh" "$name"
  fi
done
ls "$OUT/bin" 2>/dev/null || true
exit $missing
