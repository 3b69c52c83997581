"""Zip file for workers: sufficient to read an export without an installation of the package."""

import subprocess
import sys
import zipfile
from pathlib import Path

import msgspec

from ibc_module import __version__
from pyibc.indexer.spark.session import archive
from pyibc.installation import PACKAGES

PROGRAM = """
import sys
sys.path[:0] = [sys.argv[1]]
sys.path.append(sys.argv[2])
import pyibc.indexer.spark.source
from pyibc.core.packet_v2.types import decode_packet, encode_packet
from pyibc.core.packet_v2.types import PacketV2

packet = PacketV2(7, "07-tendermint-0", "07-tendermint-3", 9, ())
assert decode_packet(encode_packet(packet)) == packet
print(pyibc.indexer.spark.source.__file__)
"""


def test_the_packages_are_in_it_and_nothing_compiled():
    with zipfile.ZipFile(archive()) as packed:
        names = packed.namelist()
        (metadata,) = (packed.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0] for name in names} == {*PACKAGES, f"pyibc-{__version__}.dist-info"}
    assert f"\nVersion: {__version__}\n" in metadata
    assert "pyibc/proto/descriptors.binpb" in names
    assert [name for name in names if name.endswith(".pyc")] == []


def test_it_is_imported_where_the_package_is_not_installed(tmp_path):
    path = archive()
    third_parties = Path(msgspec.__file__).parents[1]
    command = [sys.executable, "-S", "-I", "-c", PROGRAM, str(path), str(third_parties)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == f"{path}/pyibc/indexer/spark/source.py"
