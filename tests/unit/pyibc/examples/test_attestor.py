"""The example of a light client: made, relayed over, lied to, frozen; and what it refuses."""

import pytest
from nacl.signing import SigningKey

from conformance import memory
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config, IbcPlugin, LightClientsPlugin
from light_client.interface import Claim
from pyibc.codec.anys import AnyMessage, pack
from pyibc.core import paths
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    ClientNotActive,
    ClientNotFound,
    CommitmentError,
    ConsensusStateNotFound,
    DelayPeriodNotPassed,
    InvalidClient,
    InvalidClientHeader,
    InvalidConsensus,
    InvalidHeight,
    InvalidMisbehaviour,
    TxDecode,
)
from pyibc.core.height import Height
from pyibc.core.host.context import CheckedMessage
from pyibc.core.host.overlay import BlockContext
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.examples.attestor import AttestorDriver, AttestorLightClient, AttestorPlugin
from pyibc.examples.attestor import messages as pb
from pyibc.proto.ibc.core.client.v1 import query_pb2 as pb_query
from pyibc.relayer.clients.driver import Drivers, single_driver
from pyibc.relayer.clients.foreign_client import NEVER, ForeignClient
from pyibc.relayer.clients.misbehaviour_monitor import MisbehaviourMonitor
from pyibc.relayer.clients.tendermint import TendermintDriver
from pyibc.relayer.errors import ClientUnusable, WrongCounterparty
from pyibc.relayer.paths.open_path import create_client, known_client_path, make_client_path
from pyibc.relayer.paths.path import ClientEnd, ClientPath
from pyibc.testing.pair import SHIFTED, two_chains

KEYS = [SigningKey(bytes([number]) * 32) for number in range(4)]
CLIENT, CHAIN = "attestor-0", "far-3"
ROOT, OTHER = b"r" * 32, b"o" * 32
AT = Height(3, 7)
client = AttestorLightClient()


def header(height=9, root=OTHER, time_ns=10**18 + 9, signers=(0, 1, 2), chain_id=CHAIN):
    made = pb.Header(chain_id=chain_id, height=height, time_ns=time_ns, root=root)
    signed = pb.sign_bytes(made)
    made.signatures.extend(
        key.sign(signed).signature if number in signers else b"" for number, key in enumerate(KEYS)
    )
    return made


def state(**changes):
    keys = [bytes(key.verify_key) for key in KEYS]
    usual = {"chain_id": CHAIN, "attestors": keys, "threshold": 3, "latest_height": 7}
    return pb.ClientState(**(usual | changes))


CONSENSUS = pb.ConsensusState(time_ns=10**18, root=ROOT).SerializeToString()


@pytest.fixture
def ctx():
    block = memory.block(2 * 10**18, height=5)
    client.initialize(block, CLIENT, state().SerializeToString(), CONSENSUS)
    return block


def refuses(ctx, error, call, *arguments):
    before = ctx.writes("ibc")
    with pytest.raises(error):
        call(*arguments)
    assert ctx.writes("ibc") == before


def update(ctx, message):
    client.verify_client_message(ctx, CLIENT, message)
    if client.check_for_misbehaviour(ctx, CLIENT, message):
        client.update_state_on_misbehaviour(ctx, CLIENT, message)
        return []
    return client.update_state(ctx, CLIENT, message)


@pytest.mark.parametrize(
    "changes",
    [
        {"chain_id": ""},
        {"latest_height": 0},
        {"is_frozen": True},
        {"threshold": 0},
        {"threshold": 5},
        {"attestors": []},
        {"attestors": [b"k" * 32] * 3},
        {"attestors": [b"k" * 31, b"l" * 32, b"m" * 32]},
    ],
)
def test_an_impossible_client_state_is_refused(ctx, changes):
    raw = state(**changes).SerializeToString()
    refuses(ctx, InvalidClient, client.initialize, ctx, "attestor-1", raw, CONSENSUS)
    refuses(ctx, InvalidClient, client.check_client_state, b"\xff")


@pytest.mark.parametrize("raw", [b"\xff", b"", pb.ConsensusState(time_ns=1, root=b"r").SerializeToString()])
def test_an_impossible_consensus_state_is_refused(ctx, raw):
    good = state().SerializeToString()
    refuses(ctx, InvalidConsensus, client.initialize, ctx, "attestor-1", good, raw)


def test_a_header_is_taken_where_enough_have_signed(ctx):
    assert update(ctx, pack(header())) == [Height(3, 9)]
    assert client.latest_height(ctx, CLIENT) == Height(3, 9)
    assert client.timestamp_at_height(ctx, CLIENT, Height(3, 9)) == 10**18 + 9
    assert client.timestamp_at_height(ctx, CLIENT, AT) == 10**18
    assert update(ctx, pack(header(height=8, root=b"8" * 32))) == [Height(3, 8)]
    assert client.latest_height(ctx, CLIENT) == Height(3, 9)
    assert client.status(ctx, CLIENT) is Status.ACTIVE
    before = ctx.writes("ibc")
    assert update(ctx, pack(header())) == [Height(3, 9)]
    assert ctx.writes("ibc") == before


def spoilt(made):
    made.signatures[0] = made.signatures[1]
    return made


@pytest.mark.parametrize(
    "made",
    [
        header(signers=(0, 1)),
        header(chain_id="other-3"),
        header(root=b"r"),
        header(height=0),
        header(time_ns=0),
        spoilt(header()),
    ],
)
def test_a_header_that_does_not_convince(ctx, made):
    refuses(ctx, InvalidClientHeader, update, ctx, pack(made))
    refuses(ctx, InvalidClientHeader, update, ctx, AnyMessage(pack(made).type_url, b"\xff"))


@pytest.mark.parametrize(
    "message",
    [
        pack(header(height=7, root=OTHER)),  # of the height that the client began with
        pack(pb.Misbehaviour(one=header(), two=header(root=ROOT))),
        pack(pb.Misbehaviour(one=header(), two=header(time_ns=5))),
    ],
)
def test_two_truths_freeze_it(ctx, message):
    assert update(ctx, message) == []
    assert client.status(ctx, CLIENT) is Status.FROZEN


@pytest.mark.parametrize(
    ("one", "two", "error"),
    [
        (header(), header(), InvalidMisbehaviour),
        (header(), header(height=8, root=ROOT), InvalidMisbehaviour),
        (header(), header(root=ROOT, signers=(3,)), InvalidClientHeader),
    ],
)
def test_evidence_that_shows_nothing(ctx, one, two, error):
    refuses(ctx, error, update, ctx, pack(pb.Misbehaviour(one=one, two=two)))


def test_proofs(ctx):
    path = (b"ibc", b"key")
    for verify in (client.verify_membership, client.verify_non_membership):
        refuses(ctx, InvalidHeight, verify, ctx, CLIENT, Claim(Height(3, 8), b"", path, b"v"))
        refuses(ctx, ConsensusStateNotFound, verify, ctx, CLIENT, Claim(Height(3, 6), b"", path, b"v"))
        refuses(ctx, CommitmentError, verify, ctx, CLIENT, Claim(AT, b"", path, b"v"))
        refuses(ctx, DelayPeriodNotPassed, verify, ctx, CLIENT, Claim(AT, b"", path, b"v", 1))
        refuses(ctx, ClientNotFound, verify, ctx, "attestor-9", Claim(AT, b"", path, b"v"))
    assert client.status(ctx, "attestor-9") is Status.UNKNOWN
    assert client.latest_height(ctx, "attestor-9") == Height(0, 0)


@pytest.fixture
def chains():
    parts = iter([[AttestorPlugin(), *plugins(Config())], plugins(Config())])
    made = two_chains(plugins=lambda: next(parts))
    yield made
    made.close()


@pytest.fixture
def driver():
    return AttestorDriver(KEYS, 3)


@pytest.fixture
def foreign(chains, driver):
    return create_client(chains.a.endpoint, chains.b.endpoint, driver)


def test_clients_are_a_pair_for_packets_of_ibc_v2(chains, driver):
    drivers = Drivers(TendermintDriver(), driver, new=("attestor", "07-tendermint"))
    a, b = chains.a.endpoint, chains.b.endpoint
    path = make_client_path(a, b, drivers=drivers)
    far = ClientEnd("chain-b-1", f"07-tendermint-{SHIFTED.client}")
    assert path == ClientPath(ClientEnd("chain-a-1", CLIENT), far)
    assert make_client_path(a, b, drivers=drivers) == path
    assert known_client_path(a, b, CLIENT, drivers) == path


def test_clients_of_other_attestors_or_fewer_of_them_differ(chains, driver, foreign):
    assert foreign.differences() == []
    a, b = chains.a.endpoint, chains.b.endpoint
    fewer = create_client(a, b, AttestorDriver(KEYS, 1)).client_id
    others = create_client(a, b, AttestorDriver([SigningKey(OTHER)], 1)).client_id
    terms = [
        [each.term for each in ForeignClient(a, b, name, single_driver(driver)).differences()]
        for name in (fewer, others)
    ]
    assert terms == [["threshold"], ["attestors", "threshold"]]


def test_a_client_lives_for_ever(foreign):
    assert foreign.check().trusting_ns == 0
    assert foreign.lifetime().due_ns == NEVER
    foreign.host.chain.make_block()
    assert foreign.update_to(foreign.reference.tip().height) in (0, 1)


def test_a_client_of_another_chain_is_none_of_ours(chains, foreign):
    foreign.reference = chains.a.endpoint
    with pytest.raises(WrongCounterparty, match="tracks 'chain-b-1'"):
        foreign.check()


def test_a_client_without_a_driver_of_its_type_is_refused(chains, foreign):
    stranger = ForeignClient(chains.a.endpoint, chains.b.endpoint, foreign.client_id)
    with pytest.raises(WrongCounterparty, match="its client type is not supported"):
        stranger.view()
    with pytest.raises(ValueError, match="no driver for client type 'attestor'"):
        Drivers(TendermintDriver(), new=("attestor", "07-tendermint"))
    with pytest.raises(ValueError, match="two drivers of the same client type"):
        Drivers(TendermintDriver(), TendermintDriver())


def test_a_lie_that_its_attestors_signed_freezes_the_client(chains, foreign, driver):
    a, b = chains.a.endpoint, chains.b.endpoint
    watch = MisbehaviourMonitor(a, b, 1, single_driver(driver))
    b.wait(b.tip().height + 1)
    truth = MsgUpdateClient(CLIENT, pack(driver.attest(b, b.tip().height)), a.signer)
    assert a.submit([pack_msg(truth)]).code == 0
    assert watch.detect() == []
    b.wait(b.tip().height + 1)
    lie = MsgUpdateClient(CLIENT, pack(driver.attest(b, b.tip().height, OTHER)), a.signer)
    assert a.submit([pack_msg(lie)]).code == 0
    (conflict,) = watch.detect()
    assert [each.outcome.code for each in watch.freeze(conflict)] == [0]
    with pytest.raises(ClientUnusable, match="frozen"):
        foreign.check()
    later = MsgUpdateClient(CLIENT, pack(driver.attest(b, b.tip().height)), a.signer)
    refused = a.submit([pack_msg(later)])
    assert (refused.codespace, refused.code) == (ClientNotActive.codespace, ClientNotActive.code)


@pytest.mark.parametrize("recheck", [False, True])
def test_evidence_passes_check_tx_and_freezes(chains, foreign, driver, recheck):
    a, b, app = chains.a.endpoint, chains.b.endpoint, chains.a.chain.app
    b.wait(b.tip().height + 1)
    one, two = (driver.attest(b, b.tip().height, root) for root in (b"", OTHER))
    evidence = MsgUpdateClient(CLIENT, pack(pb.Misbehaviour(one=one, two=two)), a.signer)
    pending = app.query_context()
    app.pipeline.check_tx(pending, [CheckedMessage(MsgUpdateClient.TYPE_URL, evidence)], recheck)
    assert client.status(pending, CLIENT) is Status.FROZEN
    assert client.latest_height(pending, CLIENT) == foreign.view().latest  # its headers were not taken over
    assert a.submit([pack_msg(evidence)]).code == 0
    assert foreign.view().frozen
    refused = a.submit([pack_msg(evidence)])
    assert (refused.codespace, refused.code) == (ClientNotActive.codespace, ClientNotActive.code)


def test_another_chain_does_not_know_its_messages(chains, driver):
    a, b = chains.a.endpoint, chains.b.endpoint
    create = pack_msg(MsgCreateClient(*driver.initial_states(a), b.signer))
    refused = b.submit([create])
    assert (refused.codespace, refused.code) == (TxDecode.codespace, TxDecode.code)
    assert b.get(paths.client_state_path(CLIENT)) is None
    assert a.submit([pack_msg(MsgCreateClient(*driver.initial_states(b), a.signer))]).code == 0


def ask(endpoint, query, request, answer):
    return answer.FromString(endpoint.grpc(f"/ibc.core.client.v1.Query/{query}", request.SerializeToString()))


def test_queries_answer_without_knowing_the_type(chains, foreign):
    a, known = chains.a.endpoint, foreign.view().latest.revision_height
    request = pb_query.QueryClientStateRequest(client_id=CLIENT)
    found = ask(a, "ClientState", request, pb_query.QueryClientStateResponse).client_state
    assert pb.ClientState.FromString(found.value).latest_height == known
    assert found.type_url == "/examples.attestor.v1.ClientState"
    request = pb_query.QueryConsensusStateHeightsRequest(client_id=CLIENT)
    found = ask(a, "ConsensusStateHeights", request, pb_query.QueryConsensusStateHeightsResponse)
    assert [each.revision_height for each in found.consensus_state_heights] == [known]
    request = pb_query.QueryClientStatusRequest(client_id=CLIENT)
    assert ask(a, "ClientStatus", request, pb_query.QueryClientStatusResponse).status == "Active"


def test_a_genesis_restores_its_clients(chains, foreign):
    app = chains.a.chain.app
    exported = app.pipeline.export_genesis(app.query_context())
    again = Pipeline([AttestorPlugin(), LightClientsPlugin(), IbcPlugin(Config())])
    block = BlockContext(
        "chain-a-1", 1, 10**18, {"ibc": memory.MemoryStore(), "upgrade": memory.MemoryStore()}
    )
    again.init_genesis(block, exported)
    path = paths.client_state_path(CLIENT)
    assert block.ibc.get(path) == chains.a.endpoint.get(path) is not None
    assert client.latest_height(block, CLIENT) == foreign.view().latest
