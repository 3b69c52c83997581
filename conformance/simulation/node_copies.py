"""Checks on copies of a node, outside of the network: disk corruption, and false snapshots."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

from abci_server.messages.requests import (
    ApplyResult,
    OfferResult,
    RequestApplySnapshotChunk,
    RequestOfferSnapshot,
)
from conformance.simulation.nodes import USERS, Node
from iavl import CorruptDatabase
from localnet.chain import STATE, LocalChain
from localnet.endpoint import LocalEndpoint
from pyibc.chain.app import HostApp
from pyibc.chain.bank.keeper import STORE as BANK
from pyibc.chain.bank.keeper import holder_prefix
from pyibc.chain.bank.send import MSG_SEND
from pyibc.chain.comet.snapshots import snapshot_of
from pyibc.chain.comet.state_sync import SnapshotRestorer
from pyibc.codec.anys import AnyMessage
from pyibc.core.host.block import CommittedBlock
from pyibc.proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin

DATA = "data.mdb"
CHUNK = 4_096
"""Chunk size of snapshots, bytes; small enough for a small state to have several."""


class Undetected(AssertionError):
    """Corrupted or false data was not refused."""


def check_disk_corruption(node: Node, folder: Path, choice: Random) -> None:
    """Change a digit of a user's balance on a copy of the disk, and run a node on it.

    Args:
        node: The node, which is down and has a home.
        folder: Folder for the copies, which does not exist yet.
        choice: Chooses the balance and the digit.

    Raises:
        Undetected: the node makes other blocks than with an intact copy, or fails for another reason.
    """
    user, denom = choice.choice(USERS), node.identity.denom
    key = holder_prefix(node.identity.wallet(user).address.raw) + denom.encode()
    try:
        shutil.copytree(node.home, folder / "sound")
        with closing(node.twin(folder / "sound")) as sound:
            balance = sound.get(key, BANK)
        if balance is None:
            return
        shutil.copytree(folder / "sound", folder / "rotten")
        corrupt_leaf(folder / "rotten" / STATE / DATA, key + balance, choice.randrange(len(balance)))
        with closing(node.twin(folder / "sound")) as sound:
            paid = _paid(node, sound, user)
        if _takes(node, folder / "rotten", paid):
            raise Undetected(f"{node.identity.chain_id}: a corrupted balance was spent")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def corrupt_leaf(file: Path, record: bytes, digit: int) -> int:
    """Change a byte of a leaf's value wherever it is stored in the file; return the number of places.

    Args:
        file: The file to change.
        record: The leaf's key and value.
        digit: Index of the byte, counted from the value's end.
    """
    raw, places = bytearray(file.read_bytes()), 0
    at = raw.find(record)
    while at >= 0:
        raw[at + len(record) - 1 - digit] ^= 1
        places += 1
        at = raw.find(record, at + len(record))
    file.write_bytes(raw)
    return places


def _paid(node: Node, chain: LocalChain, user: str) -> CommittedBlock:
    """Return a block with a payment between two users."""
    payer = node.identity.wallet(user)
    receiver = node.identity.wallet(next(name for name in USERS if name != user)).address.text
    coins = [Coin(denom=node.identity.denom, amount="1")]
    message = MsgSend(from_address=payer.address.text, to_address=receiver, amount=coins)
    LocalEndpoint(chain, payer).submit([AnyMessage(MSG_SEND, message.SerializeToString())])
    return chain.block(chain.height)


def _takes(node: Node, home: Path, block: CommittedBlock) -> bool:
    """Return whether a node on this home makes a different block of these transactions, instead of none."""
    try:
        with closing(node.twin(home)) as chain:
            made = chain.make_block([each.tx for each in block.txs], block.time_ns)
    except CorruptDatabase:
        return False
    return made.app_hash != block.app_hash


class _Past(NamedTuple):
    """A state to start a node from."""

    height: int
    app_hash: bytes
    chunks: tuple[bytes, ...]


def check_state_sync(node: Node, choice: Random) -> None:
    """Restore a node from the state before the last block: first from a false snapshot, then from a true one.

    Args:
        node: The node, which is up and has at least two blocks.
        choice: Chooses the change to the snapshot.

    Raises:
        Undetected: the false snapshot is accepted, the true one refused, or the last block has another
            result.
    """
    chain, newcomer = node.chain, node.newcomer()
    with closing(newcomer.store):
        past = _past(chain)
        if _restored(newcomer, past, _lie(past.chunks, choice)):
            raise Undetected(f"{chain.chain_id}: a false state of height {past.height} was accepted")
        if not _restored(newcomer, past, past.chunks):
            raise Undetected(f"{chain.chain_id}: the true state of height {past.height} was refused")
        record = chain.record(chain.height)
        done = newcomer.finalize_block(
            record.header.time_ns, [each.tx for each in record.result.txs], record.header.next_validators_hash
        )
        if done.app_hash != record.result.app_hash:
            raise Undetected(
                f"{chain.chain_id}: a restored node has another app hash after block {chain.height}"
            )


def _past(chain: LocalChain) -> _Past:
    store, height = chain.app.store, chain.height - 1
    return _Past(height, store.info(height).app_hash, tuple(store.export(height, CHUNK)))


def _lie(chunks: Sequence[bytes], choice: Random) -> list[bytes]:
    """Change one byte of a chunk or truncate the last one.

    The chunk hashes are those of the changed chunks.
    """
    told = list(chunks)
    if choice.random() < 0.2:
        return [*told[:-1], told[-1][:-1]]
    number = choice.randrange(len(told))
    changed = bytearray(told[number])
    changed[choice.randrange(len(changed))] ^= choice.randint(1, 255)
    told[number] = bytes(changed)
    return told


def _restored(newcomer: HostApp, past: _Past, chunks: Sequence[bytes]) -> bool:
    """Return whether an empty node accepts these chunks for the given app hash."""
    restorer = SnapshotRestorer(newcomer)
    snapshot = snapshot_of(past.height, b"".join(sha256(chunk).digest() for chunk in chunks))
    if restorer.offer(RequestOfferSnapshot(snapshot, past.app_hash)) != OfferResult.ACCEPT:
        return False
    for index, chunk in enumerate(chunks):
        answer = restorer.apply(RequestApplySnapshotChunk(index, chunk, "peer"))
        if answer.result != ApplyResult.ACCEPT:
            return False
    return newcomer.info().height == past.height
