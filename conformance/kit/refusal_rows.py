"""Refusal rows shared by many messages: signers, packets, proofs, clients."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.kit.mutate_state import allow_clients, change_channel, change_connection, freeze_client
from conformance.kit.refusals import Change, Row, mutating, packet_setting, setting
from conformance.kit.sides import side_of
from conformance.kit.staged_block import StagedBlock
from light_client.tendermint import store
from pyibc.core.channel.types import ChannelState
from pyibc.core.errors import (
    ClientNotActive,
    ClientRouteNotFound,
    ConsensusStateNotFound,
    DelayPeriodNotPassed,
    InvalidAddress,
    InvalidClientType,
    InvalidHeight,
    InvalidIdentifier,
    InvalidMerkleProof,
    InvalidPacket,
    InvalidProof,
)
from pyibc.core.height import Height
from pyibc.core.host.context import WriteContext
from pyibc.core.packet.types import MAX_DATA_SIZE

DAY_NS = 86_400 * 10**9
NEVER_PASSES = 10 * DAY_NS

_NO_SIGNER = {
    "empty": "",
    "blank": "  ",
    "not bech32": "nobody",
    "of another chain": "osmo1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5z5tpwxqergd3c8g7rusqm0c2f6",
    "with a wrong checksum": "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5aaaaaa",
    "in mixed case": "cosmos1Qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu",
}


def signer_rows() -> list[Row]:
    """Return rows with an invalid signer address."""
    return [
        Row(f"signer {name}", setting(signer=text), InvalidAddress, {"field": "signer", "value": text[:64]})
        for name, text in _NO_SIGNER.items()
    ]


def packet_rows() -> list[Row]:
    """Return rows with a packet that is invalid in any state."""
    port, channel = {"kind": "port"}, {"kind": "channel"}
    return [
        Row("source port with newline", packet_setting(port_id_on_a="mock\n"), InvalidIdentifier, port),
        Row("source port empty", packet_setting(port_id_on_a=""), InvalidIdentifier, port),
        Row("destination port short", packet_setting(port_id_on_b="m"), InvalidIdentifier, port),
        Row("destination port long", packet_setting(port_id_on_b="m" * 129), InvalidIdentifier, port),
        Row("source channel empty", packet_setting(channel_id_on_a=""), InvalidIdentifier, channel),
        Row("source channel short", packet_setting(channel_id_on_a="channel"), InvalidIdentifier, channel),
        Row("destination channel long", packet_setting(channel_id_on_b="c" * 65), InvalidIdentifier, channel),
        Row(
            "destination channel with slash",
            packet_setting(channel_id_on_b="channel-1/x"),
            InvalidIdentifier,
            channel,
        ),
        Row("sequence 0", packet_setting(sequence=0), InvalidPacket, {"reason": "sequence 0"}),
        Row("no timeout", packet_setting(timeout_height_on_b=Height(0, 0), timeout_ns_on_b=0), InvalidPacket),
        Row("no data", packet_setting(data=b""), InvalidPacket, {"reason": "no data"}),
        Row(
            "too much data",
            packet_setting(data=b"x" * (MAX_DATA_SIZE + 1)),
            InvalidPacket,
            {"reason": "262145 bytes of data exceed 262144"},
        ),
    ]


def proof_rows(proof: str, height: str, what: str) -> list[Row]:
    """Return rows with an invalid proof (field `proof`) or height (field `height`).

    `what` is the name of the proof in errors.
    """
    return [
        Row("no proof", setting(**{proof: b""}), InvalidProof, {"reason": f"empty {what} proof"}),
        Row("proof is garbage", setting(**{proof: b"garbage"}), InvalidProof),
        Row("proof is one empty proof", setting(**{proof: b"\x0a\x00"}), InvalidMerkleProof),
        Row("proof is two empty proofs", setting(**{proof: b"\x0a\x00\x0a\x00"}), InvalidProof),
        Row("proof cut off", lambda _, m: replace(m, **{proof: getattr(m, proof)[:-1]}), InvalidProof),
        Row("proof with a tail", lambda _, m: replace(m, **{proof: getattr(m, proof) + b"x"}), InvalidProof),
        Row("height from the future", setting(**{height: Height(1, 10**6)}), InvalidHeight),
        Row("height of another revision", setting(**{height: Height(2, 1)}), InvalidHeight),
        Row("height that the client skipped", _skipped(height), ConsensusStateNotFound),
        Row("height zero", setting(**{height: Height(0, 0)}), ConsensusStateNotFound),
        Row("height of an older state", _older(height), InvalidProof),
    ]


def _skipped(height: str) -> Change:
    """Return the highest height below the latest one without a consensus state."""

    def applied(stage: StagedBlock, message: Any) -> Any:
        client_id = side_of(stage.ctx).client_id
        at = store.client_state(stage.ctx, client_id).latest_height
        while store.find_consensus_state(stage.ctx, client_id, at) is not None:
            at = at._replace(revision_height=at.revision_height - 1)
        return replace(message, **{height: at})

    return applied


def _older(height: str) -> Change:
    """Return the oldest height the client knows, which has another root than the proof's."""

    def applied(stage: StagedBlock, message: Any) -> Any:
        return replace(message, **{height: store.oldest_height(stage.ctx, side_of(stage.ctx).client_id)})

    return applied


def client_rows(connection_id: str = "") -> list[Row]:
    """Return rows in which the client of the connection, by default the pair's, cannot be used."""
    other = partial(connected_by, connection_id)
    return [
        Row("client frozen", mutating(_freeze), ClientNotActive, {"status": "Frozen"}),
        Row("client expired", mutating(_expire), ClientNotActive, {"status": "Expired"}),
        Row("client unknown", other(client_id="07-tendermint-9"), ClientNotActive, {"status": "Unknown"}),
        Row("client type not allowed", mutating(_disallow), InvalidClientType),
        Row("client type not registered", other(client_id="solo-0"), ClientRouteNotFound),
        Row("client id malformed", other(client_id="tendermint"), InvalidIdentifier),
    ]


def delay_row() -> Row:
    """Return a row in which the connection's delay period has not passed."""
    return Row("delay not passed", connected_by(delay_period_ns=NEVER_PASSES), DelayPeriodNotPassed)


def connected_by(connection_id: str = "", **changes: Any) -> Change:
    """Replace fields of a connection, by default the pair's."""
    return mutating(
        lambda ctx, _: change_connection(ctx, connection_id or side_of(ctx).connection_id, **changes)
    )


def source_channel(**changes: Any) -> Change:
    """Replace fields of the packet's channel end on A."""
    return mutating(
        lambda ctx, msg: change_channel(ctx, msg.packet.port_id_on_a, msg.packet.channel_id_on_a, **changes)
    )


def destination_channel(**changes: Any) -> Change:
    """Replace fields of the packet's channel end on B."""
    return mutating(
        lambda ctx, msg: change_channel(ctx, msg.packet.port_id_on_b, msg.packet.channel_id_on_b, **changes)
    )


CHANNEL_STATES = (ChannelState.INIT, ChannelState.TRYOPEN, ChannelState.CLOSED)


def _freeze(ctx: WriteContext, _: Any) -> None:
    freeze_client(ctx, side_of(ctx).client_id)


def _expire(ctx: Any, _: Any) -> None:
    ctx.time_ns += 15 * DAY_NS


def _disallow(ctx: WriteContext, _: Any) -> None:
    allow_clients(ctx, "06-solomachine")


def bit_flips(message: Any, proof: str) -> Iterator[Any]:
    """Return copies of the message, each with one bit flipped in a different byte of field `proof`."""
    raw = getattr(message, proof)
    for at in range(len(raw)):
        spoilt = bytearray(raw)
        spoilt[at] ^= 1 << at % 8
        yield replace(message, **{proof: bytes(spoilt)})
