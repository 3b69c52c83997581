"""Errors of the indexer (codespace `indexer`), and inputs that were not indexed."""

from collections import defaultdict
from typing import ClassVar, NamedTuple

from pyibc.core.errors import IbcError

MAX_LISTED = 1000  # problems of one file that are listed individually


class IndexerError(IbcError):
    """Base class of the errors of codespace `indexer`."""

    codespace: ClassVar[str] = "indexer"


class MalformedLine(IndexerError):
    """Line of an export that is truncated, modified or not a block line."""

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "not a block line: {reason}"


class ExportConflict(IndexerError):
    """Block that contradicts the export: the chain was rolled back, or is another chain."""

    chain_id: str
    height: int
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "cannot export {chain_id}/{height}: {reason}"


class MalformedRecording(IndexerError):
    """Document that looks like a node's response and lacks a required field."""

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "{reason}"


class UnreadableInput(IndexerError):
    """File that is neither JSON nor a known Parquet table, is too large, or cannot be opened."""

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "{reason}"


class NothingToIndex(IndexerError):
    """Data source without a path."""

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "nothing to index: {reason}"


class MalformedPacketEvent(IndexerError):
    """Packet event whose attributes do not identify a packet."""

    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "{reason}"


class MalformedContent(IndexerError):
    """Message of a transaction, or a client state in it, that cannot be decoded."""

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "{reason}"


class MalformedRegistry(IndexerError):
    """File of chain names that does not have the format in docs/indexer-reference.md."""

    reason: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "{reason}"


class EngineFailed(IndexerError):
    """Engine that rejected or aborted a query, or could not be started."""

    engine: str
    reason: str
    code: ClassVar[int] = 22
    text: ClassVar[str] = "{engine}: {reason}"


class DecodingFailed(IndexerError):
    """Decoding process that ended before its work was done."""

    file: str
    reason: str
    code: ClassVar[int] = 36
    text: ClassVar[str] = "cannot decode {file}: {reason}"


class IndexBusy(IndexerError):
    """Result folder that another run is writing to."""

    folder: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "another run is writing to {folder}"


class WorkerUnfit(IndexerError):
    """Spark worker without Python, with another version of it, or without this package or a dependency."""

    host: str
    reason: str
    code: ClassVar[int] = 31
    text: ClassVar[str] = "Spark worker {host} {reason}"


class StorageUnreachable(IndexerError):
    """Folder or store that cannot be listed or read."""

    place: str
    reason: str
    code: ClassVar[int] = 25
    text: ClassVar[str] = "cannot reach {place}: {reason}"


class UnusableFolder(IndexerError):
    """Name of a result folder that the libraries for Parquet and Delta tables would misinterpret."""

    folder: str
    code: ClassVar[int] = 32
    text: ClassVar[str] = (
        "results cannot be in {folder!a}: use a name without brackets, backslashes, ^, |, control characters,"
        " name=value, percent escapes such as %41 and bytes that are not UTF-8, which table libraries misread"
    )


class DamagedLog(IndexerError):
    """Log of a stream's byte ranges with a missing or malformed entry."""

    place: str
    reason: str
    code: ClassVar[int] = 33
    text: ClassVar[str] = (
        "{place} {reason}: restore it, or begin again with a new stateLocation and checkpoint"
    )


class DeltaMissing(IndexerError):
    """Spark session without Delta Lake."""

    reason: str
    code: ClassVar[int] = 35
    text: ClassVar[str] = "the Spark session has no Delta Lake ({reason}): start Spark with {settings}"
    settings: str


class MalformedAssets(IndexerError):
    """File of `--assets` that is not an asset list of the chain registry, or has too many entries."""

    file: str
    reason: str
    code: ClassVar[int] = 34
    text: ClassVar[str] = "{file} is not an asset list (assetlist.json of the chain registry): {reason}"


class Skipped(NamedTuple):
    """File or part of a file that was not indexed."""

    file: str
    reason: str


class Problems:
    """Problems with parts of files, of which a limited number per file is listed."""

    def __init__(self) -> None:
        self._listed = list[Skipped]()
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, file: str, reason: str) -> None:
        """Add the reason why a part of a file is not used."""
        self._counts[file] += 1
        if self._counts[file] <= MAX_LISTED:
            self._listed.append(Skipped(file, reason))

    def all(self) -> list[Skipped]:
        """Return the listed problems, and the number of the others by file."""
        beyond = [
            Skipped(file, f"{number - MAX_LISTED} more lines with problems")
            for file, number in self._counts.items()
            if number > MAX_LISTED
        ]
        return self._listed + beyond
