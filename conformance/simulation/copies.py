"""What befalls copies of a node, of which the network never hears: a disk that rots, snapshots of a liar."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

from abci_server.requests import RequestApplySnapshotChunk, RequestOfferSnapshot
from abci_server.values import ApplyResult, OfferResult
from conformance.simulation.nodes import USERS, Node
from iavl import CorruptDatabase
from ibc_core.any_message import AnyMessage
from ibc_core.host.block import CommittedBlock
from ibc_proto.cosmos.bank.v1beta1.tx_pb2 import MsgSend
from ibc_proto.cosmos.base.v1beta1.coin_pb2 import Coin
from localnet.chain import STATE, LocalChain
from localnet.comet.snapshots import snapshot_of
from localnet.comet.statesync import SnapshotRestorer
from localnet.endpoint import LocalEndpoint
from localnet.host.app import HostApp
from localnet.host.bank import STORE as BANK
from localnet.host.bank import holder_prefix
from localnet.host.bank_send import MSG_SEND

DATA = "data.mdb"
CHUNK = 4_096
"""Bytes of a snapshot's chunks: a small state has several."""


class Unnoticed(AssertionError):
    """What should have been refused was not."""


def rots(node: Node, folder: Path, choice: Random) -> None:
    """A digit of somebody's balance changes on a copy of the disk, and that node goes on.

    Args:
        node: is down, and has a home.
        folder: for the copies; is not there.
        choice: of the balance and the digit.

    Raises:
        Unnoticed: it makes other blocks than a node with a sound copy, or none for another reason.
    """
    user, denom = choice.choice(USERS), node.terms.denom
    key = holder_prefix(node.terms.wallet(user).address.raw) + denom.encode()
    try:
        shutil.copytree(node.home, folder / "sound")
        with closing(node.twin(folder / "sound")) as sound:
            balance = sound.get(key, BANK)
        if balance is None:
            return
        shutil.copytree(folder / "sound", folder / "rotten")
        spoil(folder / "rotten" / STATE / DATA, key + balance, choice.randrange(len(balance)))
        with closing(node.twin(folder / "sound")) as sound:
            paid = _paid(node, sound, user)
        if _takes(node, folder / "rotten", paid):
            raise Unnoticed(f"{node.terms.chain_id}: a balance is spent that a rotten disk says")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def spoil(file: Path, record: bytes, digit: int) -> int:
    """Changes a byte of a leaf's value wherever the leaf stands in the file; returns at how many places.

    Args:
        file: is changed.
        record: the leaf's key and value.
        digit: which byte, counted from the value's end.
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
    """The block in which a user pays another one."""
    payer = node.terms.wallet(user)
    receiver = node.terms.wallet(next(name for name in USERS if name != user)).address.text
    coins = [Coin(denom=node.terms.denom, amount="1")]
    message = MsgSend(from_address=payer.address.text, to_address=receiver, amount=coins)
    LocalEndpoint(chain, payer).submit([AnyMessage(MSG_SEND, message.SerializeToString())])
    return chain.block(chain.height)


def _takes(node: Node, home: Path, block: CommittedBlock) -> bool:
    """Whether a node on this home makes another block of these transactions, not this one or none."""
    try:
        with closing(node.twin(home)) as chain:
            made = chain.make_block([each.tx for each in block.txs], block.time_ns)
    except CorruptDatabase:
        return False
    return made.app_hash != block.app_hash


class _Past(NamedTuple):
    """A state that somebody starts from."""

    height: int
    app_hash: bytes
    chunks: tuple[bytes, ...]


def syncs(node: Node, choice: Random) -> None:
    """Somebody starts from the state before the last block: first a liar's, then the chain's own.

    Args:
        node: is up, and has two blocks.
        choice: of the lie.

    Raises:
        Unnoticed: a lie is taken, the truth is not, or the last block comes to something else with it.
    """
    chain, newcomer = node.chain, node.newcomer()
    with closing(newcomer.store):
        past = _past(chain)
        if _restored(newcomer, past, _lie(past.chunks, choice)):
            raise Unnoticed(f"{chain.chain_id}: a state of height {past.height} is taken that nobody made")
        if not _restored(newcomer, past, past.chunks):
            raise Unnoticed(f"{chain.chain_id}: its own state of height {past.height} is refused")
        record = chain.record(chain.height)
        done = newcomer.finalize_block(
            record.header.time_ns, [each.tx for each in record.result.txs], record.header.next_validators_hash
        )
        if done.app_hash != record.result.app_hash:
            raise Unnoticed(
                f"{chain.chain_id}: a restored node has another app hash after block {chain.height}"
            )


def _past(chain: LocalChain) -> _Past:
    store, height = chain.app.store, chain.height - 1
    return _Past(height, store.info(height).app_hash, tuple(store.export(height, CHUNK)))


def _lie(chunks: Sequence[bytes], choice: Random) -> list[bytes]:
    """One byte is another, or the end lacks; with hashes that fit, as its maker would have it."""
    told = list(chunks)
    if choice.random() < 0.2:
        return [*told[:-1], told[-1][:-1]]
    number = choice.randrange(len(told))
    changed = bytearray(told[number])
    changed[choice.randrange(len(changed))] ^= choice.randint(1, 255)
    told[number] = bytes(changed)
    return told


def _restored(newcomer: HostApp, past: _Past, chunks: Sequence[bytes]) -> bool:
    """Whether a node without a state takes these chunks for the state that it knows the hash of."""
    restorer = SnapshotRestorer(newcomer)
    snapshot = snapshot_of(past.height, b"".join(sha256(chunk).digest() for chunk in chunks))
    if restorer.offer(RequestOfferSnapshot(snapshot, past.app_hash)) != OfferResult.ACCEPT:
        return False
    for index, chunk in enumerate(chunks):
        answer = restorer.apply(RequestApplySnapshotChunk(index, chunk, "peer"))
        if answer.result != ApplyResult.ACCEPT:
            return False
    return newcomer.info().height == past.height
