"""A genesis that no chain can start from: one line that names key and value, and nothing is written."""

import json
import re
from copy import deepcopy

import pytest

from conformance.kit import sides
from conformance.kit.pair import Pair
from conformance.kit.paired_chain import NEVER
from conformance.memory_bank import MemoryBank
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config
from pyibc.codec.anys import AnyMessage, encode_any
from pyibc.core import paths
from pyibc.core.client.types import UpgradePlan
from pyibc.core.client_v2 import ClientCounterparty
from pyibc.core.errors import LogicFault
from pyibc.core.host.overlay import BlockContext
from pyibc.core.packet.types import Packet
from pyibc.core.packet_v2.types import PacketV2, Payload
from pyibc.core.setup_error import InvalidGenesis
from pyibc.default_plugins import plugins

DELETE = object()


class Nothing:
    """A committed store without entries."""

    def get(self, key):
        return None

    def has(self, key):
        return False

    def iterate(self, start, end):
        return iter(())


class NoCoins:
    """A plugin that offers a bank that nobody asks."""

    from ibc_module import hookimpl

    @hookimpl
    def ibc_bank(self):
        return MemoryBank()


def fresh():
    pipeline = Pipeline([NoCoins(), *plugins(Config())])
    return pipeline, BlockContext("chain-1", 1, 1, {name: Nothing() for name in pipeline.stores()})


def fill(ctx, side):
    """What a transfer alone leaves empty: IBC v2, a plan, everything of packets."""
    keepers, client = side.keepers, side.client_id
    payload = Payload("transfer", "transfer", "ics20-1", "application/json", b"x")
    packet = PacketV2(3, client, client, 2 * 10**9, (payload,))
    keepers.v2.clients.set_counterparty(ctx, client, ClientCounterparty((b"ibc",), "07-tendermint-9"))
    keepers.v2.clients.set_allowed_relayers(ctx, client, ())
    keepers.v2.packets.set_next_send(ctx, client, 4)
    keepers.v2.packets.commit(ctx, packet)
    keepers.v2.packets.set_receipt(ctx, packet)
    keepers.v2.packets.set_acknowledgement(ctx, packet, (b"ok",))
    keepers.v2.packets.set_async_packet(ctx, packet)
    state = AnyMessage("/ibc.lightclients.tendermint.v1.ClientState", b"")
    keepers.upgrades.schedule(ctx, UpgradePlan("v2", 0, 10**6, "", False), encode_any(state))
    keepers.channels.set_next_recv(ctx, "transfer", sides.A.channel_id, 2)


@pytest.fixture(scope="module")
def good():
    """A genesis with something in every list."""
    pair = Pair.connected()
    pair.a.inside(lambda ctx: fill(ctx, pair.a))
    here, there = pair.transfer.a, pair.transfer.b
    pair.a.send(here, there, b"x", NEVER)

    def answered(ctx):
        back = Packet(1, there.port_id, there.channel_id, here.port_id, here.channel_id, b"y", NEVER, 0)
        pair.a.keepers.packets.set_receipt(ctx, back)
        pair.a.keepers.packets.set_acknowledgement(ctx, back, b"ok")

    pair.a.inside(answered)
    exported = json.loads(json.dumps(pair.a.chain.app.export_genesis()))
    return {name: exported[name] for name in ("ibc", "transfer", "upgrade")}


def spoilt(good, way, value):
    """`good` with another value at `way`, whose parts are names and numbers."""
    genesis = deepcopy(good)
    *parents, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", way)]
    place = genesis
    for part in parents:
        place = place[part]
    if value is DELETE:
        del place[last]
    elif last == "twice":
        place.append(deepcopy(place[0]))
    else:
        place[last] = value
    return genesis


def test_the_good_one_is_taken_and_given_again(good):
    pipeline, ctx = fresh()
    pipeline.init_genesis(ctx, good)
    assert pipeline.export_genesis(ctx) == good


CLIENT, CONNECTION, CHANNEL, V2 = (
    f"ibc.{part}_genesis" for part in ("client", "connection", "channel", "channel_v2")
)
STATE = f"{CLIENT}.clients[0].client_state"
BAD = [
    # of any message
    ("ibc", [], "is not an object"),
    ("transfer", 7, "is not an object"),
    ("upgrade", "x", "is not an object"),
    ("ibc.surprise", 1, "is no field"),
    ("upgrade.surprise", 1, "is not a field"),
    (f"{CLIENT}.clients", {}, "is not a list"),
    (f"{CLIENT}.clients[0]", "x", "is not an object"),
    (f"{CLIENT}.next_client_sequence", "-1", "is no number"),
    (f"{CLIENT}.next_client_sequence", 2**64, "is no number"),
    (f"{CLIENT}.next_client_sequence", 1.0, "is no number"),
    (f"{CLIENT}.next_client_sequence", True, "is no number"),
    (f"{CLIENT}.create_localhost", "no", "is no bool"),
    (f"{STATE}.@type", "/x.Y", "is no known type"),
    (f"{STATE}.@type", 5, "is no known type"),
    (f"{STATE}.trusting_period", "two weeks", "is no Duration"),
    (f"{STATE}.chain_id", "\ud800", "is no text"),
    (f"{STATE}.proof_specs[0].leaf_spec.hash", "SHA1", "HashOp"),
    # clients
    (f"{CLIENT}.params.allowed_clients", ["*", "a"], "stand alone"),
    (f"{CLIENT}.clients[0].client_id", "x", "is refused"),
    (f"{CLIENT}.clients[0].client_id", "06-solomachine-3", "not a client of"),
    (f"{CLIENT}.clients.twice", 0, "comes twice", f"{CLIENT}.clients[1].client_id"),
    (f"{STATE}.trusting_period", "0s", "is refused", STATE),
    (f"{STATE}.@type", "/ibc.core.client.v1.Params", "is no field", f"{STATE}.chain_id"),
    (f"{CLIENT}.next_client_sequence", "3", "is not beyond 3"),
    (f"{CLIENT}.clients_consensus[0].client_id", "07-tendermint-5", "is not among the clients"),
    (
        f"{CLIENT}.clients_consensus[0].consensus_states.twice",
        0,
        "comes twice",
        f"{CLIENT}.clients_consensus[0].consensus_states[3].height",
    ),
    (f"{CLIENT}.clients_consensus[0].consensus_states[0].height", {}, "is zero"),
    (
        f"{CLIENT}.clients_consensus[0].consensus_states[0].consensus_state.next_validators_hash",
        "00",
        "is refused",
        f"{CLIENT}.clients_consensus[0].consensus_states[0].consensus_state",
    ),
    (f"{CLIENT}.clients_metadata[0].client_id", "07-tendermint-5", "is not among the clients"),
    (f"{CLIENT}.clients_metadata[0].client_metadata[0].key", "", "is empty"),
    (f"{CLIENT}.clients_metadata[0].client_metadata[0].key", "?", "is not base64"),
    # connections
    (f"{CONNECTION}.connections[0].id", "a/connection", "is refused"),
    (f"{CONNECTION}.connections[0].id", "connection-7", "beyond 7", f"{CONNECTION}.next_connection_sequence"),
    (f"{CONNECTION}.connections[0].state", "STATE", "is no State"),
    (f"{CONNECTION}.connections[0].versions", [], "is empty"),
    (f"{CONNECTION}.connections[0].client_id", "", "is refused"),
    (f"{CONNECTION}.connections.twice", 0, "comes twice", f"{CONNECTION}.connections[2].id"),
    (
        f"{CONNECTION}.connections[0].counterparty.prefix",
        None,
        "is empty",
        f"{CONNECTION}.connections[0].counterparty.prefix.key_prefix",
    ),
    (f"{CONNECTION}.client_connection_paths[0].paths[0]", "x", "is refused"),
    (f"{CONNECTION}.params.max_expected_time_per_block", "0", "is zero"),
    # channels
    (f"{CHANNEL}.channels[0].channel_id", "x", "is refused"),
    (f"{CHANNEL}.channels[0].port_id", "", "is refused"),
    (f"{CHANNEL}.channels[0].ordering", "ORDER_NONE_UNSPECIFIED", "is not a"),
    (f"{CHANNEL}.channels[0].connection_hops", [], "one connection"),
    (f"{CHANNEL}.channels.twice", 0, "comes twice", f"{CHANNEL}.channels[1].channel_id"),
    (f"{CHANNEL}.next_channel_sequence", 0, "is not beyond 8"),
    (f"{CHANNEL}.commitments[0].data", "", "is empty"),
    (f"{CHANNEL}.acknowledgements[0].sequence", "0", "is zero"),
    (f"{CHANNEL}.receipts.twice", 0, "comes twice", f"{CHANNEL}.receipts[1]"),
    (f"{CHANNEL}.send_sequences.twice", 0, "comes twice", f"{CHANNEL}.send_sequences[1]"),
    (f"{CHANNEL}.recv_sequences[0].sequence", 0, "is zero"),
    (f"{CHANNEL}.ack_sequences[0].channel_id", "/", "is refused"),
    # IBC v2
    (
        "ibc.client_v2_genesis.counterparty_infos.twice",
        0,
        "comes twice",
        "ibc.client_v2_genesis.counterparty_infos[1].client_id",
    ),
    (
        "ibc.client_v2_genesis.counterparty_infos[0].counterparty_info",
        None,
        "is empty",
        "ibc.client_v2_genesis.counterparty_infos[0].counterparty_info.merkle_prefix",
    ),
    (f"{V2}.commitments[0].data", "", "is empty"),
    (f"{V2}.async_packets[0].client_id", "x", "is refused"),
    (f"{V2}.acknowledgements.twice", 0, "comes twice", f"{V2}.acknowledgements[1]"),
    (f"{V2}.send_sequences[0].sequence", "0", "is zero"),
    # transfer, upgrade
    ("transfer.port_id", "x", "is refused"),
    ("transfer.params", [], "is not an object"),
    ("transfer.denoms", [{"base": "", "trace": []}], "is refused", "transfer.denoms[0]"),
    (
        "transfer.total_escrowed",
        [{"denom": "stake", "amount": "0x10"}],
        "is no positive number",
        "transfer.total_escrowed[0].amount",
    ),
    (
        "transfer.total_escrowed",
        [{"denom": "!", "amount": "1"}],
        "is no denomination",
        "transfer.total_escrowed[0].denom",
    ),
    (
        "transfer.total_escrowed",
        [{"denom": "stake", "amount": "1"}] * 2,
        "comes twice",
        "transfer.total_escrowed[1].denom",
    ),
    ("upgrade.plan", None, "has no plan", "upgrade.upgraded_state"),
    ("upgrade.plan.height", "0", "is not positive"),
    ("upgrade.upgraded_state", {"x": 1}, "has other fields"),
    ("upgrade.upgraded_state", [], "has other fields"),
    ("upgrade.other_entries", [{"key": "", "value": ""}], "is empty", "upgrade.other_entries[0].key"),
]
"""What is put where, what is said of it, and of which key where it is another."""


@pytest.mark.parametrize("row", BAD, ids=range(len(BAD)))
def test_a_bad_one_is_refused_by_key_and_value(good, row):
    way, value, why, key = (*row, row[0])[:4]
    pipeline, ctx = fresh()
    with pytest.raises(InvalidGenesis) as caught:
        pipeline.init_genesis(ctx, spoilt(good, way, value))
    text = str(caught.value)
    assert text.startswith(f"genesis: {key}: ")
    assert why in text
    assert caught.value.key == key
    assert "\n" not in text
    part = {"ibc": ("ibc", "upgrade"), "transfer": ("transfer",), "upgrade": ("ibc", "upgrade")}
    assert all(ctx.writes(name) == [] for name in part[key.split(".")[0]])


@pytest.mark.parametrize("genesis", [{}, {"ibc": {}}, {"ibc": {"client_genesis": {}}, "transfer": {}}])
def test_what_a_genesis_leaves_open_is_a_new_chains(genesis):
    pipeline, ctx = fresh()
    pipeline.init_genesis(ctx, genesis)
    _, plain = fresh()
    pipeline.init_genesis(plain, {})
    assert {n: ctx.writes(n) for n in pipeline.stores()} == {n: plain.writes(n) for n in pipeline.stores()}
    assert pipeline.export_genesis(ctx)["ibc"]["connection_genesis"]["connections"][0]["id"] == (
        "connection-localhost"
    )


def test_states_of_a_light_client_that_nobody_knows_are_kept_as_they_are():
    """They have no JSON; whoever brings the light client again finds them."""
    pipeline, ctx = fresh()
    pipeline.init_genesis(ctx, {})
    ctx.ibc.set(b"clients/99-foreign-0/clientState", encode_any(AnyMessage("/foreign.State", b"\xff")))
    ctx.ibc.set(b"clients/99-foreign-0/consensusStates/1-1", b"whatever")
    ctx.ibc.set(b"a key that nobody knows", b"")
    known = AnyMessage("/ibc.lightclients.solomachine.v3.ClientState", b"\x08\x01\xf8\x07\x01")
    ctx.ibc.set(b"clients/06-solomachine-0/clientState", encode_any(known))  # with a field of a later version
    exported = json.loads(json.dumps(pipeline.export_genesis(ctx)))
    assert len(exported["ibc"]["other_entries"]) == 4
    again_pipeline, again = fresh()
    again_pipeline.init_genesis(again, exported)
    assert again.writes("ibc") == ctx.writes("ibc")


def test_a_client_type_that_is_not_allowed_any_more_does_not_stop_a_restart(good):
    """ibc-go refuses to start from what it exported itself then."""
    pipeline, ctx = fresh()
    pipeline.init_genesis(ctx, spoilt(good, f"{CLIENT}.params.allowed_clients", ["06-solomachine"]))
    assert ctx.ibc.has(paths.client_state_path(sides.A.client_id))


def test_a_chain_that_has_begun_takes_no_second_genesis(good):
    pipeline, ctx = fresh()
    pipeline.init_genesis(ctx, good)
    before = {name: ctx.writes(name) for name in pipeline.stores()}
    for genesis in ({}, good):
        with pytest.raises(LogicFault, match="this chain has a genesis already"):
            pipeline.init_genesis(ctx, genesis)
    assert {name: ctx.writes(name) for name in ("ibc", "upgrade")} == {
        name: before[name] for name in ("ibc", "upgrade")
    }
