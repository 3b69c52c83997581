"""Moves of accounts controlled from another chain: interchain accounts (ICS-27) and GMP."""

from typing import NamedTuple

from conformance.walks import genesis, view
from conformance.walks.chain import WalkChain
from conformance.walks.moves import Move
from conformance.walks.moves.authority import governance
from conformance.walks.moves.packets_v2 import pairs
from conformance.walks.world import World
from pyibc.apps.gmp.messages import MsgSendCall
from pyibc.apps.gmp.packet_data import AccountIdentifier
from pyibc.apps.interchain_accounts.messages import (
    MsgModuleQuerySafe,
    MsgRegisterInterchainAccount,
    MsgSendTx,
    MsgUpdateControllerParams,
    MsgUpdateHostParams,
    QueryRequest,
)
from pyibc.apps.interchain_accounts.packet_data import (
    EXECUTE_TX,
    HOST_PORT,
    PROTO3,
    PROTO3_JSON,
    TX_TYPE,
    VERSION,
    InterchainAccountPacketData,
    Metadata,
    decode_metadata,
    encode_metadata,
)
from pyibc.apps.transfer import packet_data
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.chain.bank.send import MSG_MULTI_SEND, MSG_SEND
from pyibc.codec.anys import AnyMessage
from pyibc.codec.protojson import Unprintable
from pyibc.core.channel.messages import MsgChannelOpenInit
from pyibc.core.channel.types import ChannelCounterparty, ChannelEnd, ChannelState, Order
from pyibc.core.connection.types import ConnectionState
from pyibc.core.errors import IbcError
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.packet_v2.types import ABI, JSON, PROTOBUF
from pyibc.core.wire.message import Msg, pack_msg
from pyibc.proto.cosmos.bank.v1beta1 import bank_pb2 as bank_types
from pyibc.proto.cosmos.bank.v1beta1 import tx_pb2 as bank
from pyibc.proto.cosmos.bank.v1beta1.query_pb2 import QueryBalanceRequest
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.relayer.interchain_tx import write_messages
from pyibc.testing.pair import SECOND

OWNER_PORT = "icacontroller-"
ALLOWED = (("*",), (MSG_SEND,), (MSG_SEND, MsgTransfer.TYPE_URL), (), ("*", MSG_SEND), ("",), ("/x",))
SALTS = (b"", b"salt", b"\x00" * 32, b"\xff" * 33)
MEMOS = ("", "", "hello", '{"src_callback":{"address":"x"}}', "é")


class Held(NamedTuple):
    """An interchain account, seen from its controller's chain."""

    owner: str
    connection_id: str
    address: str
    encoding: str
    is_open: bool


def held(chain: WalkChain) -> list[Held]:
    """Return accounts that owners on `chain` registered, and whose channels have an address."""
    found = []
    for each in view.channels(chain):
        if each.port_id.startswith(OWNER_PORT):
            try:
                told = decode_metadata(each.end.version)
            except IbcError:
                continue
            owner, is_open = each.port_id.removeprefix(OWNER_PORT), each.end.state is ChannelState.OPEN
            found.append(Held(owner, each.end.connection_id, told.address, told.encoding, is_open))
    return [each for each in found if each.address]


def _connection(world: World, chain: WalkChain) -> tuple[str, str] | None:
    """Return a connection, usually an open one, and its other end."""
    ends = view.connections(chain)
    opened = [name for name, end in ends.items() if end.state is ConnectionState.OPEN]
    if not ends or (not opened and world.choices.chance(90)):
        return None
    name = world.choices.pick(opened if opened and world.choices.chance(95) else list(ends))
    return name, ends[name].counterparty.connection_id


def _metadata(world: World, near: str, far: str) -> str:
    choices = world.choices
    encoding = choices.weighted(((5, PROTO3), (5, PROTO3_JSON), (1, "proto4")))
    version, kind = (
        choices.weighted(((9, VERSION), (1, "ics27-2"))),
        choices.weighted(((9, TX_TYPE), (1, "x"))),
    )
    address = world.someone() if choices.chance(5) else ""
    return encode_metadata(Metadata(version, near, far, address, encoding, kind))


def _default(near: str, far: str, in_json: bool) -> str:
    if not in_json:
        return ""
    return encode_metadata(Metadata(VERSION, near, far, "", PROTO3_JSON, TX_TYPE))


def register(world: World, chain: WalkChain) -> list[object] | None:
    """Register an account for an owner, or open a channel in an owner's name from another account."""
    found = _connection(world, chain)
    if found is None or len(view.channels(chain)) > 16:
        return None
    choices = world.choices
    (near, far), owner = found, world.someone()
    if world.setting_up:
        order = choices.pick((Order.UNORDERED, Order.ORDERED))
        return [MsgRegisterInterchainAccount(owner, near, _default(near, far, choices.chance(50)), order)]
    version = "" if choices.chance(50) else _metadata(world, near, far)
    order = choices.weighted(((5, Order.UNORDERED), (5, Order.ORDERED), (1, Order.NONE)))
    if choices.chance(85):
        return [MsgRegisterInterchainAccount(owner, near, version, order)]
    host = choices.weighted(((9, HOST_PORT), (1, "mock")))
    end = ChannelEnd(ChannelState.INIT, order, ChannelCounterparty(host, ""), (near,), version)
    return [MsgChannelOpenInit(f"{OWNER_PORT}{owner}", end, world.relayer)]


def payment(sender: str, receiver: str, amount: int, denom: str = "stake") -> AnyMessage:
    """Return a MsgSend of the bank."""
    coins = [Coin(denom=denom, amount=str(amount))]
    told = bank.MsgSend(from_address=sender, to_address=receiver, amount=coins)
    return AnyMessage(MSG_SEND, told.SerializeToString())


def _multi_send(world: World, account: str) -> AnyMessage:
    """Return a payment to several receivers, usually of balanced amounts."""
    choices = world.choices
    payers = choices.weighted(((6, [account]), (1, [account, account]), (1, [])))
    amounts = [choices.pick((1, 5, 10**30, 0, 2**255)) for _ in range(choices.below(3))]
    paid = sum(amounts) + choices.weighted(((5, 0), (1, 1)))
    coins = [Coin(denom="stake", amount=str(paid % 2**256))]
    got = [[Coin(denom="stake", amount=str(amount))] for amount in amounts]
    receivers = [world.someone() if choices.chance(90) else "cosmos1x" for _ in amounts]
    told = bank.MsgMultiSend(
        inputs=[bank_types.Input(address=payer, coins=coins) for payer in payers],
        outputs=[bank_types.Output(address=to, coins=part) for to, part in zip(receivers, got, strict=True)],
    )
    return AnyMessage(MSG_MULTI_SEND, told.SerializeToString())


def _one(world: World, far: WalkChain, account: str) -> AnyMessage:
    """Return a message that the account is to execute on `far`."""
    choices = world.choices
    way = choices.below(20)
    if way < 9:
        return payment(account, world.someone(), choices.pick((1, 5, 10**30, 0)))
    if way < 11:
        return _multi_send(world, account)
    if way < 15:
        ends = [each for each in view.channels(far) if each.port_id == packet_data.PORT_ID]
        channel = choices.pick(ends).channel_id if ends else "channel-0"
        until = world.now_ns + choices.pick((60, 3600)) * SECOND
        receiver = world.someone()
        transfer = MsgTransfer(
            packet_data.PORT_ID, channel, "stake", "3", account, receiver, ZERO_HEIGHT, until, ""
        )
        return pack_msg(transfer)
    if way < 17:
        return payment(world.someone(), account, 5)
    if way < 18:
        return pack_msg(MsgUpdateHostParams(True, ("*",), genesis.AUTHORITY))
    return choices.pick((AnyMessage("", b""), AnyMessage("/x.Y", b""), AnyMessage(MSG_SEND, b"\xff")))


def _transaction(world: World, far: WalkChain, account: str, encoding: str) -> bytes:
    choices = world.choices
    if choices.chance(8):
        return choices.pick((b"", b"{}", b"null", b"\xff", b'{"messages":[]}', b"\x12\x01x"))
    messages = [_one(world, far, account) for _ in range(choices.weighted(((7, 1), (2, 2), (1, 3))))]
    try:
        return write_messages(messages, encoding)
    except (Unprintable, IbcError):
        return write_messages([payment(account, world.someone(), 1)], encoding)


def send_tx(world: World, chain: WalkChain) -> list[object] | None:
    """Send a transaction that the owner's account executes."""
    choices, accounts = world.choices, held(chain)
    opened = [each for each in accounts if each.is_open]
    if not accounts or (not opened and choices.chance(80)):
        return None
    one = choices.pick(opened if opened and choices.chance(95) else accounts)
    encoding = one.encoding if one.encoding in {PROTO3, PROTO3_JSON} and choices.chance(95) else PROTO3
    kind = EXECUTE_TX if choices.chance(96) else choices.pick((0, 2))
    data = _transaction(world, world.other(chain), one.address, encoding)
    packet = InterchainAccountPacketData(kind, data, choices.pick(MEMOS))
    timeout = choices.weighted(((8, 3600 * SECOND), (3, 15 * SECOND), (1, 0), (1, (1 << 64) - 1)))
    owner = one.owner if choices.chance(95) else world.someone()
    return [MsgSendTx(owner, one.connection_id, packet, timeout)]


def _called(world: World, chain: WalkChain) -> tuple[str, str, bytes, str] | None:
    """Return client, sender, salt and the account's address on the other chain."""
    found = pairs(world, chain)
    if not found:
        return None
    near, far = world.choices.pick(found)
    sender, salt = world.someone(), world.choices.pick(SALTS)
    address = AccountIdentifier(far, sender, salt).address
    return near, sender, salt, genesis.ADDRESSES.encode(address).text


def send_call(world: World, chain: WalkChain) -> list[object] | None:
    """Send messages to be executed over a client."""
    found = _called(world, chain)
    if found is None:
        return None
    choices = world.choices
    client_id, sender, salt, account = found
    payload = _transaction(world, world.other(chain), account, choices.pick((PROTO3, PROTO3_JSON)))
    encoding = choices.pick(("", JSON, PROTOBUF, ABI))
    receiver = choices.weighted(((8, ""), (1, world.someone()), (1, "x" * 2049)))
    until = world.now_ns // SECOND + choices.pick((12, 3600, 80_000))
    memo = choices.pick(MEMOS)
    return [MsgSendCall(client_id, sender, receiver, salt, payload, until, memo, encoding)]


def fund(world: World, chain: WalkChain) -> list[object] | None:
    """Fund an account, for the payments that the other chain requests."""
    far = world.other(chain)
    accounts = [each.address for each in held(far)]
    called = _called(world, far)
    if called is not None:
        accounts += [called[3]] * max(1, len(accounts) // 2)
    if not accounts:
        return None
    return [payment(world.someone(), world.choices.pick(accounts), world.choices.pick((1, 100, 10**6)))]


def _by_authority(world: World, message: Msg) -> list[object]:
    return governance(message) if world.choices.chance(50) else [message]


def params(world: World, chain: WalkChain) -> list[object] | None:
    """Disable or enable controller and host, or set the host's allowed messages.

    Disabled ones are enabled again.
    """
    choices = world.choices
    is_shut = chain.host.store.get("icacontroller", b"params") != b"\x08\x01"
    if is_shut:
        return _by_authority(world, MsgUpdateControllerParams(True, genesis.AUTHORITY))
    signer = genesis.AUTHORITY if choices.chance(80) else world.someone()
    if choices.chance(25):
        return _by_authority(world, MsgUpdateControllerParams(choices.chance(40), signer))
    allowed = ("*",) if choices.chance(60) else choices.pick(ALLOWED)
    return _by_authority(world, MsgUpdateHostParams(choices.chance(85), allowed, signer))


def query_safe(world: World, _: WalkChain) -> list[object] | None:
    """Run bank queries by MsgModuleQuerySafe."""
    choices, signer = world.choices, world.someone()
    balance = QueryBalanceRequest(address=signer, denom="stake").SerializeToString()
    known = QueryRequest("/cosmos.bank.v1beta1.Query/Balance", balance)
    other = choices.pick(("/cosmos.bank.v1beta1.Query/Nothing", "/ibc.core.client.v1.Query/ClientParams", ""))
    asked = choices.weighted(((6, (known,)), (1, ()), (2, (known, QueryRequest(other, b"")))))
    return [MsgModuleQuerySafe(signer, asked)]


MOVES: tuple[tuple[int, Move], ...] = (
    (4, register),
    (9, send_tx),
    (6, send_call),
    (5, fund),
    (3, params),
    (2, query_safe),
)
"""Weights and moves."""
