"""cosmos/solidity-ibc-eureka: client, header and proofs as a live ibc-go chain wrote them."""

from functools import partial
from pathlib import Path
from typing import Any

from conformance import memory
from conformance.case import Cases, Check, expect, is_object, refusal
from conformance.files import json_in
from light_client.interface import Claim
from light_client.tendermint import states, store
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.codec import HEADER_TYPE_URL, decode_client_header, encode_client_header
from light_client.tendermint.store import Processed
from light_client.tendermint.updates import height_of
from pyibc.codec.anys import AnyMessage
from pyibc.core.height import Height
from pyibc.core.host.overlay import BlockContext

_CLIENT = "07-tendermint-0"
_NEGATIVE = ("malformed", "invalid", "wrong", "expired", "future")
_Json = dict[str, Any]


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file of solidity-ibc-eureka fixtures; None for any other file."""
    data = json_in(path)
    if not is_object(data, "client_state_hex"):
        return None
    cases: list[tuple[str, Check]] = [("states re-encode", partial(_states, data))]
    if "update_client_message" in data:
        negative = any(word in path.stem for word in _NEGATIVE)
        cases.append(("update", partial(_refused_update if negative else _update, data)))
    elif "membership_msg" in data:
        cases.append(("proof", partial(_proof, data["membership_msg"], data)))
        cases.append(("other value", partial(_other_value, data["membership_msg"], data)))
    else:
        return None
    return iter(cases)


def _states(data: _Json) -> None:
    raw = bytes.fromhex(data["client_state_hex"])
    expect(states.encode_client_state(states.decode_client_state(raw)).hex(), raw.hex())
    raw = bytes.fromhex(_consensus_hex(data))
    expect(states.encode_consensus_state(states.decode_consensus_state(raw)).hex(), raw.hex())


def _consensus_hex(data: _Json) -> str:
    text: str = data.get("consensus_state_hex") or data["trusted_consensus_state_hex"]
    return text


def _host(data: _Json, height: int, time_ns: int | None = None) -> BlockContext:
    """Return a block in which the client has the fixture's consensus state at `height`."""
    state = states.decode_client_state(bytes.fromhex(data["client_state_hex"]))
    consensus = states.decode_consensus_state(bytes.fromhex(_consensus_hex(data)))
    ctx = memory.block(consensus.time_ns + 1 if time_ns is None else time_ns)
    store.set_client_state(ctx, _CLIENT, state)
    at = Height(state.latest_height.revision_number, height)
    store.set_consensus_state(ctx, _CLIENT, at, consensus, Processed(ctx.height, ctx.time_ns))
    return ctx


def _verify(message: _Json, data: _Json, value: str) -> None:
    ctx, client = _host(data, message["height"]), TendermintLightClient()
    height = Height(client.latest_height(ctx, _CLIENT).revision_number, message["height"])
    path = tuple(key.encode() for key in message["path"])
    proof = bytes.fromhex(message["proof"])
    delay = (message["delay_time_period"], message["delay_block_period"])
    claim = Claim(height, proof, path, bytes.fromhex(value), *delay)
    if value:
        client.verify_membership(ctx, _CLIENT, claim)
    else:
        client.verify_non_membership(ctx, _CLIENT, claim)


def _proof(message: _Json, data: _Json) -> None:
    _verify(message, data, message.get("value") or "")


def _other_value(message: _Json, data: _Json) -> None:
    """Check that a presence proof does not prove absence, and the reverse."""
    other = "" if message.get("value") else "00"
    expect(refusal(lambda: _verify(message, data, other)), "InvalidProof")


def _header_bytes(data: _Json) -> bytes:
    return bytes.fromhex(data["update_client_message"]["client_message_hex"])


def _update(data: _Json) -> None:
    raw = _header_bytes(data)
    header = decode_client_header(raw)
    expect(encode_client_header(header).hex(), raw.hex())
    ctx, client = (
        _host(data, header.trusted_height.revision_height, header.header.time_ns),
        TendermintLightClient(),
    )
    message = AnyMessage(HEADER_TYPE_URL, raw)
    client.verify_client_message(ctx, _CLIENT, message)
    expect(client.check_for_misbehaviour(ctx, _CLIENT, message), False)
    expect(client.update_state(ctx, _CLIENT, message), [height_of(header)])
    expect(client.timestamp_at_height(ctx, _CLIENT, height_of(header)), header.header.time_ns)


def _refused_update(data: _Json) -> None:
    state = states.decode_client_state(bytes.fromhex(data["client_state_hex"]))
    trusted = states.decode_consensus_state(bytes.fromhex(_consensus_hex(data)))
    ctx = _host(data, state.latest_height.revision_height, trusted.time_ns + state.trusting_period_ns)
    message = AnyMessage(HEADER_TYPE_URL, _header_bytes(data))
    refused = refusal(lambda: TendermintLightClient().verify_client_message(ctx, _CLIENT, message))
    expect(bool(refused), True)
