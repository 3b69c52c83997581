"""Whatever a stranger sends, a route answers or raises an error of a known kind, and writes nothing."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyibc.apps.transfer import state
from pyibc.apps.transfer.denom import parse_denom
from pyibc.codec.anys import AnyMessage, encode_any
from pyibc.core import errors as e
from pyibc.core.client.types import UpgradePlan
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.proto.pool import message_class
from tests.missing import nothing_missing
from tests.sampling import rounds

ALLOWED = (
    e.InvalidRequest,
    e.NotFound,
    e.ChannelNotFound,
    e.ConnectionNotFound,
    e.ClientNotFound,
    e.ClientConnectionPathsNotFound,
    e.ConsensusStateNotFound,
    e.SequenceSendNotFound,
    e.SequenceReceiveNotFound,
    e.SequenceSendNotFoundV2,
    e.ClientNotActive,
    e.ClientRouteNotFound,
)
FIELDS = {
    "client_id": "99-dictionary-0",
    "connection_id": "connection-0",
    "connection": "connection-0",
    "port_id": "transfer",
    "channel_id": "channel-0",
    "sequence": 5,
    "revision_number": 1,
    "revision_height": 10,
    "packet_commitment_sequences": [1, 5],
    "packet_ack_sequences": [1, 5],
    "sequences": [1, 5],
    "pagination": {"limit": 2, "count_total": True},
    "hash": "ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2",
    "trace": "transfer/channel-0/uatom",
    "denom": "uatom",
    "proof": b"good",
    "proof_height": {"revision_number": 1, "revision_height": 10},
    "merkle_path": {"key_path": [b"ibc", b"key"]},
    "value": b"v",
}
TEXTS = ["", "/", "channel-1", "channel-10", "connection-0", "09-localhost", "a\x00b", "x" * 300, "ÿ" * 20]
NUMBERS = [0, 1, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1]


def full_chain(make_chain):
    chain = make_chain()
    chain.add_client()
    chain.add_connection()
    chain.add_channel()
    chain.commit(5)
    chain.acknowledge(5)
    chain.commit_v2(5)
    chain.acknowledge_v2(5)
    chain.keepers.v2.packets.set_next_send(chain.ctx, "99-dictionary-0", 6)
    chain.keepers.v2.clients.set_counterparty(
        chain.ctx, "99-dictionary-0", ClientCounterparty((b"ibc",), "07-tendermint-4")
    )
    client_state = encode_any(AnyMessage("/x.State", b"upgraded"))
    chain.keepers.upgrades.schedule(chain.ctx, UpgradePlan("v2", 0, 90, "", False), client_state)
    state.set_params(chain.ctx, state.Params())
    state.add_denom(chain.ctx, parse_denom("transfer/channel-0/uatom"))
    return chain


@pytest.fixture(scope="session")
def fuzzed(make_chain):
    """A chain that has what `FIELDS` names, and for each route its request class."""
    chain = full_chain(make_chain)
    requests = {}
    for path in chain.routes:
        service, method = path[1:].split("/")
        requests[path] = message_class(f"{service.removesuffix('.Query')}.Query{method}Request")
    return chain, requests


def usual_request(cls):
    names = [field.name for field in cls.DESCRIPTOR.fields]
    return cls(**{name: FIELDS[name] for name in names if name in FIELDS})


def attempt(chain, path, raw):
    """Asks; True if there is an answer. Raises whatever is not allowed."""
    before = {name: chain.ctx.writes(name) for name in chain.stores}
    try:
        chain.routes[path](chain.ctx, raw)
    except ALLOWED:
        return False
    finally:
        assert before == {name: chain.ctx.writes(name) for name in chain.stores}
    return True


@pytest.mark.registry
def test_every_route_answers_its_usual_request(fuzzed):
    chain, requests = fuzzed
    refused = [
        path for path, cls in requests.items() if not attempt(chain, path, encoded(usual_request(cls)))
    ]
    upgraded = "/ibc.core.client.v1.Query/UpgradedConsensusState"
    nothing_missing(
        f"{path} refuses its usual request: in tests/unit/ibc_module/queries/test_fuzz.py add a good value "
        "of each new field to FIELDS, and have full_chain store the entry that the values ask for"
        for path in refused
        if path != upgraded
    )
    assert refused == [upgraded]


def encoded(message):
    return message.SerializeToString()


@pytest.mark.parametrize(
    "raw", [b"\xff", b"\x0a", b"\x0a\x05ab", b"\x0a\x02\xff\xfe", b"\x08" + b"\xff" * 11, b"\x0b" * 500]
)
def test_malformed_bytes_are_refused_by_name(fuzzed, raw):
    chain, requests = fuzzed
    for path, cls in requests.items():
        try:
            cls.FromString(raw)
        except Exception:
            with pytest.raises(e.InvalidRequest, match=re.escape(f"malformed {cls.DESCRIPTOR.full_name}")):
                chain.routes[path](chain.ctx, raw)


def mutated_value(data, field, value):
    if isinstance(value, str):
        return data.draw(st.sampled_from(TEXTS) | st.text(max_size=70), label=field)
    if isinstance(value, bytes):
        return data.draw(st.binary(max_size=40), label=field)
    if isinstance(value, int):
        return data.draw(st.sampled_from(NUMBERS) | st.integers(0, 2**64 - 1), label=field)
    if isinstance(value, list):
        return data.draw(st.lists(st.sampled_from(NUMBERS), max_size=5), label=field)
    return value


KEYS = [b"5", b"connection-0", b"ports/transfer/channels/channel-0"]
PAGES = st.fixed_dictionaries(
    {},
    optional={
        "key": st.binary(max_size=20) | st.sampled_from(KEYS),
        "offset": st.sampled_from(NUMBERS),
        "limit": st.sampled_from(NUMBERS),
        "count_total": st.booleans(),
        "reverse": st.booleans(),
    },
)


@settings(max_examples=rounds(75, 300), deadline=None)
@given(data=st.data(), number=st.integers(0, 99))
def test_mutated_fields(fuzzed, data, number):
    chain, requests = fuzzed
    path = sorted(requests)[number % len(requests)]
    request = usual_request(requests[path])
    names = [field.name for field in request.DESCRIPTOR.fields if field.name in FIELDS]
    if not names:
        return
    name = data.draw(st.sampled_from(names), label="field")
    request.ClearField(name)
    if name == "pagination":
        request.pagination.MergeFrom(type(request.pagination)(**data.draw(PAGES)))
    elif name == "merkle_path":
        request.merkle_path.key_path.extend(data.draw(st.lists(st.binary(max_size=5), max_size=3)))
    elif name != "proof_height":
        request.MergeFrom(type(request)(**{name: mutated_value(data, name, FIELDS[name])}))
    attempt(chain, path, encoded(request))


def test_unknown_fields_are_ignored(fuzzed):
    chain, requests = fuzzed
    path = "/ibc.core.channel.v1.Query/Channel"
    raw = encoded(usual_request(requests[path]))
    assert chain.routes[path](chain.ctx, raw + b"\xf8\x07\x01") == chain.routes[path](chain.ctx, raw)
