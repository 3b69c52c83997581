"""Two chains of which one or both believe attestors: packets there and back, timeouts, attestors who lie."""

import socket
import threading
from contextlib import ExitStack

import pytest

from ibc_module.plugin import AttestationsPlugin
from light_client.attestations.states import attest_state, sign_attestation
from localnet.attestor import AttestorServer, NodeAttestor
from pyibc.codec.anys import pack
from pyibc.core import paths
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.relayer.clients.attestations.driver import AttestationsDriver
from pyibc.relayer.clients.attestations.service import AttestationResponse, Attestor, Quorum
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.misbehaviour_monitor import MisbehaviourMonitor
from pyibc.relayer.clients.tendermint import TendermintDriver
from pyibc.relayer.errors import ClientUnusable, EndpointUnavailable, WrongCounterparty
from pyibc.relayer.links.link import relay
from pyibc.relayer.paths.ends import counterparty_of
from pyibc.relayer.paths.open_path import known_client_path, make_client_path
from pyibc.testing.pair import SECOND, ibc_plugins, two_chains
from pyibc.testing.transfers import abroad, transfer_v2

KEYS = [bytes([number]) * 32 for number in range(1, 7)]


class Net:
    """Chain a believes attestors of b; where `both`, b those of a."""

    def __init__(self, stack, *, both):
        self.chains = two_chains(plugins=lambda: [*ibc_plugins(), AttestationsPlugin()])
        stack.callback(self.chains.close)
        self.a, self.b = self.chains.a, self.chains.b
        self.ends = self.a.endpoint, self.b.endpoint
        self.signers = [NodeAttestor(self.ends[1], key) for key in KEYS[:3]]
        self.servers = [stack.enter_context(AttestorServer(each.sign)) for each in self.signers]
        quorums = [self.quorum(self.ends[1], self.signers, self.servers)]
        if both:
            others = [NodeAttestor(self.ends[0], key) for key in KEYS[3:]]
            servers = [stack.enter_context(AttestorServer(each.sign)) for each in others]
            quorums.append(self.quorum(self.ends[0], others, servers))
        self.driver = AttestationsDriver(*quorums)
        new = ("attestations", "attestations" if both else "07-tendermint")
        self.drivers = Drivers(self.driver, TendermintDriver(), new=new)
        self.path = make_client_path(*self.ends, drivers=self.drivers)

    @staticmethod
    def quorum(chain, signers, servers, threshold=2):
        listed = [Attestor(s.url, each.address) for s, each in zip(servers, signers, strict=True)]
        return Quorum(chain.chain_id, tuple(listed), threshold)

    def relay(self):
        return relay(self.path, *self.ends, drivers=self.drivers)

    def send(self, sender, receiver, end, amount, **more):
        message = transfer_v2(sender, "alice", end, "stake", amount, receiver.address("bob"), **more)
        assert sender.execute("alice", message).code == 0


@pytest.fixture(params=[False, True], ids=["one", "both"])
def net(request):
    with ExitStack() as stack:
        yield Net(stack, both=request.param)


@pytest.fixture
def one_sided():
    with ExitStack() as stack:
        yield Net(stack, both=False)


def test_packets_go_there_and_back(net):
    assert net.path.a.client_id.startswith("attestations-")
    assert counterparty_of(net.ends[0], net.path.a.client_id).merkle_prefix == (b"",)
    net.send(net.a, net.b, net.path.a, 5)
    net.send(net.b, net.a, net.path.b, 7)
    told = net.relay()
    assert (told.delivered, told.acknowledged, told.refused) == (2, 2, 0)
    assert net.b.balance("bob", abroad("stake", net.path.b).coin_denom) == 5
    assert net.a.balance("bob", abroad("stake", net.path.a).coin_denom) == 7


def test_what_was_not_received_in_time_is_refunded(net):
    before = [each.balance("alice", "stake") for each in (net.a, net.b)]
    until_s = net.chains.clock.now_ns // SECOND + 30
    net.send(net.a, net.b, net.path.a, 5, until_s=until_s)
    net.send(net.b, net.a, net.path.b, 7, until_s=until_s)
    net.chains.clock.advance(60 * SECOND)
    for party in (net.a, net.b):
        party.chain.make_block([])
    told = net.relay()
    assert (told.delivered, told.timed_out) == (0, 2)
    assert [each.balance("alice", "stake") for each in (net.a, net.b)] == before


def test_a_pair_that_is_there_is_found_again(net):
    assert make_client_path(*net.ends, drivers=net.drivers) == net.path
    assert known_client_path(*net.ends, net.path.a.client_id, net.drivers) == net.path


def forge(data):
    """Another amount, path, height or time: the last byte of all."""
    return data[:-1] + bytes([data[-1] ^ 1])


def lies(net, number):
    """Signs with its own key what is not so."""

    def sign(question):
        honest = net.signers[number].sign(question)
        data = forge(bytes.fromhex(honest.attestation_data))
        tag = b"\1" if question.paths is None else b"\2"
        return AttestationResponse(
            data.hex(), sign_attestation([KEYS[number]], data, tag).signatures[0].hex()
        )

    return sign


def another(net, number):
    """Gives another attestor's signature for its own."""
    return net.signers[number + 1].sign


def garbled(net, number):
    return lambda question: AttestationResponse(
        net.signers[number].sign(question).attestation_data, "00" * 65
    )


def wordy(_net, _number):
    return lambda _: AttestationResponse("00" * (1 << 17), "")


def cut(_net, _number):
    return lambda _: {"attestation_data": 7}


FAULTS = {
    lies: "other data than the relayer's node reports",
    another: "the signature is not by the attestor's key",
    garbled: "the signature is not by the attestor's key",
    wordy: "no answer",
    cut: "the response is malformed",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_h213_one_bad_attestor_of_three_spoils_nothing_and_two_are_named(one_sided, fault):
    net = one_sided
    net.servers[0].signer = fault(net, 0)
    net.send(net.a, net.b, net.path.a, 5)
    told = net.relay()
    assert (told.delivered, told.acknowledged) == (1, 1)
    net.servers[1].signer = fault(net, 1)
    before = net.ends[0].get(paths.client_state_path(net.path.a.client_id))
    with pytest.raises(EndpointUnavailable) as refused:
        net.driver.attest(net.ends[1], net.ends[1].tip().height)
    assert refused.value.reason.startswith("1 of 2 attestors signed")
    assert net.servers[0].url.removeprefix("http://") in refused.value.reason
    assert FAULTS[fault] in refused.value.reason
    assert net.ends[0].get(paths.client_state_path(net.path.a.client_id)) == before


def test_h214_an_attestor_that_never_answers_holds_nobody_up(one_sided):
    net = one_sided
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        listed = [Attestor(f"http://127.0.0.1:{port}", net.signers[0].address)]
        listed += [Attestor(s.url, e.address) for s, e in zip(net.servers[1:], net.signers[1:], strict=True)]
        driver = AttestationsDriver(Quorum(net.ends[1].chain_id, tuple(listed), 2))
        finished, given_up = threading.Event(), threading.Event()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("pyibc.relayer.clients.attestations.service._post", _told(finished, given_up))
            proof = driver.attest(net.ends[1], net.ends[1].tip().height)
        assert len(proof.signatures) == 2
        waited_for = given_up.is_set()
        finished.set()
        assert not waited_for


def _told(finished, given_up):
    """The silent one is silent until it is told to end; no clock decides."""
    from pyibc.relayer.clients.attestations import service

    ask = service._post

    def answer(attestor, question, seconds):
        if attestor.address == NodeAttestor(None, KEYS[0]).address:
            finished.wait(20)
            given_up.set()
            raise service.BadAttestation("does not answer")
        return ask(attestor, question, seconds)

    return answer


@pytest.mark.parametrize("threshold", [0, 4])
def test_a_quorum_that_can_never_be_or_is_nobody_is_refused(one_sided, threshold):
    net = one_sided
    with pytest.raises(ValueError, match=f"threshold {threshold} of 3 is out of range"):
        AttestationsDriver(net.quorum(net.ends[1], net.signers, net.servers, threshold))


def test_one_attestor_at_two_addresses_is_one(one_sided):
    net = one_sided
    twice = [net.signers[0], net.signers[0], net.signers[1]]
    with pytest.raises(ValueError, match="listed twice"):
        AttestationsDriver(net.quorum(net.ends[1], twice, net.servers))


def test_a_client_of_other_attestors_is_not_relayed_over(one_sided):
    net = one_sided
    strangers = [NodeAttestor(net.ends[1], key) for key in KEYS[3:]]
    with ExitStack() as stack:
        servers = [stack.enter_context(AttestorServer(each.sign)) for each in strangers]
        drivers = Drivers(AttestationsDriver(net.quorum(net.ends[1], strangers, servers)), TendermintDriver())
        with pytest.raises(WrongCounterparty, match="tracks ''"):
            known_client_path(*net.ends, net.path.a.client_id, drivers)


def test_a_time_that_never_was_is_noticed_and_freezes_the_client(one_sided):
    net = one_sided
    monitor = MisbehaviourMonitor(net.ends[0], net.ends[1], net.ends[0].tip().height + 1, net.drivers)
    net.b.chain.make_block([])
    height = net.ends[1].tip().height
    lie = attest_state(KEYS[:2], height, net.ends[1].block(height).time_ns + SECOND)
    message = MsgUpdateClient(net.path.a.client_id, pack(lie), net.ends[0].signer)
    assert net.ends[0].submit([pack_msg(message)]).code == 0
    (conflict,) = monitor.detect()
    assert conflict.submitted.height == Height(0, height)
    (frozen,) = monitor.freeze(conflict)
    assert frozen.outcome.code == 0
    client = ForeignClient(*net.ends, net.path.a.client_id, net.drivers)
    assert client.view().frozen
    with pytest.raises(ClientUnusable, match="frozen"):
        client.build_updates(height + 1)


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"{}", 400, b"not an attestor request"),
        (b"[" * 60_000, 400, b"not an attestor request"),
        (b'{"chain_id":"x","height":1}', 422, b"this attestor serves"),
        (b'{"chain_id":"chain-b-1","height":999}', 422, b"block 999 does not exist"),
        (b'{"chain_id":"chain-b-1","height":2,"paths":["zz"]}', 422, b"hexadecimal"),
        (
            b'{"chain_id":"chain-b-1","height":2,"paths":["6e657874436c69656e7453657175656e6365"]}',
            422,
            b"not a commitment",
        ),
        (b" " * ((1 << 16) + 1), 413, b"more than 65536"),
    ],
)
def test_what_an_attestor_does_not_sign(one_sided, body, status, says):
    from http.client import HTTPConnection

    address = one_sided.servers[0].server_address
    connection = HTTPConnection(*address, timeout=20)
    connection.request("POST", "/", body)
    answer = connection.getresponse()
    assert (answer.status, says in answer.read()) == (status, True)
    connection.close()
