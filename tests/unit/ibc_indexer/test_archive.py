"""The zip that workers import: whole enough to read an export where the package is not installed."""

import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec

from ibc_core.installation import PACKAGES
from ibc_indexer.archive import archive
from ibc_module import __version__

PROGRAM = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import ibc_indexer.source
from ibc_core.packet_v2.states import decode_packet, encode_packet
from ibc_core.packet_v2.types import PacketV2

packet = PacketV2(7, "07-tendermint-0", "07-tendermint-3", 9, ())
assert decode_packet(encode_packet(packet)) == packet
print(ibc_indexer.source.__file__)
"""


def test_the_packages_are_in_it_and_nothing_compiled():
    with zipfile.ZipFile(archive()) as packed:
        names = packed.namelist()
        (metadata,) = (packed.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0] for name in names} == {*PACKAGES, f"pyibc-{__version__}.dist-info"}
    assert f"\nVersion: {__version__}\n" in metadata
    assert "ibc_proto/descriptors.binpb" in names
    assert [name for name in names if name.endswith(".pyc")] == []


def test_it_is_imported_where_the_package_is_not_installed(tmp_path):
    path = archive()
    third_parties = Path(msgspec.__file__).parents[1]
    command = [sys.executable, "-S", "-I", "-c", PROGRAM, str(path), str(third_parties)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == f"{path}/ibc_indexer/source.py"
