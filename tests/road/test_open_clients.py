"""Two clients become a pair: made, found, taken up half-way, refused."""

from dataclasses import replace

import pytest

from localnet.endpoint import LocalEndpoint
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.client_v2 import MsgRegisterCounterparty, MsgUpdateClientConfig
from pyibc.core.height import Height
from pyibc.core.wire.message import decode_msg, encode_msg
from pyibc.relayer.clients.driver import Convention, DriverExtras, Drivers
from pyibc.relayer.clients.tendermint import ClientSettings, TendermintDriver
from pyibc.relayer.errors import ClientUnusable, HandshakeStuck, TransactionFailed, WrongCounterparty
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.ends import counterparty_of
from pyibc.relayer.paths.open_path import create_client, known_client_path, make_client_path
from pyibc.relayer.paths.path import ClientEnd, ClientPath
from pyibc.testing.pair import SECOND, SHIFTED, two_chains

PREFIX = (b"ibc", b"")


def test_a_pair_is_made_once_and_found_again(client_net) -> None:
    net = client_net
    heights = net.a.chain.height, net.b.chain.height
    assert make_client_path(*net.ends) == net.path
    assert known_client_path(*net.ends, net.path.a.client_id) == net.path
    assert make_client_path(*net.as_user("rival")) == net.path
    assert (net.a.chain.height, net.b.chain.height) == heights
    assert make_client_path(*reversed(net.ends)) == ClientPath(net.path.b, net.path.a)
    fresh = make_client_path(*net.ends, new_clients=True)
    assert fresh.a.client_id != net.path.a.client_id
    assert make_client_path(*net.ends) == fresh


def test_a_client_of_a_channel_is_taken_for_packets_between_clients_too() -> None:
    net = two_chains()
    channel = net.open("transfer", Order.UNORDERED, "ics20-1")
    path = net.open_clients()
    assert (path.a.client_id, path.b.client_id) == (channel.a.client_id, channel.b.client_id)
    net.close()


class Stop(Exception):
    """The opening ends here."""


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize("turned", [False, True])
def test_an_interrupted_opening_is_taken_up_where_it_stopped(steps, turned, monkeypatch) -> None:
    net = two_chains()
    ends = net.a.endpoint, net.b.endpoint
    done = 0
    submit = LocalEndpoint.submit

    def limited(self, messages):
        nonlocal done
        if done == steps:
            raise Stop
        done += 1
        return submit(self, messages)

    with monkeypatch.context() as patch:
        patch.setattr(LocalEndpoint, "submit", limited)
        with pytest.raises(Stop):
            make_client_path(*ends)
    before = net.a.chain.height + net.b.chain.height
    path = make_client_path(*reversed(ends)) if turned else make_client_path(*ends)
    assert {path.a.client_id, path.b.client_id} == {"07-tendermint-0", f"07-tendermint-{SHIFTED.client}"}
    assert net.a.chain.height + net.b.chain.height - before <= 4 - steps
    Link([path], *(reversed(ends) if turned else ends)).close()
    net.close()


def test_another_relayer_that_pairs_our_client_otherwise_makes_us_begin_anew(client_net, monkeypatch) -> None:
    """Between our look and our registration the same key registers the same client with another one."""
    net = client_net
    submit, done = LocalEndpoint.submit, []

    def raced(self, messages):
        if self is net.a.endpoint and messages[0].type_url == MsgRegisterCounterparty.TYPE_URL and not done:
            done.append(True)
            msg = decode_msg(MsgRegisterCounterparty, messages[0].value)
            net.register(net.a, msg.client_id, "07-tendermint-77", PREFIX)
        return submit(self, messages)

    monkeypatch.setattr(LocalEndpoint, "submit", raced)
    path = make_client_path(*net.ends, new_clients=True)
    assert done
    Link([path], *net.ends).close()


def test_who_never_gets_a_pair_is_told(client_net, monkeypatch) -> None:
    net = client_net
    monkeypatch.setattr("pyibc.relayer.paths.open_path._register", lambda *_: False)
    with pytest.raises(HandshakeStuck, match="pair of clients"):
        make_client_path(*net.ends, new_clients=True)


def test_a_stranger_makes_a_pair_of_his_own_where_half_of_ours_is_registered(client_net) -> None:
    net = client_net
    rival = net.as_user("rival")
    mine = [create_client(*ends).client_id for ends in (net.ends, net.ends[::-1])]
    net.register(net.a, mine[0], mine[1], PREFIX)
    net.path = ClientPath(ClientEnd("chain-a-1", mine[0]), ClientEnd("chain-b-1", mine[1]))
    with pytest.raises(WrongCounterparty, match="no counterparty is registered"):
        known_client_path(*rival, mine[0])
    with pytest.raises(WrongCounterparty, match="no counterparty is registered"):
        net.link()
    assert known_client_path(*net.ends, mine[0]) == net.path
    net.transfer()
    assert net.relay(user="rival").acknowledged == 1


@pytest.mark.parametrize("prefix", [(b"ibc", b"other"), (b"ibc",), (b"else", b"")])
def test_a_counterparty_below_another_prefix_is_refused_and_passed_over(client_net, prefix) -> None:
    net, made = client_net, client_net.path
    mine, theirs = (create_client(*ends).client_id for ends in (net.ends, net.ends[::-1]))
    net.register(net.a, mine, theirs, prefix)
    net.register(net.b, theirs, mine, PREFIX)
    with pytest.raises(WrongCounterparty, match=f"leads to {theirs} below"):
        known_client_path(*net.ends, mine)
    net.path = ClientPath(ClientEnd("chain-a-1", mine), ClientEnd("chain-b-1", theirs))
    with pytest.raises(WrongCounterparty, match=f"leads to {theirs} below"):
        net.link()
    assert make_client_path(*net.ends) == made


def test_a_counterparty_that_is_not_there_is_refused_and_passed_over(client_net) -> None:
    net, made = client_net, client_net.path
    mine = create_client(*net.ends).client_id
    net.register(net.a, mine, "07-tendermint-9", PREFIX)
    with pytest.raises(WrongCounterparty, match="07-tendermint-9: the client does not exist"):
        known_client_path(*net.ends, mine)
    assert make_client_path(*net.ends) == made


@pytest.mark.parametrize("expiring", [0, 1])
def test_a_pair_of_which_one_has_expired_is_passed_over(client_net, expiring) -> None:
    net, made = client_net, client_net.path
    terms = [TendermintDriver(), TendermintDriver()]
    terms[expiring] = TendermintDriver(ClientSettings(trusting_ns=1_000 * SECOND))
    mine, theirs = (
        create_client(*ends, each).client_id
        for ends, each in zip((net.ends, net.ends[::-1]), terms, strict=True)
    )
    net.register(net.a, mine, theirs, PREFIX)
    net.register(net.b, theirs, mine, PREFIX)
    accept = frozenset({"trusting_period"})
    assert make_client_path(*net.ends, accept=accept).a.client_id == mine
    net.clock.advance(2_000 * SECOND)
    for party in (net.a, net.b):
        party.chain.make_block([])
    assert make_client_path(*net.ends, accept=accept) == made


def test_a_counterparty_that_has_another_one_is_refused(client_net) -> None:
    net = client_net
    mine = create_client(*net.ends).client_id
    net.register(net.a, mine, net.path.b.client_id, PREFIX)
    with pytest.raises(WrongCounterparty, match=f"leads to {net.path.a.client_id}"):
        known_client_path(*net.ends, mine)


def test_a_client_that_is_not_there_is_named(client_net) -> None:
    net = client_net
    with pytest.raises(WrongCounterparty, match="07-tendermint-5"):
        known_client_path(*net.ends, "07-tendermint-5")


def test_an_expired_pair_is_passed_over_and_named(client_net) -> None:
    net = client_net
    short = Drivers(TendermintDriver(ClientSettings(trusting_ns=1_000 * SECOND)))
    old = make_client_path(*net.ends, drivers=short, new_clients=True)
    net.clock.advance(2_000 * SECOND)
    for party in (net.a, net.b):
        party.chain.make_block([])
    assert make_client_path(*net.ends) == net.path
    with pytest.raises(ClientUnusable, match="expired"):
        known_client_path(*net.ends, old.a.client_id)


class Elsewhere(TendermintDriver):
    """Of clients whose counterparty names its state otherwise."""

    def __init__(self, *prefix: bytes) -> None:
        super().__init__()
        self._convention = Convention(prefix)

    @property
    def extras(self) -> DriverExtras:
        return replace(super().extras, convention=self._convention)


def test_a_chain_that_refuses_the_counterparty_is_named(client_net) -> None:
    net = client_net
    with pytest.raises(TransactionFailed, match="the counterparty of 07-tendermint-1"):
        make_client_path(*net.ends, new_clients=True, drivers=Drivers(Elsewhere(b"x" * 300)))


def test_a_driver_says_how_its_clients_name_the_other_chain_s_state(client_net) -> None:
    net, drivers = client_net, Drivers(Elsewhere(b"store", b"sub"))
    path = make_client_path(*net.ends, new_clients=True, drivers=drivers)
    for party, end in ((net.a, path.a), (net.b, path.b)):
        found = counterparty_of(party.endpoint, end.client_id)
        assert found is not None
        assert found.merkle_prefix == (b"store", b"sub")
    assert make_client_path(*net.ends, drivers=drivers) == path
    with pytest.raises(WrongCounterparty, match="below b'store/sub'"):
        known_client_path(*net.ends, path.a.client_id)


@pytest.mark.parametrize(("has_revisions", "expected"), [(True, Height(7, 3)), (False, Height(0, 3))])
def test_heights_have_revisions_where_the_driver_s_clients_have_them(has_revisions, expected) -> None:
    assert Convention(has_revisions=has_revisions).height("chain-7", 3) == expected


def test_who_may_not_relay_over_a_client_is_told(client_net) -> None:
    net = client_net
    message = MsgUpdateClientConfig(net.path.b.client_id, (net.b.address("rival"),), net.b.endpoint.signer)
    raw = encode_msg(message)
    assert net.b.endpoint.submit([AnyMessage(MsgUpdateClientConfig.TYPE_URL, raw)]).code == 0
    net.transfer()
    with pytest.raises(TransactionFailed, match=f"the update of {net.path.b.client_id}: ibc/2"):
        net.relay()
    assert net.relay(user="rival").acknowledged == 1
