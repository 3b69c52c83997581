"""Zip file for workers; spark/test_source.py reads an export with it alone."""

import zipfile

from ibc_module import __version__
from pyibc.indexer.spark.session import archive
from pyibc.installation import PACKAGES


def test_the_packages_are_in_it_and_nothing_compiled():
    with zipfile.ZipFile(archive()) as packed:
        names = packed.namelist()
        (metadata,) = (packed.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {name.split("/")[0] for name in names} == {*PACKAGES, f"pyibc-{__version__}.dist-info"}
    assert f"\nVersion: {__version__}\n" in metadata
    assert "pyibc/proto/descriptors.binpb" in names
    assert [name for name in names if name.endswith(".pyc")] == []
