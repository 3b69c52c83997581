"""Everything that reads a stranger's bytes or text: what it cannot read is an error of the tree.

Good bytes are spoilt, and random ones tried; nothing else than an `IbcError` (for a genesis: its own
one-line error) may leave a reader, whatever it is given.
"""

import json
from contextlib import suppress
from copy import deepcopy
from functools import partial
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.headers import header_of
from conformance.kit.pair import Pair
from conformance.kit.solo_machine import SoloMachine
from light_client.solomachine import codec as solo
from light_client.solomachine.keys import decode_public_key
from light_client.solomachine.signatures import decode_signature
from light_client.tendermint import states
from light_client.tendermint.codec import decode_client_header, encode_client_header
from light_client.tendermint.misbehaviour import decode_misbehaviour, encode_misbehaviour
from light_client.tendermint.types import Misbehaviour
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.denom import parse_denom
from pyibc.apps.transfer.packet_data import parse_valid_denom
from pyibc.codec.anys import decode_any
from pyibc.codec.gojson import JsonError, parse
from pyibc.core import paths
from pyibc.core.errors import IbcError
from pyibc.core.height import Height
from pyibc.core.packet import acknowledgement as acks
from pyibc.core.packet_v2.messages import MsgAcknowledgementV2
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF, PacketV2, Payload
from pyibc.core.proofs import SDK_SPECS, verify_membership, verify_non_membership
from pyibc.core.setup_error import InvalidGenesis
from pyibc.core.wire.message import decode_msg, encode_msg
from pyibc.core.wire.tx import decode_tx
from tests.sampling import rounds

SEEDS = st.integers(0, 2**32)
RUN = {"deadline": None, "suppress_health_check": list(HealthCheck)}
DATA = b'{"denom":"transfer/channel-0/uatom","amount":"17","sender":"a","receiver":"b","memo":"\\u00e9"}'


@pytest.fixture(scope="module")
def pair():
    made = Pair.connected()
    made.sync()
    return made


@pytest.fixture(scope="module")
def readers(pair):
    """Name -> (what reads, good bytes for it)."""
    chain, known = pair.b.chain, pair.known(pair.a).revision_height
    header = header_of(chain, chain.height, known - 1)
    machine, heir = SoloMachine("solo", 3, 2), SoloMachine("heir")
    client, consensus = machine.states()
    data = packet_data.decode(DATA)
    blocks = [chain.block(height) for height in range(1, chain.height + 1)]
    transaction = next(outcome.tx for block in blocks for outcome in block.txs)
    answer = MsgAcknowledgementV2(
        PacketV2(1, "07-a-0", "07-b-0", 9, (Payload("one", "two", "v", "e", b"x"),)),
        (b"done",),
        b"proof",
        Height(1, 9),
        "x",
    )
    signature = machine.sign(b"path", b"data")
    return {
        "header": (decode_client_header, encode_client_header(header)),
        "misbehaviour": (decode_misbehaviour, encode_misbehaviour(Misbehaviour("07-a-0", header, header))),
        "client state": (
            states.decode_client_state,
            decode_any(pair.a.chain.get(paths.client_state_path(pair.a.client_id))).value,
        ),
        "consensus state": (
            states.decode_consensus_state,
            b"\x0a\x02\x08\x01\x12\x22\x0a\x20" + b"r" * 32,
        ),
        "solo client state": (solo.decode_client_state, client.value),
        "solo consensus state": (solo.decode_consensus_state, consensus.value),
        "solo header": (solo.decode_header, machine.header(heir).value),
        "solo misbehaviour": (solo.decode_misbehaviour, machine.misbehaviour(b"a", b"b").value),
        "solo proof": (solo.decode_proof, machine.proof(b"path", b"data")),
        "solo signature": (decode_signature, signature),
        "transaction": (decode_tx, transaction),
        "packet data": (packet_data.decode, DATA),
        "abi": (packet_data.decode_abi, packet_data.encode_payload(data, ABI)),
        "acknowledgement": (acks.check_canonical, b'{"result":"AQ=="}'),
        "error acknowledgement": (acks.parse, b'{"error":"ABCI code: 1: error handling packet"}'),
        "acknowledgement of v2": (partial(decode_msg, MsgAcknowledgementV2), encode_msg(answer)),
    }


NAMES = [
    "header",
    "misbehaviour",
    "client state",
    "consensus state",
    "solo client state",
    "solo consensus state",
    "solo header",
    "solo misbehaviour",
    "solo proof",
    "solo signature",
    "transaction",
    "packet data",
    "abi",
    "acknowledgement",
    "error acknowledgement",
    "acknowledgement of v2",
]


def quietly(read, *arguments):
    """Whether it was read; every error but ours goes on."""
    try:
        read(*arguments)
    except IbcError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=rounds(10, 40), **RUN)
@given(seed=SEEDS, noise=st.binary(max_size=60))
def test_spoilt_bytes(readers, spoil, name, seed, noise):
    assert set(readers) == set(NAMES)
    read, good = readers[name]
    quietly(read, spoil(Random(seed), good))
    quietly(read, noise)


@settings(max_examples=rounds(10, 40), **RUN)
@given(seed=SEEDS)
def test_public_keys(spoil, seed):
    key = SoloMachine("solo", 3, 2).public_key
    quietly(decode_public_key, type(key)(key.type_url, spoil(Random(seed), key.value)))


@settings(max_examples=rounds(25, 100), **RUN)
@given(seed=SEEDS, encoding=st.sampled_from([JSON, PROTOBUF, ABI, "x"]))
def test_payloads_in_every_encoding(spoil, seed, encoding):
    """Read back or refused; what was read can be written again."""
    good = packet_data.encode_payload(packet_data.decode(DATA), encoding) if encoding != "x" else DATA
    payload = Payload("transfer", "transfer", "ics20-1", encoding, spoil(Random(seed), good))
    try:
        data = packet_data.decode_payload(payload)
    except IbcError:
        return
    packet_data.encode_payload(data, encoding)


@settings(max_examples=rounds(50, 200), **RUN)
@given(st.text(max_size=60) | st.text("transfer/channel-0123ibc:", max_size=60))
def test_denominations(text):
    assert parse_denom(text).path == text
    quietly(parse_valid_denom, text)


@settings(max_examples=rounds(25, 100), **RUN)
@given(st.binary(max_size=60) | st.text('{}[]":,\\u0123nulltrue-.eE ', max_size=60).map(str.encode))
def test_json(raw):
    with suppress(JsonError):
        parse(raw)
    acknowledgement = acks.parse(raw)
    assert acknowledgement is None or acks.parse(acks.encode(acknowledgement)) is not None


# -- proofs


@settings(max_examples=rounds(25, 100), **RUN)
@given(seed=SEEDS, absent=st.booleans())
def test_proofs(pair, spoil, seed, absent):
    """Whatever is shown, only the honest proof is one: of presence and of absence."""
    chain, key = pair.b.chain, b"clientParamz" if absent else b"clientParams"
    proven = chain.prove(key, chain.height - 1)
    root = chain.record(chain.height).header.app_hash
    path, raw = (b"ibc", key), spoil(Random(seed), proven.proof)
    if absent:
        assert quietly(verify_non_membership, SDK_SPECS, root, path, proven.proof)
        shown = quietly(verify_non_membership, SDK_SPECS, root, path, raw)
    else:
        assert quietly(verify_membership, SDK_SPECS, root, path, proven.value, proven.proof)
        shown = quietly(verify_membership, SDK_SPECS, root, path, proven.value, raw)
        assert not quietly(verify_membership, SDK_SPECS, root, path, proven.value + b"x", raw)
    # whatever was left of it shows nothing else
    assert not shown or not quietly(verify_membership, SDK_SPECS, root, (b"ibc", b"other"), b"v", raw)


# -- genesis


@pytest.fixture(scope="module")
def genesis(pair):
    return json.loads(json.dumps(pair.a.chain.app.export_genesis()))


def places(part, way=()):
    """Every place in a JSON document."""
    yield way
    steps = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, child in steps:
        yield from places(child, (*way, name))


ODD = [
    None,
    True,
    -1,
    0,
    2**64,
    1.5,
    "",
    "x",
    "-5s",
    "\ud800",
    "٣",
    [],
    {},
    [[]],
    [None],
    {"": None},
    "A" * 5_000,
]


NAMES_OF_NOTHING = ["", "x", "\ud800", "a\nb", "@type", "é", "state"]


@settings(max_examples=rounds(37, 150), **RUN)
@given(seed=SEEDS)
def test_genesis(pair, genesis, seed):
    """Another value anywhere: the chain starts, or says in one line which value it cannot start from."""
    r, spoilt = Random(seed), deepcopy(genesis)
    *parents, last = r.choice([way for way in places(genesis) if way])
    part = spoilt
    for name in parents:
        part = part[name]
    if isinstance(part, dict) and r.random() < 0.2:
        part[r.choice(NAMES_OF_NOTHING)] = part.pop(last)
    else:
        part[last] = r.choice(ODD)
    app = pair.a.chain.app
    ctx = type(app.query_context())("alpha-1", 1, 1, {name: Nothing() for name in app.store.names()})
    said = ""
    try:
        app.pipeline.init_genesis(ctx, spoilt)
    except (IbcError, InvalidGenesis) as error:
        said = str(error)
    said.encode()
    assert "\n" not in said
    assert len(said) < 1_000


class Nothing:
    """An empty store."""

    def get(self, key):
        return None

    def iterate(self, start, end):
        return iter(())
