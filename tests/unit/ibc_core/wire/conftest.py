import base64
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[4]


class Transcripts:
    """ibc-go's transcripts, read file by file."""

    def __init__(self, folder: Path) -> None:
        self._files = sorted(folder.glob("*.json.gz"))

    def _documents(self, without: str = " ") -> Iterator[dict[str, Any]]:
        for path in self._files:
            if without in path.name:
                continue
            with gzip.open(path) as file:
                yield json.load(file)

    def steps(self, without: str = " ") -> Iterator[dict[str, Any]]:
        for document in self._documents(without):
            yield from document["steps"]

    def txs(self, without: str = " ") -> Iterator[dict[str, Any]]:
        for step in self.steps(without):
            yield from step.get("txs") or ()

    def stored(self) -> Iterator[tuple[bytes, bytes]]:
        """Every entry that an `ibc` store was given."""
        for document in self._documents():
            for chain in document["chains"]:
                for entry in chain["stores"]["ibc"]["entries"]:
                    yield base64.b64decode(entry["key_b64"]), base64.b64decode(entry["value_b64"])
            for step in document["steps"]:
                for entry in step["ibc_store_changes"]:
                    if entry["value_b64"]:
                        yield base64.b64decode(entry["key_b64"]), base64.b64decode(entry["value_b64"])


@pytest.fixture(scope="session")
def transcripts() -> Transcripts:
    root = Path(os.environ.get("IBC_VECTORS_DIR") or REPOSITORY.parent / "shared" / "vectors")
    folder = root / "ibcgo-transcripts"
    if not folder.is_dir():
        pytest.skip(f"no transcripts of ibc-go at {folder}: set IBC_VECTORS_DIR")
    return Transcripts(folder)
