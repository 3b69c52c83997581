#!/usr/bin/env bash
# Builds CometBFT, and its abci-cli, into .cache/bin of this clone: `go install` of one pinned version,
# checked against Go's checksum database. Does nothing where they are there already.
set -euo pipefail
cd "$(dirname "$0")/.."
version=v0.38.26
bin=$PWD/.cache/bin
go=${GO:-$(command -v go || true)}
[ -n "$go" ] || go=$(ls /usr/local/go/bin/go 2>/dev/null || true)

if [ "$("$bin/cometbft" version 2>/dev/null || true)" = "${version#v}" ] && [ -x "$bin/abci-cli" ]; then
  echo "CometBFT $version is in .cache/bin"
  exit
fi
if [ -z "$go" ]; then
  echo "CometBFT $version is built by Go, and there is no go here." >&2
  echo "Install Go 1.22 or later (https://go.dev/dl, or the system's package manager) or set GO=/path/to/go; then make cometbft." >&2
  echo "A cometbft that is built already can be named by COMETBFT=/path/to/cometbft; without one the interop tests skip." >&2
  exit 1
fi
mkdir -p "$bin"
for command in cmd/cometbft abci/cmd/abci-cli; do
  echo "building ${command##*/} $version (the first time some minutes)"
  GOBIN=$bin CGO_ENABLED=0 "$go" install "github.com/cometbft/cometbft/$command@$version"
done
echo "CometBFT $("$bin/cometbft" version) is in .cache/bin"
