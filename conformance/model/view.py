"""Content of a chain's stores that the reference model expects, with hand-written keys and hashes."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from conformance.kit.paired_chain import PairedChain
from conformance.kit.scripted_app import STORE
from conformance.model.reference import Chain, End, Place
from conformance.model.v2 import SENTINEL
from light_client.tendermint.states import load_client_state
from pyibc.core.address import AddressCodec
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet_v2.types import decode_config, decode_counterparty
from pyibc.core.wire.states import decode_channel_end

_ADDRESSES = AddressCodec("cosmos")

View = dict[str, Any]
"""Name of an entry -> its content; two chains agree if their views are equal."""

_KINDS = (b"channelEnds/", b"nextSequence", b"commitments/", b"receipts/", b"acks/")
_SENTINEL = sha256(b"UNIVERSAL_ERROR_ACKNOWLEDGEMENT").digest()


def view_of_model(chain: Chain) -> View:
    """Return the expected content of the stores."""
    state, client = chain.state, chain.client
    view: View = {"nextChannelSequence": _be8(state.channels), "frozen": state.frozen}
    view |= {_at("channelEnds", place): end for place, end in state.ends.items()}
    view |= dict(_sequences(chain))
    view |= {_entry("commitments", key): _promise(value) for key, value in state.commitments.items()}
    view |= {_entry("receipts", key): b"\x01" if _is_v1(key) else b"\x02" for key in state.receipts}
    view |= {_entry("acks", key): _answer(key, value) for key, value in state.acks.items()}
    view |= {_v2_key(client, b"async_packet", sequence): True for client, sequence in state.waiting}
    for height, (came_at, came_ns) in state.seen.items():
        name = f"clients/{client}/consensusStates/1-{height}"
        view |= {f"{name}/processedTime": _be8(came_ns), f"{name}/processedHeight": f"1-{came_at}".encode()}
    view |= {
        "last": state.last,
        "latest": max(state.seen),
        "counterparty": state.counterparty,
        "relayers": state.relayers,
    }
    coins = {key: amount for key, amount in state.coins.items() if amount}
    return view | {"coins": {(_holder(chain, who), bank_denom(path)): n for (who, path), n in coins.items()}}


def view_of_chain(side: PairedChain) -> View:
    """Return the actual content of the stores."""
    ctx, client = side.chain.app.query_context(), side.client_id
    view: View = {"nextChannelSequence": ctx.ibc.get(b"nextChannelSequence") or _be8(0)}
    for key, value in ctx.ibc.iterate(b"\x00", None):
        if key.startswith((*_KINDS, client.encode())) and key not in _COUNTERS:
            view |= _shown(key, value)
        elif key.startswith(f"clients/{client}/consensusStates/".encode()) and b"/processed" in key:
            view[key.decode()] = value
    state = load_client_state(ctx.ibc.get(f"clients/{client}/clientState".encode()) or b"")
    view |= {"latest": state.latest_height.revision_height, "frozen": not state.frozen_height.is_zero}
    return view | _beside(ctx, client) | {"coins": dict(_coins(side, ctx))}


_COUNTERS = (b"nextChannelSequence",)


def _shown(key: bytes, value: bytes) -> View:
    name = key.decode("latin-1")
    if name.startswith("channelEnds/"):
        end = decode_channel_end(value)
        far = (end.counterparty.port_id, end.counterparty.channel_id)
        return {
            name: End(end.state.name, end.ordering.name == "ORDERED", far, end.connection_id, end.version)
        }
    return {name: True if b"async_packet" in key else value}


def _beside(ctx: BlockContext, client: str) -> View:
    counterparty = ctx.ibc.get(f"clients/{client}/counterparty".encode())
    config = ctx.ibc.get(f"clients/{client}/config".encode())
    return {
        "last": ctx.reader(STORE).get(b"last") or b"",
        "counterparty": decode_counterparty(counterparty).client_id if counterparty else "",
        "relayers": decode_config(config) if config else (),
    }


def _coins(side: PairedChain, ctx: BlockContext) -> Iterator[tuple[tuple[bytes, str], int]]:
    for address, denom, amount in side.chain.app.bank.all_balances(ctx):
        if denom != "stake":
            yield (address, denom), amount


def _sequences(chain: Chain) -> Iterator[tuple[str, bytes]]:
    counters = {"Send": chain.state.send, "Recv": chain.state.recv, "Ack": chain.state.ack}
    for name, counter in counters.items():
        for place, number in counter.items():
            key = f"nextSequence{name}"
            yield (f"{key}/{place}" if isinstance(place, str) else _at(key, place)), _be8(number)


def _at(kind: str, place: Place) -> str:
    return f"{kind}/ports/{place[0]}/channels/{place[1]}"


def _is_v1(key: tuple[Any, int]) -> bool:
    return isinstance(key[0], tuple)


def _entry(kind: str, key: tuple[Any, int]) -> str:
    place, sequence = key
    if isinstance(place, tuple):
        return f"{_at(kind, place)}/sequences/{sequence}"
    return _v2_key(place, {"commitments": b"\x01", "receipts": b"\x02", "acks": b"\x03"}[kind], sequence)


def _v2_key(client: str, kind: bytes, sequence: int) -> str:
    return (client.encode() + kind + _be8(sequence)).decode("latin-1")


def _promise(promise: tuple[Any, ...]) -> bytes:
    if isinstance(promise[0], bytes):
        data, height, time_ns = promise
        revision = 1 if height else 0
        return _hash(_be8(time_ns) + _be8(revision) + _be8(height) + _hash(data))
    destination, until_s, payload = promise
    parts = [_hash(part if isinstance(part, bytes) else part.encode()) for part in payload]
    payloads = _hash(_hash(b"".join(parts)))
    return _hash(b"\x02" + _hash(destination.encode()) + _hash(_be8(until_s)) + payloads)


def _answer(key: tuple[Any, int], answer: bytes) -> bytes:
    return _hash(answer) if _is_v1(key) else _hash(b"\x02" + _hash(real_answer(answer)))


def real_answer(answer: bytes) -> bytes:
    """Return the bytes of an IBC v2 acknowledgement; the model has a word for the sentinel."""
    return _SENTINEL if answer == SENTINEL else answer


def _holder(chain: Chain, holder: str) -> bytes:
    if holder == chain.user:
        return _ADDRESSES.decode(holder, "holder").raw
    return _hash(b"ics20-1\x00" + holder.encode())[:20]


def bank_denom(path: str) -> str:
    """Return the bank's denomination of a coin."""
    return f"ibc/{_hash(path.encode()).hex().upper()}" if "/" in path else path


def _be8(number: int) -> bytes:
    return number.to_bytes(8, "big")


def _hash(raw: bytes) -> bytes:
    return sha256(raw).digest()
