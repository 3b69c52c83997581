"""ibc.core.client.v1.Query."""

import pytest

from light_client.interface import Claim
from pyibc.codec.anys import AnyMessage, encode_any
from pyibc.core import paths
from pyibc.core.client.types import UpgradePlan, encode_plan
from pyibc.core.errors import (
    ClientNotActive,
    ClientNotFound,
    ClientRouteNotFound,
    ConsensusStateNotFound,
    InvalidClientType,
    InvalidRequest,
    LogicFault,
    NotFound,
    OutOfGas,
)
from pyibc.core.height import Height
from pyibc.core.host.gas import READ_BYTE
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.ibc.core.client.v1 import query_pb2 as pb

SERVICE = "ibc.core.client.v1"
CLIENT = "99-dictionary-0"
HEIGHTS = ((1, 2), (1, 9), (1, 10), (0, 7), (2, 1))
AS_STORED = [(0, 7), (1, 10), (1, 2), (1, 9), (2, 1)]  # heights stand in keys as text


@pytest.fixture
def ask(call):
    return lambda method, **fields: call(pb, SERVICE, method, **fields)


def numbers(heights):
    return [(each.revision_number, each.revision_height) for each in heights]


def test_client_state(ask):
    answer = ask("ClientState", client_id=CLIENT)
    assert (answer.client_state.type_url, answer.client_state.value) == ("/x.State", CLIENT.encode())
    assert numbers([answer.proof_height]) == [(1, 77)]
    assert answer.proof == b""


def test_client_state_of_nobody(ask):
    with pytest.raises(ClientNotFound):
        ask("ClientState", client_id="07-tendermint-9")


@pytest.mark.parametrize("client_id", ["", "abc", "a/b/c", "x" * 65, "client\n-0", "clïent-0"])
def test_malformed_client_ids(ask, client_id):
    states = ("ClientState", "ConsensusState", "ConsensusStates", "ConsensusStateHeights")
    for method in (*states, "ClientStatus", "ClientCreator", "VerifyMembership"):
        with pytest.raises(InvalidRequest):
            assert ask(method, client_id=client_id) is None, method


def test_client_states_are_listed_by_id_without_what_stands_beside_them(ask, chain):
    chain.add_client("07-tendermint-10", HEIGHTS)
    chain.add_client("07-tendermint-1", HEIGHTS)
    answer = ask("ClientStates")
    ids = ["07-tendermint-1", "07-tendermint-10", CLIENT]
    assert [each.client_id for each in answer.client_states] == ids
    assert [each.client_state.value.decode() for each in answer.client_states] == ids
    assert answer.pagination.total == 3


def test_h75_listing_clients_reads_none_of_their_consensus_states(ask, chain):
    """Relayers list all clients when they start, and anybody may."""

    def cost():
        before = chain.ctx.gas.used
        assert [each.client_id for each in ask("ClientStates").client_states] == ["07-tendermint-1", CLIENT]
        return chain.ctx.gas.used - before

    chain.add_client("07-tendermint-1", HEIGHTS)
    few = cost()
    chain.add_client("07-tendermint-1", [(1, height) for height in range(1, 200)])
    assert cost() == few


def test_client_states_stay_sorted_within_a_reversed_page(ask, chain):
    for n in (1, 2, 3):
        chain.add_client(f"07-tendermint-{n}")
    answer = ask("ClientStates", pagination=PageRequest(limit=3, reverse=True))
    assert [each.client_id for each in answer.client_states] == ["07-tendermint-2", "07-tendermint-3", CLIENT]
    assert answer.pagination.next_key == b"07-tendermint-1/clientState"


def test_client_states_refuse_a_key_of_another_list(ask):
    with pytest.raises(InvalidRequest, match=r"pagination\.key"):
        ask("ClientStates", pagination=PageRequest(key=b"07-tendermint-1/consensusStates/1-2"))


def test_consensus_state(ask):
    answer = ask("ConsensusState", client_id=CLIENT, revision_number=1, revision_height=10)
    assert answer.consensus_state.value == b"1-10"
    assert numbers([answer.proof_height]) == [(1, 77)]


def test_the_newest_consensus_state(ask):
    answer = ask("ConsensusState", client_id=CLIENT, latest_height=True, revision_height=3)
    assert answer.consensus_state.value == b"1-10"


def test_consensus_state_missing(ask):
    with pytest.raises(ConsensusStateNotFound) as refused:
        ask("ConsensusState", client_id=CLIENT, revision_number=1, revision_height=11)
    assert (refused.value.client_id, refused.value.height) == (CLIENT, "1-11")


@pytest.mark.parametrize("client_id", ["99-dictionary-9", "08-nobody-0", "no number"[:2] + "-name"])
def test_the_newest_consensus_state_of_nobody(ask, client_id):
    with pytest.raises(ConsensusStateNotFound):
        ask("ConsensusState", client_id=client_id, latest_height=True)


def test_the_newest_consensus_state_of_a_type_not_allowed(ask, chain):
    chain.keepers.clients.set_allowed_clients(chain.ctx, ("07-tendermint",))
    with pytest.raises(ConsensusStateNotFound):
        ask("ConsensusState", client_id=CLIENT, latest_height=True)


def test_consensus_state_at_height_0(ask):
    with pytest.raises(InvalidRequest, match="cannot be 0"):
        ask("ConsensusState", client_id=CLIENT, revision_number=1)


def test_consensus_states_come_in_the_order_of_the_store(ask, chain):
    chain.add_client("99-dictionary-1", HEIGHTS)
    chain.add_client("99-dictionary-10", ((5, 5),))
    states = ask("ConsensusStates", client_id="99-dictionary-1")
    assert numbers(each.height for each in states.consensus_states) == AS_STORED
    assert [each.consensus_state.value for each in states.consensus_states] == [
        b"%d-%d" % each for each in AS_STORED
    ]
    heights = ask("ConsensusStateHeights", client_id="99-dictionary-1")
    assert numbers(heights.consensus_state_heights) == AS_STORED
    assert states.pagination.total == heights.pagination.total == 5


def test_consensus_states_of_nobody_are_none(ask):
    assert not ask("ConsensusStates", client_id="07-tendermint-9").consensus_states
    assert not ask("ConsensusStateHeights", client_id="07-tendermint-9").consensus_state_heights


def test_height_zero_is_written_in_full(ask, chain):
    chain.add_client("99-dictionary-1", ((0, 7),))
    raw = chain.routes[f"/{SERVICE}.Query/ConsensusStates"](
        chain.ctx, pb.QueryConsensusStatesRequest(client_id="99-dictionary-1").SerializeToString()
    )
    (state,) = pb.QueryConsensusStatesResponse.FromString(raw).consensus_states
    assert state.HasField("height")


@pytest.mark.parametrize(
    ("client_id", "status"),
    [(CLIENT, "Active"), ("99-dictionary-5", "Unknown"), ("08-nobody-0", "Unauthorized")],
)
def test_client_status(ask, client_id, status):
    assert ask("ClientStatus", client_id=client_id).status == status


def test_client_params(ask, chain):
    chain.keepers.clients.set_allowed_clients(chain.ctx, ("07-tendermint", "06-solomachine"))
    assert list(ask("ClientParams").params.allowed_clients) == ["07-tendermint", "06-solomachine"]


def test_client_creator(ask, chain):
    assert ask("ClientCreator", client_id=CLIENT).creator == ""
    chain.keepers.clients.set_creator(chain.ctx, CLIENT, bytes(20))
    assert ask("ClientCreator", client_id=CLIENT).creator == chain.keepers.addresses.encode(bytes(20)).text


@pytest.mark.parametrize("method", ["UpgradedClientState", "UpgradedConsensusState"])
def test_there_is_no_upgrade_planned(ask, method):
    with pytest.raises(NotFound):
        ask(method)


def plan(chain, height):
    upgraded = encode_any(AnyMessage("/x.State", b"upgraded"))
    chain.keepers.upgrades.schedule(chain.ctx, UpgradePlan("v2", 0, height, "", False), upgraded)


def test_the_client_state_of_a_pending_plan(ask, chain):
    plan(chain, 500)
    assert ask("UpgradedClientState").upgraded_client_state.value == b"upgraded"
    chain.keepers.upgrades.cancel(chain.ctx)
    with pytest.raises(NotFound, match="upgrade plan"):
        ask("UpgradedClientState")


def test_a_plan_without_a_client_state(ask, chain):
    chain.ctx.store("upgrade").set(paths.UPGRADE_PLAN, encode_plan(UpgradePlan("v2", 0, 500, "", False)))
    with pytest.raises(NotFound, match="upgraded client"):
        ask("UpgradedClientState")


def test_the_consensus_state_of_a_plan_is_found_at_its_height_only(ask, chain):
    state = encode_any(AnyMessage("/x.Consensus", b"upgraded"))
    plan(chain, 77)
    with pytest.raises(NotFound, match="height 77"):
        ask("UpgradedConsensusState")
    chain.keepers.upgrades.set_upgraded_consensus_state(chain.ctx, 78, state)
    with pytest.raises(NotFound, match="height 77"):
        ask("UpgradedConsensusState")
    chain.keepers.upgrades.set_upgraded_consensus_state(chain.ctx, 77, state)
    assert ask("UpgradedConsensusState").upgraded_consensus_state.value == b"upgraded"


PROOF = {
    "client_id": CLIENT,
    "proof": b"good",
    "proof_height": {"revision_number": 1, "revision_height": 10},
    "merkle_path": {"key_path": [b"ibc", b"key"]},
    "value": b"v",
    "time_delay": 3,
    "block_delay": 4,
}


def test_verify_membership(ask, chain):
    assert ask("VerifyMembership", **PROOF).success
    assert chain.light_client.asked == [(CLIENT, Claim(Height(1, 10), b"good", (b"ibc", b"key"), b"v", 3, 4))]


def test_verify_membership_charges_for_the_proofs_length(ask, chain):
    used = [chain.ctx.gas.used]
    for size in (1, 1001):
        ask("VerifyMembership", **(PROOF | {"proof": bytes(size)}))
        used.append(chain.ctx.gas.used)
    assert used[2] - used[1] - (used[1] - used[0]) == 1000 * 3 * READ_BYTE


def test_a_bad_proof_is_an_answer(ask):
    assert not ask("VerifyMembership", **(PROOF | {"proof": b"bad"})).success


@pytest.mark.parametrize(
    "change",
    [
        {"proof": b""},
        {"value": b""},
        {"proof_height": {}},
        {"merkle_path": {}},
        {"client_id": "09-localhost"},
        {"client_id": "06-solomachine-3"},
        {"client_id": "dictionary"},
    ],
)
def test_verify_membership_refuses(ask, chain, change):
    with pytest.raises(InvalidRequest):
        ask("VerifyMembership", **(PROOF | change))
    assert chain.light_client.asked == []


def test_verify_membership_needs_an_active_client(ask):
    with pytest.raises(ClientNotActive):
        ask("VerifyMembership", **(PROOF | {"client_id": "99-dictionary-1"}))
    with pytest.raises(ClientRouteNotFound):
        ask("VerifyMembership", **(PROOF | {"client_id": "08-nobody-1"}))


def test_verify_membership_of_a_type_not_allowed(ask, chain):
    chain.keepers.clients.set_allowed_clients(chain.ctx, ("07-tendermint",))
    with pytest.raises(InvalidClientType):
        ask("VerifyMembership", **PROOF)


@pytest.mark.parametrize("error", [OutOfGas(5), LogicFault("broken")])
def test_a_fault_of_the_host_is_no_verdict(ask, chain, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(chain.light_client, "verify_membership", fail)
    with pytest.raises(type(error)):
        ask("VerifyMembership", **PROOF)


def test_a_damaged_state_is_no_refusal(ask, chain):
    chain.ctx.ibc.set(paths.client_state_path(CLIENT), b"\xff")
    with pytest.raises(ValueError, match="stored"):
        ask("ClientState", client_id=CLIENT)
