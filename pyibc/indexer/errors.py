"""Errors of the indexer (codespace `indexer`), and inputs that were not indexed."""

from collections import defaultdict
from typing import NamedTuple

from pyibc.core.errors import IbcError

MAX_LISTED = 1000  # problems of one file that are listed individually


class IndexerError(IbcError):
    """Base class of the errors of codespace `indexer`."""

    codespace = "indexer"


class Reasoned(IndexerError):
    """Base class of the errors that consist of a reason."""

    reason: str
    text = "{reason}"


class MalformedLine(Reasoned, code=2):
    """Line of an export that is truncated, modified or not a block line."""

    text = "not a block line: {reason}"


class ExportConflict(IndexerError, code=3):
    """Block that contradicts the export: the chain was rolled back, or is another chain."""

    chain_id: str
    height: int
    reason: str
    text = "cannot export {chain_id}/{height}: {reason}"


class MalformedRecording(Reasoned, code=4):
    """Document that looks like a node's response and lacks a required field."""


class UnreadableInput(Reasoned, code=5):
    """File that is neither JSON nor a known Parquet table, is too large, or cannot be opened."""


class NothingToIndex(Reasoned, code=6):
    """Data source without a path."""

    text = "nothing to index: {reason}"


class MalformedPacketEvent(Reasoned, code=7):
    """Packet event whose attributes do not identify a packet."""


class MalformedContent(Reasoned, code=8):
    """Message of a transaction, or a client state in it, that cannot be decoded."""


class MalformedRegistry(Reasoned, code=9):
    """File of chain names that does not have the format in docs/indexer-reference.md."""


class EngineFailed(IndexerError, code=22):
    """Engine that rejected or aborted a query, or could not be started."""

    engine: str
    reason: str
    text = "{engine}: {reason}"


class DecodingFailed(IndexerError, code=36):
    """Decoding process that ended before its work was done."""

    file: str
    reason: str
    text = "cannot decode {file}: {reason}"


class IndexBusy(IndexerError, code=24):
    """Result folder that another run is writing to."""

    folder: str
    text = "another run is writing to {folder}: wait until it ends, or choose another folder"


class WorkerUnfit(IndexerError, code=31):
    """Spark worker without Python, with another version of it, or without this package or a dependency."""

    host: str
    reason: str
    text = "Spark worker {host} {reason}"


class FolderUnwritable(IndexerError, code=39):
    """Result folder that cannot be created or written to."""

    folder: str
    reason: str
    text = "cannot write to {folder}: {reason}"


class NoResults(IndexerError, code=40):
    """Folder to which no run has written results."""

    folder: str
    text = "there are no results in {folder}: run `pyibc index INPUT --out {folder}` first"


class StorageUnreachable(IndexerError, code=25):
    """Folder or store that cannot be listed or read."""

    place: str
    reason: str
    text = "cannot reach {place}: {reason}"


class UnusableFolder(IndexerError, code=32):
    """Name of a result folder that the libraries for Parquet and Delta tables would misinterpret."""

    folder: str
    text = (
        "results cannot be in {folder!a}: use a name without brackets, backslashes, ^, |, control characters,"
        " name=value, percent escapes such as %41, bytes that are not UTF-8, and # or ? in a URL, which table"
        " libraries misread"
    )


class DamagedLog(IndexerError, code=33):
    """Log of a stream's byte ranges, or Delta table, with a missing file or a missing or malformed entry."""

    place: str
    reason: str
    text = (
        "{place} {reason}: restore it from a backup, or index all inputs again into a new folder (a stream of"
        " your own: with a new stateLocation)"
    )


class DamagedTable(IndexerError, code=38):
    """File of a Delta table that differs from its checksums: the disk has changed it."""

    file: str
    checksums: str  # name of the file with them, in the same folder
    text = "{file} differs from its checksums in {checksums}: restore the results, or use a new folder"


class DeltaMissing(Reasoned, code=35):
    """Spark session without Delta Lake."""

    text = "the Spark session has no Delta Lake ({reason}): start Spark with {settings}"
    settings: str


class MalformedAssets(IndexerError, code=34):
    """File of `--assets`, or `chain.json` beside it, that cannot be read or has another format."""

    file: str
    reason: str
    text = (
        "{file} cannot be used: {reason} (asset lists are the files assetlist.json of the chain registry; the"
        " chain.json beside one names its chain)"
    )


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
