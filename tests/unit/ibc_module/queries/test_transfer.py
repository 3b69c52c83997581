"""ibc.applications.transfer.v1.Query."""

import pytest

from pyibc.apps.transfer import state
from pyibc.apps.transfer.coins import escrow_address
from pyibc.apps.transfer.denom import parse_denom
from pyibc.core.errors import ChannelNotFound, InvalidRequest, NotFound
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.ibc.applications.transfer.v1 import query_pb2 as pb

ATOM = "transfer/channel-0/uatom"
ATOM_HASH = "27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"  # as every Cosmos chain has it
PATHS = [
    ATOM,
    "transfer/channel-7/transfer/channel-1/uatom",
    "transfer/channel-2/gamm/pool/1",
    "transfer/channel-9/uatom",
]


@pytest.fixture
def ask(call, chain):
    state.set_params(chain.ctx, state.Params(True, False))
    for path in PATHS:
        state.add_denom(chain.ctx, parse_denom(path))
    return lambda method, **fields: call(pb, "ibc.applications.transfer.v1", method, **fields)


def full_path(denom):
    return "".join(f"{hop.port_id}/{hop.channel_id}/" for hop in denom.trace) + denom.base


def test_params(ask):
    answer = ask("Params")
    assert (answer.params.send_enabled, answer.params.receive_enabled) == (True, False)


def test_denoms_are_sorted_within_a_page(ask):
    answer = ask("Denoms")
    by_base = ["transfer/channel-2/gamm/pool/1", ATOM, "transfer/channel-9/uatom", PATHS[1]]
    assert [full_path(each) for each in answer.denoms] == by_base
    assert answer.pagination.total == 4


def test_denoms_are_paged_by_hash(ask):
    seen, page = [], PageRequest(limit=3)
    while page is not None:
        answer = ask("Denoms", pagination=page)
        seen += [full_path(each) for each in answer.denoms]
        following = answer.pagination.next_key
        page = PageRequest(limit=3, key=following) if following else None
    assert sorted(seen) == sorted(PATHS)
    with pytest.raises(InvalidRequest, match=r"pagination\.key"):
        ask("Denoms", pagination=PageRequest(key=b"\x01"))


def test_h75_a_page_of_denominations_reads_no_more_than_the_page(ask, chain):
    """And one entry beyond it, which begins the next."""
    costs = []
    for page in (PageRequest(limit=1), PageRequest(limit=3), PageRequest(limit=10)):
        before = chain.ctx.gas.used
        ask("Denoms", pagination=page)
        costs.append(chain.ctx.gas.used - before)
    entry = 30 + 3 * 33 + 3 * 10  # at least: the walk, the key, a short denomination
    assert costs[0] + 2 * entry <= costs[1] < costs[2]


@pytest.mark.parametrize("text", [ATOM_HASH, f"ibc/{ATOM_HASH}", ATOM_HASH.lower()])
def test_denom(ask, text):
    assert full_path(ask("Denom", hash=text).denom) == ATOM


@pytest.mark.parametrize("text", ["ibc/ibc/" + ATOM_HASH, ATOM_HASH[:-2], "zz" * 32, " " + ATOM_HASH[1:]])
def test_denom_of_no_hash(ask, text):
    with pytest.raises(InvalidRequest):
        ask("Denom", hash=text)


@pytest.mark.parametrize("text", ["00" * 32, "", "ibc/"])
def test_denom_unknown(ask, text):
    with pytest.raises(NotFound):
        ask("Denom", hash=text)


def test_denom_hash(ask):
    assert ask("DenomHash", trace=ATOM).hash == ATOM_HASH
    with pytest.raises(NotFound):
        ask("DenomHash", trace="transfer/channel-0/uosmo")
    for trace in ("", "transfer/channel-0/", "t/channel-0/uatom"):
        with pytest.raises(InvalidRequest):
            ask("DenomHash", trace=trace)


def test_escrow_address(ask, chain):
    answer = ask("EscrowAddress", port_id="transfer", channel_id="channel-0")
    expected = chain.keepers.addresses.encode(escrow_address("transfer", "channel-0")).text
    assert answer.escrow_address == expected
    with pytest.raises(ChannelNotFound):
        ask("EscrowAddress", port_id="transfer", channel_id="channel-9")
    with pytest.raises(InvalidRequest):
        ask("EscrowAddress", port_id="transfer", channel_id="no channel")


def test_total_escrow(ask, chain):
    state.set_total_escrow(chain.ctx, "uatom", 2**255)
    found = ask("TotalEscrowForDenom", denom="uatom").amount
    assert (found.denom, found.amount) == ("uatom", str(2**255))
    assert ask("TotalEscrowForDenom", denom="uosmo").amount.amount == "0"
    with pytest.raises(InvalidRequest):
        ask("TotalEscrowForDenom", denom="1x")
