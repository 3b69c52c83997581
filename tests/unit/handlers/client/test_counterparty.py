"""Counterparties of clients, who may relay over them, and who may say so."""

import pytest

from pyibc.codec.anys import AnyMessage
from pyibc.core.client.messages import MsgUpdateClient
from pyibc.core.client_v2 import MsgRegisterCounterparty, MsgUpdateClientConfig
from pyibc.core.errors import (
    InvalidAddress,
    InvalidClientCounterparty,
    InvalidIdentifier,
    InvalidRequest,
    TooLarge,
    Unauthorized,
)
from pyibc.core.wire.message import encode_msg

NEW = "99-believer-1"


@pytest.fixture
def register(chain):
    chain.keepers.clients.set_creator(chain.ctx, NEW, chain.alice.raw)
    chain.ctx.take_events()

    def message(client_id=NEW, prefix=(b"ibc", b""), other="07-tendermint-3", signer=None):
        signer = chain.alice.text if signer is None else signer
        msg = MsgRegisterCounterparty(client_id, prefix, other, signer)
        return MsgRegisterCounterparty.TYPE_URL, encode_msg(msg)

    return message


@pytest.fixture
def configure(chain, kit):
    def message(relayers=(), client_id=kit.OURS, signer=None):
        signer = chain.alice.text if signer is None else signer
        return MsgUpdateClientConfig.TYPE_URL, encode_msg(MsgUpdateClientConfig(client_id, relayers, signer))

    return message


def test_the_creator_registers_once(chain, register):
    assert chain.deliver(*register()) == (b"", ())
    ibc, _ = chain.state()
    assert ibc[b"clients/99-believer-1/counterparty"] == b"\n\x03ibc\n\x00\x12\x0f07-tendermint-3"
    assert ibc[b"nextSequenceSend/99-believer-1"] == bytes(7) + b"\x01"
    chain.refuses(InvalidRequest, *register())


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"signer": "x"}, InvalidAddress),
        ({"prefix": ()}, InvalidClientCounterparty),
        ({"prefix": (b"",) * 33}, TooLarge),
        ({"prefix": (bytes(257),)}, TooLarge),
        ({"client_id": "x/y"}, InvalidIdentifier),
        ({"other": "x/y"}, InvalidIdentifier),
        ({"other": "tendermint"}, InvalidIdentifier),
        ({"client_id": "believer"}, InvalidIdentifier),
        ({"client_id": "99-believer-2"}, Unauthorized),
    ],
)
def test_refused_registrations(chain, register, changes, error):
    chain.refuses(error, *register(**changes))


def test_h39b_only_the_creator_registers(chain, register):
    chain.refuses(Unauthorized, *register(signer=chain.bob.text))


def test_the_largest_prefix(chain, register):
    chain.deliver(*register(prefix=(bytes(256),) * 32))


def test_h39b_creator_and_authority_configure(chain, kit, configure):
    config = b"clients/99-believer-0/config"
    chain.refuses(Unauthorized, *configure(signer=chain.bob.text))
    assert chain.deliver(*configure((chain.bob.text,))) == (b"", ())
    assert chain.state()[0][config] == b"\n\x2d" + chain.bob.text.encode()
    chain.deliver(*configure(signer=chain.keepers.authority))
    assert chain.state()[0][config] == b""
    assert chain.keepers.v2.clients.allowed_relayers(chain.ctx, kit.OURS) == ()


@pytest.mark.parametrize("client_id", ["x", "believer", "99-believer-5"])
def test_clients_that_cannot_be_configured(chain, configure, client_id):
    error = Unauthorized if client_id == "99-believer-5" else InvalidIdentifier
    chain.refuses(error, *configure(client_id=client_id))


def test_who_can_be_a_relayer(chain, configure):
    chain.refuses(TooLarge, *configure((chain.bob.text,) * 21))
    chain.refuses(InvalidAddress, *configure((chain.bob.text, "x")))
    chain.deliver(*configure((chain.bob.text,) * 20))


def test_only_allowed_relayers_update_the_client(chain, kit):
    taken = []
    chain.client.verify_client_message = lambda ctx, client_id, message: taken.append(message)
    chain.client.check_for_misbehaviour = lambda ctx, client_id, message: False
    chain.client.update_state = lambda ctx, client_id, message: [kit.HEIGHT]
    chain.keepers.v2.clients.set_allowed_relayers(chain.ctx, kit.OURS, (chain.bob.text,))
    header, deliver = AnyMessage("/believer.Header", b""), chain.routes[MsgUpdateClient.TYPE_URL].deliver
    with pytest.raises(Unauthorized):
        deliver(chain.ctx, MsgUpdateClient(kit.OURS, header, chain.alice.text))
    assert taken == []
    deliver(chain.ctx, MsgUpdateClient(kit.OURS, header, chain.bob.text))
    assert taken == [header]
