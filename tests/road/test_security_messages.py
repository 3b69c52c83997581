"""What holds for every message: proofs are not optional, dead clients carry nothing, nobody acts for another.

Names begin as in docs/security.md. Each table is held against the messages that a chain takes.
"""

from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit import sides
from conformance.kit.encode import to_any
from conformance.kit.full_chain import full_chain
from conformance.kit.mutate_state import freeze_client
from conformance.kit.pair import Pair
from conformance.kit.refusals import expect_refusal
from conformance.kit.scenario import ACK
from conformance.kit.sides import CLIENT_ON_A
from conformance.kit.staged_block import StagedBlock
from ibc_module.plugin import Config
from light_client.tendermint.states import decode_client_state, encode_client_state
from pyibc.apps.interchain_accounts.messages import MsgUpdateControllerParams, MsgUpdateHostParams
from pyibc.apps.rate_limit.messages import (
    MsgAddRateLimit,
    MsgRemoveRateLimit,
    MsgResetRateLimit,
    MsgUpdateRateLimit,
)
from pyibc.apps.transfer.messages import MsgTransfer, MsgUpdateTransferParams
from pyibc.codec.anys import AnyMessage
from pyibc.codec.gotime import GO_ZERO_TIME_NS
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import (
    MsgDeleteClientCreator,
    MsgIbcSoftwareUpgrade,
    MsgRecoverClient,
    MsgUpdateClientParams,
)
from pyibc.core.client.types import UpgradePlan
from pyibc.core.client_v2 import MsgRegisterCounterparty, MsgUpdateClientConfig
from pyibc.core.connection.messages import MsgConnectionOpenInit, MsgUpdateConnectionParams
from pyibc.core.connection.types import DEFAULT_VERSION, ConnectionCounterparty, Version
from pyibc.core.errors import (
    ClientNotActive,
    IbcError,
    InvalidAddress,
    InvalidConnectionVersion,
    InvalidMemo,
    InvalidPacket,
    InvalidPayload,
    InvalidProof,
    InvalidVersion,
    TooLarge,
)
from pyibc.core.height import Height
from pyibc.core.packet_v2.messages import MsgRecvPacketV2
from pyibc.core.packet_v2.types import PacketV2, Payload
from pyibc.relayer.clients.tendermint import ClientSettings, client_state
from pyibc.relayer.money.wallet import Wallet
from pyibc.testing.transfers import FAR
from tests.missing import nothing_missing
from tests.sampling import rounds

DAY_NS = 86_400 * 10**9
AUTHORITY = Wallet.from_seed("authority", "cosmos").address.text
UNORDERED, ORDERED = Order.UNORDERED, Order.ORDERED

MESSAGES = {
    "connection open init": lambda s: (s.a, s.to_a.connection_open_init()),
    "connection open try": lambda s: (s.b, s.to_b.connection_open_try(s.connections.init_on_a)),
    "connection open ack": lambda s: (s.a, s.to_a.connection_open_ack(*s.connections.tried)),
    "connection open confirm": lambda s: (s.b, s.to_b.connection_open_confirm(*s.connections.acked[::-1])),
    "channel open init": lambda s: (s.a, s.to_a.channel_open_init(s.connection_a)),
    "channel open try": lambda s: (s.b, s.to_b.channel_open_try(s.connection_b, s.channels.init_on_a)),
    "channel open ack": lambda s: (s.a, s.to_a.channel_open_ack(*s.channels.tried)),
    "channel open confirm": lambda s: (s.b, s.to_b.channel_open_confirm(*s.channels.acked[::-1])),
    "channel close init": lambda s: (s.a, s.to_a.channel_close_init(s.unordered.a.channel_id)),
    "channel close confirm": lambda s: (
        s.a,
        s.to_a.channel_close_confirm(s.closed_unordered.a.channel_id, s.closed_unordered.b.channel_id),
    ),
    "recv": lambda s: (s.b, s.to_b.recv(s.packets[UNORDERED].fresh)),
    "recv ordered": lambda s: (s.b, s.to_b.recv(s.packets[ORDERED].fresh)),
    "acknowledge": lambda s: (s.a, s.to_a.acknowledge(s.packets[UNORDERED].received, ACK)),
    "acknowledge ordered": lambda s: (s.a, s.to_a.acknowledge(s.packets[ORDERED].received, ACK)),
    "timeout": lambda s: (s.a, s.to_a.timeout(s.expired[UNORDERED])),
    "timeout ordered": lambda s: (s.a, s.to_a.timeout(s.expired[ORDERED], ORDERED)),
    "timeout on close": lambda s: (s.a, s.to_a.timeout_on_close(s.stranded[UNORDERED])),
    "timeout on close ordered": lambda s: (s.a, s.to_a.timeout_on_close(s.stranded[ORDERED], ORDERED)),
    "update client": lambda s: (s.a, s.to_a.update_client()),
}


@pytest.fixture(autouse=True)
def ahead(scene):
    """Chain b is beyond what chain a's client knows, so that there is a header to bring."""
    while scene.b.chain.height <= scene.pair.known(scene.a).revision_height:
        scene.b.chain.make_block([])


def proofs_of(message):
    return [field.name for field in fields(message) if field.name.startswith("proof_") and isinstance(
        getattr(message, field.name), bytes
    )]  # fmt: skip


@pytest.mark.parametrize("name", MESSAGES)
def test_the_message_is_good(scene, name):
    side, message = MESSAGES[name](scene)
    assert scene.stage(side).attempt(message).error is None


@pytest.mark.parametrize("name", MESSAGES)
def test_h23_no_message_goes_without_its_proofs(scene, name):
    side, message = MESSAGES[name](scene)
    proofs = proofs_of(message)
    assert bool(proofs) == (not name.endswith("init") and name != "update client")
    for proof in proofs:
        expect_refusal(scene.stage(side), replace(message, **{proof: b""}), InvalidProof)


def dead(ctx, how):
    if how == "Frozen":
        freeze_client(ctx, sides.side_of(ctx).client_id)
    else:
        ctx.time_ns += 15 * DAY_NS


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("how", ["Frozen", "Expired"])
def test_h15_a_client_that_is_not_active_carries_nothing(scene, name, how):
    side, message = MESSAGES[name](scene)
    stage = scene.stage(side)
    dead(stage.ctx, how)
    before = stage.writes()
    error = stage.attempt(message).error
    assert type(error) is ClientNotActive
    assert error.status == how
    assert stage.writes() == before


def test_h15_a_frozen_client_is_frozen_even_when_it_has_expired(scene):
    stage = scene.stage(scene.a)
    dead(stage.ctx, "Frozen")
    dead(stage.ctx, "Expired")
    assert scene.a.keepers.clients.status(stage.ctx, CLIENT_ON_A).value == "Frozen"


# -- who may


PERMISSIONLESS = {
    "/cosmos.bank.v1beta1.MsgSend",
    "/cosmos.bank.v1beta1.MsgMultiSend",
    "/ibc.applications.gmp.v1.MsgSendCall",
    *(f"/ibc.applications.interchain_accounts.controller.v1.Msg{name}" for name in (
        "RegisterInterchainAccount", "SendTx",
    )),
    "/ibc.applications.interchain_accounts.host.v1.MsgModuleQuerySafe",
    "/ibc.applications.transfer.v1.MsgTransfer",
    *(f"/ibc.core.channel.v1.Msg{name}" for name in (
        "Acknowledgement", "ChannelCloseConfirm", "ChannelCloseInit", "ChannelOpenAck", "ChannelOpenConfirm",
        "ChannelOpenInit", "ChannelOpenTry", "RecvPacket", "Timeout", "TimeoutOnClose",
    )),
    *(f"/ibc.core.channel.v2.Msg{name}" for name in (
        "Acknowledgement", "RecvPacket", "SendPacket", "Timeout",
    )),
    *(f"/ibc.core.client.v1.Msg{name}Client" for name in ("Create", "Update", "Upgrade")),
    "/ibc.core.client.v1.MsgSubmitMisbehaviour",
    *(f"/ibc.core.connection.v1.MsgConnectionOpen{name}" for name in ("Init", "Try", "Ack", "Confirm")),
    *(f"/pyibc.channel.v1.Msg{name}" for name in (
        "ChannelCloseConfirm", "ChannelCloseInit", "ChannelOpenAck", "ChannelOpenConfirm", "ChannelOpenInit",
        "ChannelOpenTry", "CleanupPacket", "Timeout",
    )),
    *(f"/pyibc.connection.v1.MsgConnectionOpen{name}" for name in ("Init", "Try", "Ack", "Confirm")),
    *(f"/pyibc.queue.v1.Msg{name}" for name in (
        "Advance", "HandleReceipt", "Receive", "Register", "Send", "Timeout",
    )),
}  # fmt: skip
"""What anybody may send: they act with the signer's own coins, or prove what they say."""

PRIVILEGED = (
    MsgUpdateTransferParams(False, False, ""),
    MsgUpdateControllerParams(False, ""),
    MsgUpdateHostParams(True, ("*",), ""),
    MsgAddRateLimit("", "ualpha", sides.A.channel_id, 10, 10, 1),
    MsgUpdateRateLimit("", "ualpha", sides.A.channel_id, 10, 10, 1),
    MsgRemoveRateLimit("", "ualpha", sides.A.channel_id),
    MsgResetRateLimit("", "ualpha", sides.A.channel_id),
    MsgUpdateClientParams(("*",), ""),
    MsgUpdateConnectionParams(1, ""),
    MsgRecoverClient(CLIENT_ON_A, "07-tendermint-99", ""),
    MsgIbcSoftwareUpgrade(
        UpgradePlan("v2", GO_ZERO_TIME_NS, 10**6, "", False),
        client_state("alpha-2", 10**6 + 1, ClientSettings()),
        "",
    ),
    MsgDeleteClientCreator(CLIENT_ON_A, ""),
    MsgRegisterCounterparty(CLIENT_ON_A, (b"ibc", b""), CLIENT_ON_A, ""),
    MsgUpdateClientConfig(CLIENT_ON_A, (), ""),
)
"""Messages that only the authority or a client's creator may send, one of each; strangers sign them below."""


def routes_of(side):
    return side.chain.app.pipeline.messages()


@pytest.fixture(scope="module")
def full():
    """Two chains with every plugin."""
    return Pair.connected(make_chain=full_chain, config=Config(authority=AUTHORITY))


@pytest.mark.registry
def test_h39b_every_message_is_for_everybody_or_has_its_authority(full):
    routes, privileged = set(routes_of(full.a)), {message.TYPE_URL for message in PRIVILEGED}
    nothing_missing(
        f"{url}: add it to tests/road/test_security_messages.py: to PERMISSIONLESS if anybody may send it, "
        "else an example of it to PRIVILEGED"
        for url in sorted(routes - PERMISSIONLESS - privileged)
    )
    assert PERMISSIONLESS | privileged <= routes
    assert not PERMISSIONLESS & privileged


def stranger_says(pair):
    """Privileged messages signed by somebody who has nothing to say."""
    user = pair.a.user.signer
    return [replace(message, **{message.SIGNER: user}) for message in PRIVILEGED]


@pytest.mark.registry
def test_h39b_a_stranger_has_no_say(full):
    for message in stranger_says(full):
        attempt = StagedBlock(full.a.chain).attempt(message)
        assert attempt.error is not None, f"{message.TYPE_URL} is for everybody: it belongs to PERMISSIONLESS"
        assert isinstance(attempt.error, IbcError)
        assert "nauthorized" in type(attempt.error).__name__, (
            f"{message.TYPE_URL} is refused, but not for its signer: fix its example in PRIVILEGED"
        )
        assert attempt.writes == {}


ACTORS = {"signer", "sender"}


def all_messages(scene, full):
    for make in MESSAGES.values():
        yield make(scene)
    transfer = MsgTransfer("transfer", "channel-0", "ualpha", "1", scene.a.user.signer, "x", FAR, 0, "")
    yield scene.a, transfer
    for message in stranger_says(full):
        yield full.a, message


def test_h44_the_signers_of_a_message_are_those_it_names(scene, full):
    """One address, out of the message's own field; nothing in a transaction adds or replaces any."""
    for side, message in all_messages(scene, full):
        packed = to_any(message)
        route = routes_of(side)[packed.type_url]
        decoded = route.decode(packed.value)
        named = [getattr(decoded, field) for field in ACTORS if hasattr(decoded, field)]
        assert len(named) == 1
        assert route.signers(decoded) == (side.chain.app.addresses.decode(named[0], "signer").raw,)


def test_h48_no_message_names_an_actor_who_does_not_sign(scene, full):
    """Addresses in a message are its signer's, or name who receives; a list of relayers only limits."""
    harmless = {"receiver", "allowed_relayers"}
    for side, message in all_messages(scene, full):
        packed = to_any(message)
        decoded = routes_of(side)[packed.type_url].decode(packed.value)
        addresses = {
            field.name
            for field in fields(decoded)
            if "cosmos1" in str(getattr(decoded, field.name)) and field.name not in harmless
        }
        assert addresses <= ACTORS


# -- nothing but our errors


TYPES = [
    "/ibc.lightclients.tendermint.v1.Header",
    "/ibc.lightclients.tendermint.v1.Misbehaviour",
    "/ibc.lightclients.solomachine.v3.Header",
    "/ibc.lightclients.solomachine.v3.Misbehaviour",
    "/ibc.lightclients.tendermint.v1.ClientState",
    "/ibc.core.channel.v1.Packet",
    "",
]


@settings(max_examples=rounds(37, 150), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), type_url=st.sampled_from(TYPES))
def test_h13_a_malformed_client_message_is_an_error_of_ours(scene, data, type_url):
    """Headers, evidence, other things under their names: cut, spoilt or made up; no state changes."""
    raw = scene.to_a.update_client().client_message.value
    at = data.draw(st.integers(0, len(raw) - 1))
    body = data.draw(
        st.sampled_from([raw[:at], raw[at:], raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :], b""])
        | st.binary(max_size=60)
    )
    message = replace(scene.to_a.update_client(), client_message=AnyMessage(type_url, body))
    attempt = scene.stage(scene.a).attempt(message)  # anything but an IbcError is raised through
    assert attempt.error is None or attempt.writes == {}


# -- limits


def transferring(**changes):
    def make(scene):
        good = MsgTransfer("transfer", "channel-0", "ualpha", "1", scene.a.user.signer, "x", FAR, 0, "")
        return replace(good, **changes)

    return make


def receiving(**changes):
    def make(scene):
        message = scene.to_b.recv(scene.packets[UNORDERED].fresh)
        return replace(message, packet=replace(message.packet, **changes))

    return make


def connecting(prefix=b"ibc", features=()):
    def make(scene):
        version = Version(DEFAULT_VERSION.identifier, features or DEFAULT_VERSION.features)
        far = ConnectionCounterparty(CLIENT_ON_A, "", prefix)
        return MsgConnectionOpenInit(CLIENT_ON_A, far, version, 0, scene.to_a.signer)

    return make


def trying(count):
    return lambda scene: replace(
        scene.to_b.connection_open_try(scene.connections.init_on_a), versions_on_a=(DEFAULT_VERSION,) * count
    )


def creating(size):
    """A client whose state has so many bytes: its upgrade path is as long as it takes."""

    def make(scene):
        message = scene.to_a.create_client()
        state = decode_client_state(message.client_state.value)
        raw, length = b"", size - len(message.client_state.value) - 16
        while len(raw) < size:
            length += 1
            raw = encode_client_state(state._replace(upgrade_path=(*state.upgrade_path, "u" * length)))
        assert len(raw) == size
        packed = AnyMessage(message.client_state.type_url, raw)
        return replace(message, client_state=packed)

    return make


def receiving_v2(size):
    payload = Payload("one", "two", "1", "text/plain", b"v" * size)
    packet = PacketV2(1, "07-tendermint-8", "07-tendermint-9", 1_700_000_000, (payload,))
    return lambda scene: MsgRecvPacketV2(packet, b"proof", Height(1, 1), scene.a.user.signer)


LIMITS = [
    ("memo", lambda n: transferring(memo="m" * n), 32_768, InvalidMemo),
    ("memo in bytes", lambda n: transferring(memo="\u00e9" * (n // 2) + "m" * (n % 2)), 32_768, InvalidMemo),
    ("receiver", lambda n: transferring(receiver="r" * n), 2_048, InvalidAddress),
    ("packet data", lambda n: receiving(data=b"d" * n), 262_144, InvalidPacket),
    ("port", lambda n: receiving(port_id_on_b="p" * n), 128, IbcError),
    ("channel", lambda n: receiving(channel_id_on_b="c" * n), 64, IbcError),
    ("prefix", lambda n: connecting(prefix=b"p" * n), 256, IbcError),
    ("features", lambda n: connecting(features=("ORDER_ORDERED",) * n), 100, InvalidConnectionVersion),
    ("versions", trying, 100, InvalidVersion),
    ("client state", creating, 32_768, TooLarge),
    ("payload", receiving_v2, 262_144, InvalidPayload),
]


@pytest.mark.parametrize(
    ("make", "limit", "error"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS]
)
def test_h14_what_can_be_long_has_a_limit(scene, make, limit, error):
    """Stateless checks take it at the limit, and refuse it one beyond."""
    routes = routes_of(scene.a)
    packed = to_any(make(limit)(scene))
    routes[packed.type_url].decode(packed.value)
    packed = to_any(make(limit + 1)(scene))
    with pytest.raises(error):
        routes[packed.type_url].decode(packed.value)
