"""Misbehaviour of consumer chains is submitted to their provider, besides the freezing of clients."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from conformance.kit.forged_headers import EQUIVOCATIONS
from conformance.kit.headers import header_of
from conformance.kit.seconds import SECONDS
from light_client.tendermint.codec import pack_client_header
from pyibc.cli import watch as watch_command
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.host.block import TxOutcome
from pyibc.core.wire.message import pack_msg
from pyibc.proto.ibc.lightclients.tendermint.v1.tendermint_pb2 import Misbehaviour
from pyibc.relayer.chain.endpoint import Consumer
from pyibc.relayer.clients import misbehaviour_monitor
from pyibc.relayer.clients.evidence import CONSUMER_CHAIN, SUBMIT
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.clients.misbehaviour_monitor import FreezeResult, MisbehaviourMonitor
from pyibc.relayer.config.file import read_config
from pyibc.relayer.daemon.chains import Chain
from pyibc.relayer.daemon.links import SERIOUS
from pyibc.relayer.daemon.supervisor import Supervisor
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer, WrongConfiguration
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.money.fees import field_of
from pyibc.testing.pair import two_chains

ID = "3"


def field(number, raw):
    assert len(raw) < 128
    return bytes((8 * number + 2, len(raw))) + raw


@pytest.fixture
def net():
    net = two_chains()
    net.path = net.open("transfer", Order.UNORDERED, "ics20-1")
    yield net
    net.close()


@pytest.fixture
def provider(net, monkeypatch):
    """Let chain a be the provider of b; return what it got, and its answers."""
    endpoint = net.a.endpoint
    grpc, submit = endpoint.grpc, endpoint.submit
    state = SimpleNamespace(
        asked=[],
        got=[],
        answer=field(1, b"3") + field(2, b"chain-b-1") + field(9, net.path.a.client_id.encode()),
        outcome=TxOutcome(b"", 0, "", (), 0, 0),
    )

    def asked(path, request):
        if path != CONSUMER_CHAIN:
            return grpc(path, request)
        state.asked.append(request)
        if isinstance(state.answer, Exception):
            raise state.answer
        return state.answer

    def submitted(messages):
        if messages[0].type_url != SUBMIT:
            return submit(messages)
        state.got += messages
        state.frozen = ForeignClient(endpoint, net.b.endpoint, net.path.a.client_id).view().frozen
        return state.outcome

    monkeypatch.setattr(endpoint, "grpc", asked)
    monkeypatch.setattr(endpoint, "submit", submitted)
    return state


def lie(net):
    """Update the client on a with a header that b's validators signed and that is not b's own."""
    client_id = net.path.a.client_id
    known = ForeignClient(net.a.endpoint, net.b.endpoint, client_id).view().latest.revision_height
    for _ in range(3):
        net.b.chain.make_block()
    honest = header_of(net.b.chain, net.b.chain.height, known)
    forged = EQUIVOCATIONS["other_state"](honest, net.b.chain.keyring)
    message = MsgUpdateClient(client_id, pack_client_header(forged), net.a.address("bob"))
    assert net.a.execute("bob", pack_msg(message)).code == 0
    return honest.header.height


OURS = Consumer(ID)


def monitor(net, consumer=OURS):
    return MisbehaviourMonitor(net.a.endpoint, net.b.endpoint, 1, consumer=consumer)


def conflict_of(found):
    (conflict,) = found.detect()
    return conflict


def test_the_provider_gets_both_headers(net, provider):
    height, found = lie(net), monitor(net)
    done = found.report_consumer(conflict_of(found))
    assert done == FreezeResult(net.path.a.client_id, provider.outcome)
    assert provider.asked == [field(1, b"3")]
    (message,) = provider.got
    assert [field_of(message.value, number) for number in (1, 3)] == [net.a.endpoint.signer.encode(), b"3"]
    evidence = Misbehaviour.FromString(field_of(message.value, 2))
    headers = evidence.header_1.signed_header, evidence.header_2.signed_header
    assert evidence.client_id == net.path.a.client_id
    assert [each.header.height for each in headers] == [height, height]
    assert headers[0].commit.block_id.hash != headers[1].commit.block_id.hash


@pytest.mark.parametrize(
    "answer",
    [
        field(1, b"3") + field(2, b"chain-c-1") + field(9, b"07-tendermint-0"),
        field(1, b"3") + field(2, b"chain-b-1"),  # not launched: without a client
        b"\xff",
    ],
)
def test_a_consumer_of_another_chain_is_not_reported(net, provider, answer):
    lie(net)
    found = monitor(net)
    provider.answer = answer
    assert found.report_consumer(conflict_of(found)) is None
    assert provider.got == []


def test_without_a_consumer_id_or_on_another_chain_nothing_is_reported(net):
    lie(net)
    for consumer in (None, Consumer(ID)):  # chain a knows no such query
        found = monitor(net, consumer)
        assert found.report_consumer(conflict_of(found)) is None


def test_evidence_of_another_kind_is_not_reported(net, provider, monkeypatch):
    lie(net)
    found = monitor(net)
    conflict = conflict_of(found)
    other = SimpleNamespace(evidence=lambda *_: AnyMessage("/other.Misbehaviour", b"x"))
    done = found.report_consumer(conflict._replace(driver=other))
    assert (done, provider.got) == (FreezeResult(net.path.a.client_id, None), [])


@pytest.mark.parametrize(
    "error", [EndpointUnavailable("chain-a-1", "is down"), MalformedAnswer("a", "q", "r")]
)
def test_a_provider_that_fails_is_an_error(net, provider, error):
    lie(net)
    found = monitor(net)
    conflict = conflict_of(found)
    provider.answer = error
    with pytest.raises(type(error)):
        found.report_consumer(conflict)


def test_the_provider_may_be_a_third_chain(net, provider):
    """A lie that another chain was told is reported to the provider, over the provider's own client."""
    lie(net)
    elsewhere = monitor(net, Consumer(ID, lambda: net.a.endpoint))
    conflict = conflict_of(elsewhere)
    elsewhere._host = None
    assert elsewhere.report_consumer(conflict).outcome.code == 0
    assert [message.type_url for message in provider.got] == [SUBMIT]


# -- the daemon's watch


@pytest.fixture
def watched(net, monkeypatch):
    told = []
    extras = replace(net.b.endpoint.extras, consumer=Consumer(ID))
    monkeypatch.setattr(net.b.endpoint, "extras", extras, raising=False)
    options = Options(sleep=lambda _s: None, clock=SECONDS, watch=lambda *event: told.append(event))
    link = Link([net.path], net.a.endpoint, net.b.endpoint, options=options)
    link.until_idle()
    return link, told


def test_the_watch_reports_a_consumer_before_it_freezes_the_client(net, provider, watched):
    link, told = watched
    height = lie(net)
    link.until_idle()
    assert [event for event, _ in told] == ["misbehaviour", "reported to provider", "frozen"]
    facts = {"chain": "chain-a-1", "of": "chain-b-1", "height": height, "client": net.path.a.client_id}
    assert facts.items() <= told[1][1].items()
    assert (len(provider.got), provider.frozen, link.metrics.misbehaviours) == (1, False, 1)
    assert {event for event, _ in told} <= SERIOUS


def test_what_the_provider_refuses_is_told_and_the_client_frozen(net, provider, watched):
    link, told = watched
    provider.outcome = provider.outcome._replace(code=4, codespace="provider", log="failed to slash\x1b")
    lie(net)
    link.until_idle()
    assert [event for event, _ in told] == ["misbehaviour", "not reported to provider", "frozen"]
    assert told[1][1]["reason"].startswith("provider/4 failed to slash\\x1b")


def test_a_named_provider_that_does_not_know_the_consumer_is_told(net, provider, watched):
    link, told = watched
    for each in link._watch._monitors:
        each._consumer = each._consumer and Consumer(ID, lambda: net.a.endpoint)
    provider.answer = EndpointRefused("chain-a-1", "QueryConsumerChain", "unknown")
    lie(net)
    link.until_idle()
    assert [event for event, _ in told] == ["misbehaviour", "not reported to provider", "frozen"]
    assert told[1][1]["reason"] == "the provider does not know the consumer"
    assert provider.got == []


def test_a_provider_that_does_not_answer_is_told_later_and_the_client_frozen_now(net, provider, watched):
    link, told = watched
    answer, provider.answer = provider.answer, EndpointUnavailable("chain-a-1", "is down")
    lie(net)
    link._reader.read()
    link._watch.run()
    assert [event for event, _ in told] == ["misbehaviour", "frozen", "not watched"]
    provider.answer = answer
    for _ in range(3):
        link._watch.run()
    assert [event for event, _ in told[3:]] == ["reported to provider"]
    assert len(provider.got) == 1


# -- configuration, and `pyibc watch`


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ('consumer = "three"', "chain b-2, consumer: 'three' is not a consumer id"),
        ('consumer = "3"\nprovider = "c-3"', "chain b-2, provider: no other chain is called 'c-3'"),
        ('consumer = "3"\nprovider = "b-2"', "chain b-2, provider: no other chain is called 'b-2'"),
        ('provider = "a-1"', "chain b-2, provider: has no consumer id"),
    ],
)
def test_a_wrong_consumer_is_refused(configuration, given, reason):
    file = configuration(second=given)
    with pytest.raises(WrongConfiguration, match=reason):
        read_config(file)


def test_a_configured_consumer_is_known_to_links_with_its_provider(configuration, monkeypatch, pair):
    names = dict(zip(("a-1", "b-2"), (end.chain_id for end in pair), strict=True))
    file = configuration(second='consumer = "3"\nprovider = "a-1"')
    file.write_text(file.read_text().replace("a-1", names["a-1"]).replace("b-2", names["b-2"]))
    ends = {end.chain_id: end for end in pair}
    monkeypatch.setattr(Chain, "start", lambda _: None)
    daemon = Supervisor(
        read_config(file),
        connect=lambda chain: SimpleNamespace(chain_id=chain.id, extras=ends[chain.id].extras),
        open_link=lambda *_: None,
    )
    monkeypatch.setattr(daemon, "_worker", lambda *_: SimpleNamespace(start=lambda *_: None))
    daemon.start()
    one, two = (daemon._chains[name].endpoint() for name in names.values())
    assert one.extras.consumer is None
    assert two.extras.consumer.id == "3"
    assert two.extras.consumer.provider() is one
    daemon._schedule.close()


def test_pyibc_watch_reports_a_consumer(net, provider, capsys):
    lie(net)
    options = {"since": 100, "consumer_a": None, "consumer_b": ID}
    found = watch_command._monitors(net.a.endpoint, net.b.endpoint, options, misbehaviour_monitor.DRIVERS)
    (conflict,) = found["chain-a-1"].detect()
    reported = found["chain-a-1"].report_consumer(conflict)
    watch_command._show("chain-a-1", conflict, [], reported, as_json=False)
    assert f"provider, for {net.path.a.client_id}: reported" in capsys.readouterr().out
    assert found["chain-b-1"]._consumer is None
    watch_command._show("chain-a-1", conflict, [], None, as_json=True)
    assert '"provider": null' in capsys.readouterr().out
