"""What a chain takes as a light client, and what two chains of one process know of each other's."""

import pytest

from ibc_module import hookimpl
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import IbcPlugin, LightClientsPlugin
from light_client.checks import InvalidLightClient, check_light_client
from light_client.interface import ClientTypes, LightClient, UpgradedStates
from light_client.registry import DuplicateLightClient, Registry, builtin_light_clients
from light_client.solomachine.client import SolomachineLightClient
from light_client.tendermint.client import TendermintLightClient
from pyibc.codec.anys import BUILTIN, AnyMessage, Role, pack, type_url
from pyibc.core.address import AddressCodec
from pyibc.core.client.messages import MsgCreateClient, MsgSubmitMisbehaviour, MsgUpdateClient
from pyibc.core.client.types import Status
from pyibc.core.errors import (
    InvalidClient,
    InvalidClientType,
    InvalidConsensus,
    InvalidMisbehaviour,
    InvalidUpgradeClient,
    TxDecode,
    UpdateClientFailed,
)
from pyibc.core.host.context import Config
from pyibc.core.wire.message import encode_msg
from pyibc.proto.ibc.core.channel.v1 import channel_pb2
from pyibc.proto.ibc.lightclients.solomachine.v3 import solomachine_pb2 as solomachine
from pyibc.proto.ibc.lightclients.tendermint.v1 import tendermint_pb2 as tendermint

ALICE = AddressCodec("cosmos").encode(b"a" * 20).text


class Least(LightClient):
    """What every light client must have, and no more."""

    client_type = "99-least"

    def status(self, ctx, client_id):
        return Status.ACTIVE

    def latest_height(self, ctx, client_id):
        raise NotImplementedError

    timestamp_at_height = verify_membership = verify_non_membership = lambda self, ctx, client_id, what: None


def with_parts(**parts):
    return type("Custom", (Least,), parts)()


def does(*names):
    return {name: getattr(TendermintLightClient, name) for name in names}


PACKETS = ClientTypes(channel_pb2.Packet, channel_pb2.Channel, (channel_pb2.Counterparty,))
CREATED = does("check_client_state", "check_consensus_state", "initialize")
UPDATED = does("check_message", "verify_client_message", "update_state")
HEADERS = ClientTypes(messages=(channel_pb2.Packet,))


@pytest.mark.parametrize(
    "client", [*builtin_light_clients(), Least(), with_parts(types=PACKETS, **CREATED, **UPDATED)]
)
def test_whole_light_clients_are_taken(client):
    check_light_client(client)
    assert list(Registry([client])) == [client.client_type]


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("tendermint", "'tendermint' is no pyibc.LightClient"),
        (
            TendermintLightClient,
            "is no pyibc.LightClient: register an object of it",
        ),  # the class in place of one of it
        (with_parts(client_type="no/type"), "client_type is 'no/type'"),
        (with_parts(client_type=None), "client_type is None"),
        (with_parts(types=("x",)), "no ClientTypes"),
        (with_parts(types=ClientTypes(messages=("/x.Header",))), "no class of protobuf messages"),
        (with_parts(types=ClientTypes(channel_pb2.Packet), **CREATED), "go together"),
        (with_parts(types=PACKETS, **UPDATED), "has a client state, but no method check_client_state"),
        (with_parts(types=HEADERS, **does("check_message")), "but no method verify_client_message"),
        (with_parts(**does("check_for_misbehaviour")), "no method update_state_on_misbehaviour"),
        (with_parts(recovr=lambda self: None), "Custom.recovr should be called recover"),
        (
            with_parts(verify_upgrade_and_update_states=lambda self: None),
            "should be called verify_upgrade_and_update_state",
        ),
        (with_parts(status=lambda self, ctx: None), "Custom.status must take"),
    ],
)
def test_what_is_no_light_client_is_refused_at_wiring(client, text):
    with pytest.raises(InvalidLightClient) as caught:
        Registry([client])
    assert text in str(caught.value)


def test_a_method_that_all_must_have_is_missed_by_its_name():
    class Misspelt(Least):
        verify_membership = LightClient.verify_membership
        verify_memebership = Least.verify_membership

    with pytest.raises(TypeError, match="verify_membership"):
        Misspelt()


def test_what_a_type_leaves_out_it_refuses():
    client, message = Least(), AnyMessage("/x", b"")
    upgraded = UpgradedStates(b"", b"", b"", b"")
    for error, call, *arguments in (
        (InvalidClient, client.check_client_state, b""),
        (InvalidConsensus, client.check_consensus_state, b""),
        (InvalidClientType, client.initialize, None, "99-least-0", b"", b""),
        (UpdateClientFailed, client.check_message, message),
        (UpdateClientFailed, client.verify_client_message, None, "99-least-0", message),
        (UpdateClientFailed, client.update_state, None, "99-least-0", message),
        (InvalidMisbehaviour, client.update_state_on_misbehaviour, None, "99-least-0", message),
        (UpdateClientFailed, client.recover, None, "99-least-0", "99-least-1"),
        (InvalidUpgradeClient, client.verify_upgrade_and_update_state, None, "99-least-0", upgraded),
    ):
        with pytest.raises(error):
            call(*arguments)
    assert not client.check_for_misbehaviour(None, "99-least-0", message)


@pytest.mark.parametrize(
    "types",
    [
        ClientTypes(tendermint.ClientState, channel_pb2.Packet),
        ClientTypes(channel_pb2.Packet, tendermint.ConsensusState),
        ClientTypes(messages=(tendermint.Header,)),
    ],
)
def test_two_light_clients_cannot_have_one_type_of_messages(types):
    with pytest.raises(DuplicateLightClient, match=r"ibc\.lightclients\.tendermint"):
        Registry([TendermintLightClient(), with_parts(types=types, **CREATED, **UPDATED)])


def test_the_default_of_decoders_is_what_our_light_clients_declare():
    known = Registry(builtin_light_clients()).known
    for module in (tendermint, solomachine):
        for name in ("ClientState", "ConsensusState", "Header", "Misbehaviour"):
            url = type_url(getattr(module, name))
            for role in Role:
                assert known.find(url, role) is BUILTIN.find(url, role)
    assert known.find("/cosmos.crypto.ed25519.PubKey", Role.PUBLIC_KEY) is not None


class Lists:
    def __init__(self, *clients):
        self._clients = clients

    @hookimpl
    def ibc_register_light_clients(self):
        return self._clients


def routes(plugin):
    return Pipeline([plugin, IbcPlugin(Config())]).messages()


def refusal(chain, url, value):
    try:
        chain[url].decode(value)
    except (TxDecode, InvalidClient, InvalidConsensus) as error:
        return type(error)
    return None


def test_what_one_chain_lists_another_does_not_know():
    """Neither chain's codes change with what is wired beside it."""
    own = with_parts(types=PACKETS, **UPDATED, **dict.fromkeys(CREATED, lambda self, *rest: None))
    create = MsgCreateClient(pack(channel_pb2.Packet(sequence=1)), pack(channel_pb2.Channel()), ALICE)
    machine = MsgCreateClient(
        pack(solomachine.ClientState(sequence=0, consensus_state=solomachine.ConsensusState())),
        pack(solomachine.ConsensusState()),
        ALICE,
    )
    asked = [encode_msg(each) for each in (create, machine)]

    def codes(chain):
        return [refusal(chain, MsgCreateClient.TYPE_URL, each) for each in asked]

    usual = routes(LightClientsPlugin())
    assert codes(usual) == [TxDecode, InvalidClient]
    other = routes(Lists(TendermintLightClient(), own))
    assert codes(other) == [None, TxDecode]
    assert codes(usual) == [TxDecode, InvalidClient]
    assert codes(routes(Lists(SolomachineLightClient()))) == [TxDecode, InvalidClient]
    assert codes(other) == [None, TxDecode]


def test_a_header_of_a_type_that_is_not_listed_is_not_decoded():
    chain = routes(Lists(TendermintLightClient()))
    for kind in (MsgUpdateClient, MsgSubmitMisbehaviour):
        message = kind("06-solomachine-0", pack(solomachine.Header(timestamp=1)), ALICE)
        with pytest.raises(TxDecode, match="is no known client message"):
            chain[kind.TYPE_URL].decode(encode_msg(message))
