"""Errors of the indexer (codespace `indexer`): bad exports, bad recordings, bad use."""

from typing import ClassVar

from ibc_core.errors import IbcError


class IndexerError(IbcError):
    """Any error of codespace `indexer`."""

    codespace: ClassVar[str] = "indexer"


class MalformedLine(IndexerError):
    """A line of an export that is cut, edited or was never one."""

    reason: str
    code: ClassVar[int] = 2
    text: ClassVar[str] = "not a block line: {reason}"


class ExportConflict(IndexerError):
    """A height was exported before with other content: the chain was rolled back, or is another chain."""

    chain_id: str
    height: int
    reason: str
    code: ClassVar[int] = 3
    text: ClassVar[str] = "cannot export {chain_id}/{height}: {reason}"


class MalformedRecording(IndexerError):
    """A document that looks like a node's answer and lacks something it must have."""

    reason: str
    code: ClassVar[int] = 4
    text: ClassVar[str] = "{reason}"


class UnreadableInput(IndexerError):
    """A file that is no JSON, no Parquet table we know, too large, or cannot be opened."""

    reason: str
    code: ClassVar[int] = 5
    text: ClassVar[str] = "{reason}"


class NothingToIndex(IndexerError):
    """The data source was given no path."""

    reason: str
    code: ClassVar[int] = 6
    text: ClassVar[str] = "nothing to index: {reason}"


class MalformedPacketEvent(IndexerError):
    """An event named like a packet's that does not say which packet."""

    reason: str
    code: ClassVar[int] = 7
    text: ClassVar[str] = "{reason}"


class MalformedContent(IndexerError):
    """A message of a transaction, or a claim in it, that cannot be read."""

    reason: str
    code: ClassVar[int] = 8
    text: ClassVar[str] = "{reason}"


class MalformedRegistry(IndexerError):
    """A file of names of chains, given by the user, that is not in the form of docs/indexer.md."""

    reason: str
    code: ClassVar[int] = 9
    text: ClassVar[str] = "{reason}"


class MalformedManifest(IndexerError):
    """A sealed range whose manifest or files are not as they were written."""

    reason: str
    code: ClassVar[int] = 20
    text: ClassVar[str] = "a manifest that {reason}"


class EngineFailed(IndexerError):
    """The engine refused or broke off a query, or could not be started."""

    engine: str
    reason: str
    code: ClassVar[int] = 22
    text: ClassVar[str] = "{engine}: {reason}"


class SealingFailed(IndexerError):
    """A process that sealed ranges ended before its work was done."""

    file: str
    reason: str
    code: ClassVar[int] = 21
    text: ClassVar[str] = "cannot seal {file}: {reason}"


class MalformedState(IndexerError):
    """Result tables of an earlier run whose state or files are not as they were left: they are made anew."""

    reason: str
    code: ClassVar[int] = 23
    text: ClassVar[str] = "a tables.json that {reason}"


class IndexBusy(IndexerError):
    """Another run writes to the folder of results."""

    folder: str
    code: ClassVar[int] = 24
    text: ClassVar[str] = "another run writes to {folder}"


class WorkerUnfit(IndexerError):
    """A worker of Spark's has no Python, another Python, or not this package with what it needs."""

    host: str
    reason: str
    code: ClassVar[int] = 31
    text: ClassVar[str] = "Spark's worker {host} {reason}"


class StorageFault(IndexerError):
    """Object storage does not do what it is asked: a run ends by it, and what was there stays."""


class StorageUnreachable(StorageFault):
    """A store does not answer, or not in time: every attempt failed until the deadline."""

    place: str
    reason: str
    code: ClassVar[int] = 25
    text: ClassVar[str] = "cannot reach {place}: {reason}"


class StorageRefused(StorageFault):
    """A store wants other credentials, or others than these may do it."""

    place: str
    reason: str
    code: ClassVar[int] = 26
    text: ClassVar[str] = "no access to {place}: {reason}"


class NoSuchBucket(StorageFault):
    """The bucket that was named is not there: buckets are the operator's to make."""

    place: str
    code: ClassVar[int] = 27
    text: ClassVar[str] = "there is no bucket {place}"


class StorageUnfit(StorageFault):
    """A store, or what is in it, is not as this needs it: see docs/indexer.md, "Object storage"."""

    place: str
    reason: str
    code: ClassVar[int] = 28
    text: ClassVar[str] = "cannot work with {place}: {reason}"


class ObjectChanged(StorageFault):
    """An object is another version than the one that was to be read or replaced."""

    place: str
    code: ClassVar[int] = 29
    text: ClassVar[str] = "{place} was changed by somebody else"


class StorageMissing(StorageFault):
    """What object storage needs is not installed, or cannot be had."""

    what: str
    code: ClassVar[int] = 30
    text: ClassVar[str] = "object storage needs {what}: install pyibc[storage]"


class UnusableFolder(IndexerError):
    """A folder for results that the libraries which write tables would take for another one, or for none."""

    folder: str
    code: ClassVar[int] = 31
    text: ClassVar[str] = (
        "results cannot be in {folder!a}: a backslash, a control character, %41 and its like, or bytes that"
        " are no UTF-8 mean another folder to those who write tables"
    )
