import os
from pathlib import Path

import pytest

from iavl.disk.database.settings import DiskOptions


@pytest.fixture(scope="session")
def vectors_dir():
    default = Path(__file__).resolve().parents[3].parent / "shared" / "vectors"
    path = Path(os.environ.get("IBC_VECTORS_DIR", default))
    if not path.is_dir():
        pytest.skip(f"no conformance vectors at {path}")
    return path


@pytest.fixture
def quick():
    """Disk options that make checkpoints, slices and rebuilding happen within a few blocks."""

    def make(**changes):
        knobs = {
            "map_size": 1 << 26,
            "sync": False,
            "checkpoint_blocks": 3,
            "slice_nodes": 7,
            "nodes_per_write": 1,
            "memory_versions": 2,
            "checkpoint_on_close": False,
        }
        return DiskOptions(**{**knobs, **changes})

    return make
