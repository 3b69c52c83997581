import pytest

pytest.importorskip("obstore", reason="pyibc[storage] is not installed")

from pyibc.indexer.storage import client, lease
from pyibc.indexer.storage.copies import copies
from tests.object_server import object_server


@pytest.fixture
def server(monkeypatch):
    """Object storage server for tests, configured in the environment, with short timeouts."""
    with object_server() as running:
        for name, value in running.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("PYIBC_STORAGE_DEADLINE", "20")  # tolerates a busy machine
        monkeypatch.setattr(client, "ATTEMPTS", 3)
        for name, value in (("BEAT_S", 0.1), ("LOST_S", 5.0), ("DEAD_S", 0.6), ("LOOK_S", 0.1)):
            monkeypatch.setattr(lease, name, value)
        client._bucket.cache_clear()
        copies.cache_clear()
        yield running


@pytest.fixture
def objects(server):
    """Objects in the bucket `chains`."""
    return server.buckets["chains"]
