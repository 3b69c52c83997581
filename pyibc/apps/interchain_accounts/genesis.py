"""Genesis state of interchain accounts: a section of the controller and one of the host, as in ibc-go."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pyibc.apps.interchain_accounts import state
from pyibc.apps.interchain_accounts.messages import check_allow_list
from pyibc.apps.interchain_accounts.packet_data import HOST_PORT, MODULE_NAME, check_account_address
from pyibc.apps.interchain_accounts.state import (
    ControllerParams,
    HostParams,
    encode_controller_params,
    encode_host_params,
)
from pyibc.codec.protojson import from_json
from pyibc.core.genesis import (
    OTHER,
    Entry,
    Section,
    entries_of,
    export_entries,
    export_store,
    parse_entries,
    require,
    single,
)
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.identifiers import validate_channel_id, validate_port_id
from pyibc.core.setup_error import InvalidGenesis
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import controller_pb2
from pyibc.proto.ibc.applications.interchain_accounts.genesis.v1 import genesis_pb2 as pb
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import host_pb2

CONTROLLER_SECTION, HOST_SECTION = "controller_genesis_state", "host_genesis_state"


def _section(genesis: Mapping[str, Any], name: str) -> tuple[Mapping[str, Any], str]:
    """Return a section of the entry and its path.

    Raises:
        InvalidGenesis: the entry or the section is not an object.
    """
    entry = genesis.get(MODULE_NAME, {})
    if not isinstance(entry, Mapping):
        raise InvalidGenesis(MODULE_NAME, entry, "is not an object")
    section, key = entry.get(name, {}), f"{MODULE_NAME}.{name}"
    if not isinstance(section, Mapping):
        raise InvalidGenesis(key, section, "is not an object")
    return section, key


def init_controller(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the controller's section; by default it is enabled.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given, key = _section(genesis, CONTROLLER_SECTION)
    found = from_json(pb.ControllerGenesisState, _without_other(given), key)
    if not found.HasField("params"):
        found.params.CopyFrom(controller_pb2.Params.FromString(encode_controller_params(ControllerParams())))
    _check_common(found, key)
    for number, port in enumerate(found.ports):
        require(validate_port_id, port, f"{key}.ports[{number}]")
    _write(ctx, state.CONTROLLER_STORE, _controller_entries(found), given, key)


def init_host(ctx: WriteContext, genesis: Mapping[str, Any]) -> None:
    """Write the host's section; by default it is enabled and allows all messages.

    Raises:
        InvalidGenesis: it is malformed; nothing is written, and the message has key and value.
    """
    given, key = _section(genesis, HOST_SECTION)
    found = from_json(pb.HostGenesisState, _without_other(given), key)
    if not found.HasField("params"):
        found.params.CopyFrom(host_pb2.Params.FromString(encode_host_params(HostParams())))
    found.port = found.port or HOST_PORT
    _check_common(found, key)
    require(validate_port_id, found.port, f"{key}.port")
    require(check_allow_list, tuple(found.params.allow_messages), f"{key}.params.allow_messages")
    entries = [(at, value) for _, at, value in entries_of(found, HOST)]
    _write(ctx, state.HOST_STORE, entries, given, key)


def export_controller(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the controller's store."""
    store = ctx.reader(state.CONTROLLER_STORE)
    exported = export_store(store, pb.ControllerGenesisState(params=controller_pb2.Params()), CONTROLLER)
    for channel in exported["active_channels"]:
        at = state.key_of(state.MIDDLEWARE, channel["port_id"], channel["connection_id"])
        channel["is_middleware_enabled"] = store.get(at) == state.ENABLED
    full = from_json(pb.ControllerGenesisState, _without_other(exported), "")
    given = dict(_controller_entries(full))
    everything = store.iterate(b"\0", None)
    exported[OTHER] = export_entries(entry for entry in everything if given.get(entry[0]) != entry[1])
    return exported


def export_host(ctx: ReadContext) -> dict[str, Any]:
    """Export every entry of the host's store."""
    return export_store(ctx.reader(state.HOST_STORE), pb.HostGenesisState(params=host_pb2.Params()), HOST)


def _without_other(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in given if name != OTHER}


def _controller_entries(found: pb.ControllerGenesisState) -> list[Entry]:
    """Return the controller's entries, including the middleware flag of each active channel."""
    entries = [(at, value) for _, at, value in entries_of(found, CONTROLLER)]
    for each in found.active_channels:
        # guard: h164-a-genesis-forgets-the-flag drop:is_middleware_enabled
        #   test_what_ibc_go_exported_is_read_and_written_again
        flag = state.ENABLED if each.is_middleware_enabled else state.DISABLED
        entries.append((state.key_of(state.MIDDLEWARE, each.port_id, each.connection_id), flag))
    return entries


def _write(
    ctx: WriteContext, store: str, entries: Iterable[Entry], given: Mapping[str, Any], key: str
) -> None:
    other = parse_entries(given.get(OTHER, []), f"{key}.{OTHER}")
    state.AccountsState(store).set_entries(ctx, [*entries, *other])


def _check_common(found: pb.ControllerGenesisState | pb.HostGenesisState, key: str) -> None:
    """Check what ibc-go's `Validate` checks in both sections."""
    for number, channel in enumerate(found.active_channels):
        require(validate_channel_id, channel.channel_id, f"{key}.active_channels[{number}].channel_id")
        require(validate_port_id, channel.port_id, f"{key}.active_channels[{number}].port_id")
    for number, account in enumerate(found.interchain_accounts):
        where = f"{key}.interchain_accounts[{number}]"
        require(validate_port_id, account.port_id, f"{where}.port_id")
        require(check_account_address, account.account_address, f"{where}.account_address")


# -- sections


def _named(kind: bytes, make: Callable[[str, str, str], Any]) -> Callable[[bytes, bytes], Any]:
    def read(key: bytes, value: bytes) -> Any:
        if not key.startswith(kind):
            return None
        port_id, connection_id = state.split_key(kind, key)
        return make(port_id, connection_id, value.decode("ascii"))

    return read


_read_channel = _named(
    state.ACTIVE_CHANNEL,
    lambda port, hop, text: pb.ActiveChannel(connection_id=hop, port_id=port, channel_id=text),
)
_read_account = _named(
    state.OWNER,
    lambda port, hop, text: pb.RegisteredInterchainAccount(
        connection_id=hop, port_id=port, account_address=text
    ),
)


def _channel(item: pb.ActiveChannel) -> Iterable[Entry]:
    yield state.key_of(state.ACTIVE_CHANNEL, item.port_id, item.connection_id), item.channel_id.encode()


def _account(item: pb.RegisteredInterchainAccount) -> Iterable[Entry]:
    yield state.key_of(state.OWNER, item.port_id, item.connection_id), item.account_address.encode()


def _read_port(key: bytes, value: bytes) -> str | None:
    is_port = key.startswith(state.PORT) and value == state.BOUND
    return key.removeprefix(state.PORT).decode("ascii") if is_port else None


def _port(port_id: str) -> Iterable[Entry]:
    yield state.PORT + port_id.encode(), state.BOUND


_BOTH = (
    Section("", "active_channels", _read_channel, _channel),
    Section("", "interchain_accounts", _read_account, _account),
)
CONTROLLER = (
    *_BOTH,
    Section("", "ports", _read_port, _port),
    single("", "params", state.PARAMS, controller_pb2.Params),
)
HOST = (
    *_BOTH,
    Section("", "port", _read_port, _port),
    single("", "params", state.PARAMS, host_pb2.Params),
)
