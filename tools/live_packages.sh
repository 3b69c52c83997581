#!/usr/bin/env bash
# The system packages that Hermes' crates are built with: named before anything is built, installed where that is
# allowed. zstd-sys and librocksdb-sys run bindgen, which loads libclang; namada_tx runs protoc over files that import protoc's own; both use pkg-config.
#
# Silent where they are there. Exit code 1: something lacks, and its package is named.
set -euo pipefail

has_libclang() {
  [ -n "${LIBCLANG_PATH:-}" ] && ls "$LIBCLANG_PATH"/libclang* >/dev/null 2>&1 && return
  { ldconfig -p 2>/dev/null || true; } | grep -q 'libclang[-.]' && return
  command -v llvm-config >/dev/null && ls "$(llvm-config --libdir)"/libclang* >/dev/null 2>&1
}

knows_timestamps() { # Debian has them apart from protoc, and only recommends them
  local folder found=0
  folder=$(mktemp -d)
  echo 'syntax = "proto3"; import "google/protobuf/timestamp.proto";' >"$folder/asks.proto"
  protoc -I"$folder" --descriptor_set_out=/dev/null "$folder/asks.proto" 2>/dev/null || found=1
  rm -r "$folder"
  return $found
}

# what lacks -> the packages of Debian, Fedora and Homebrew
lacking() {
  has_libclang || echo "libclang: libclang-dev clang-devel llvm"
  command -v clang >/dev/null || echo "clang: clang clang llvm"
  command -v protoc >/dev/null || echo "protoc: protobuf-compiler protobuf-compiler protobuf"
  knows_timestamps || echo "timestamp.proto: libprotobuf-dev protobuf-devel protobuf"
  command -v pkg-config >/dev/null || echo "pkg-config: pkg-config pkgconf-pkg-config pkgconf"
}

named() { # the packages of column $1
  lacking | awk -v column="$1" '{ print $column }' | sort -u | paste -sd ' '
}

[ -n "$(lacking)" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root="sudo -n"; else as_root=no; fi
fi
if [ "$as_root" != no ] && command -v apt-get >/dev/null; then
  echo "installing for Hermes: $(named 2)" >&2
  { $as_root apt-get update -qq && $as_root apt-get install -qq -y --no-install-recommends $(named 2); } >/dev/null 2>&1 || true
elif [ "$as_root" != no ] && command -v dnf >/dev/null; then
  echo "installing for Hermes: $(named 3)" >&2
  $as_root dnf install -q -y $(named 3) >/dev/null 2>&1 || true
elif command -v brew >/dev/null; then
  echo "installing for Hermes: $(named 4)" >&2
  brew install --quiet $(named 4) >/dev/null 2>&1 || true
fi

[ -n "$(lacking)" ] || exit 0
{
  echo "Hermes cannot be built here, these lack: $(lacking | cut -d: -f1 | paste -sd ' ')"
  echo "  Debian, Ubuntu: apt-get install $(named 2)"
  echo "  Fedora:         dnf install $(named 3)"
  echo "  macOS:          brew install $(named 4)"
} >&2
exit 1
