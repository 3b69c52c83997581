#!/usr/bin/env bash
# Builds CometBFT, and its abci-cli, of one pinned version, which Go checks against its checksum database, with the patch of
# tools/cometbft/flush.patch: the socket to an application costs CometBFT a multiple of its work without (docs/node.md).
# Does nothing where they are there already.
#
#   STOCK=1    as released, without the patch
#   FOLDER     the folder                        (.cache/bin of this clone)
#   GO         the go program
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.38.26
package=github.com/cometbft/cometbft
mkdir -p "${FOLDER:=.cache/bin}"
bin=$(cd "$FOLDER" && pwd)
go=${GO:-$(command -v go || true)}
[ -n "$go" ] || go=$(ls /usr/local/go/bin/go 2>/dev/null || true)
wanted=$version+flush
[ -z "${STOCK:-}" ] || wanted=$version

if [ "$("$bin/cometbft" version 2>/dev/null || true)" = "$wanted" ] && [ -x "$bin/abci-cli" ]; then
  echo "CometBFT $wanted is in $FOLDER"
  exit
fi
if [ -z "$go" ]; then
  echo "CometBFT $version is built by Go, and there is no go here." >&2
  echo "Install Go 1.22 or later (https://go.dev/dl, or the system's package manager) or set GO=/path/to/go; then make cometbft." >&2
  echo "A cometbft that is built already can be named by COMETBFT=/path/to/cometbft; without one the interop tests skip." >&2
  exit 1
fi

# The released source with the patch; it stays, for tests/interop/test_comet_flush.py.
source=$PWD/.cache/cometbft/$wanted
rm -rf "$source"
mkdir -p "$source"
(cd "$source" && "$go" mod download "$package@v$version") # outside of any module: go reads no go.mod of ours
cp -R "$(cd "$source" && "$go" list -m -f '{{.Dir}}' "$package@v$version")/." "$source"
chmod -R u+w "$source"
[ -n "${STOCK:-}" ] || patch --quiet -p1 -d "$source" <tools/cometbft/flush.patch

for command in cmd/cometbft abci/cmd/abci-cli; do
  echo "building ${command##*/} $wanted (the first time some minutes)"
  (cd "$source" && GOBIN=$bin GOFLAGS=-mod=readonly CGO_ENABLED=0 "$go" install -trimpath "./$command")
done
echo "CometBFT $("$bin/cometbft" version) is in $FOLDER"
