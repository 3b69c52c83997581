"""What `make cometbft` builds says which it is: script, patch and localnet agree on the version."""

import re
from pathlib import Path

from localnet.comet import install

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = (ROOT / "tools/cometbft.sh").read_text()
PATCH = (ROOT / "tools/cometbft/flush.patch").read_text()


def test_the_patch_names_the_version_that_the_script_waits_for():
    stock = re.search(r"^version=(.+)$", SCRIPT, re.MULTILINE)[1]
    patched = re.search(r"^wanted=(.+)$", SCRIPT, re.MULTILINE)[1].replace("$version", stock)
    lines = re.findall(r'^([-+])\tTMCoreSemVer = "(.+)"$', PATCH, re.MULTILINE)
    assert lines == [("-", stock), ("+", patched)]
    assert patched != stock


def test_the_patch_touches_the_client_its_test_and_the_version_alone():
    assert re.findall(r"^\+\+\+ b/(.+)$", PATCH, re.MULTILINE) == [
        "abci/client/socket_client.go",
        "abci/client/socket_flush_test.go",
        "version/version.go",
    ]


def test_the_command_installs_the_same_version_whose_checksum_a_go_sum_has():
    stock = re.search(r"^version=(.+)$", SCRIPT, re.MULTILINE)[1]
    assert stock == install.VERSION
    sums = (ROOT / "tests/interop/live/lightquery/go.sum").read_text().splitlines()
    assert f"{install.MODULE} v{install.VERSION} {install.SUM}" in sums
