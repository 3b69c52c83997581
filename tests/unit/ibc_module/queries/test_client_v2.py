"""ibc.core.client.v2.Query."""

import pytest

from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.errors import InvalidRequest, NotFound
from pyibc.proto.ibc.core.client.v2 import query_pb2 as pb

CLIENT = "99-dictionary-0"
RELAYER = "cosmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnrql8a"


@pytest.fixture
def ask(call):
    return lambda method, **fields: call(pb, "ibc.core.client.v2", method, **fields)


def test_a_counterparty(ask, chain):
    counterparty = ClientCounterparty((b"ibc", b""), "07-tendermint-4")
    chain.keepers.v2.clients.set_counterparty(chain.ctx, CLIENT, counterparty)
    found = ask("CounterpartyInfo", client_id=CLIENT).counterparty_info
    assert (list(found.merkle_prefix), found.client_id) == ([b"ibc", b""], "07-tendermint-4")


@pytest.mark.parametrize("client_id", [CLIENT, "99-dictionary-7"])
def test_no_counterparty(ask, client_id):
    with pytest.raises(NotFound, match=f"client {client_id} counterparty"):
        ask("CounterpartyInfo", client_id=client_id)


def test_a_configuration(ask, chain):
    chain.keepers.v2.clients.set_allowed_relayers(chain.ctx, CLIENT, (RELAYER,))
    assert list(ask("Config", client_id=CLIENT).config.allowed_relayers) == [RELAYER]


@pytest.mark.parametrize("client_id", [CLIENT, "99-dictionary-7"])
def test_without_a_configuration_everybody_may_relay(chain, client_id):
    """The message inside is there and empty, as Go writes it."""
    request = pb.QueryConfigRequest(client_id=client_id).SerializeToString()
    assert chain.routes["/ibc.core.client.v2.Query/Config"](chain.ctx, request) == b"\x0a\x00"


@pytest.mark.parametrize("client_id", ["", "x", "a/b", "x" * 65])
@pytest.mark.parametrize("method", ["CounterpartyInfo", "Config"])
def test_malformed_identifiers(ask, method, client_id):
    with pytest.raises(InvalidRequest):
        ask(method, client_id=client_id)
