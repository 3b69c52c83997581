"""Composition root: connects keepers, applications and light clients."""

from ibc_module.pipeline import Pipeline
from ibc_module.stacks import ApplicationStacks
from keepers.channel import ChannelKeeper, PacketKeeper
from keepers.client import ClientKeeper, ClientKeeperV2
from keepers.connection import ConnectionKeeper
from keepers.keepers import ChannelRules, Keepers, KeepersV2
from keepers.packet_v2 import PacketKeeperV2
from keepers.port import PortKeeper
from keepers.upgrade import UpgradeKeeper
from light_client.checks import InvalidLightClient, check_light_client
from light_client.registry import DuplicateLightClient, Registry
from pyibc.core.address import AddressCodec, is_prefix
from pyibc.core.errors import IbcError
from pyibc.core.host.context import Config
from pyibc.core.setup_error import WiringError, name_of


def wire(pipeline: Pipeline, config: Config) -> Keepers:
    """Build one chain's IBC module from the plugins' registrations.

    Raises:
        WiringError: two plugins register one port, one type of light clients, or overlapping prefixes; a
            middleware wraps a port without an application; an application or a light client is
            incomplete; `config` has an invalid value, or another account prefix than the host.
    """
    addresses = _addresses(pipeline, config)
    registry = _registry(pipeline)
    _check_config(config, registry, addresses)
    stacks = ApplicationStacks(pipeline, config, addresses)
    apps, apps_v2 = stacks.apps(), stacks.apps_v2()
    clients = ClientKeeper(registry)
    keepers = Keepers(
        clients,
        ConnectionKeeper(clients),
        ChannelKeeper(),
        PacketKeeper(),
        PortKeeper(apps),
        UpgradeKeeper(),
        addresses,
        config.authority,
        KeepersV2(ClientKeeperV2(addresses), PacketKeeperV2(), PortKeeper(apps_v2), config.several_payloads),
        ChannelRules(config.optimistic_sends, config.validate_channel_identifier),
    )
    stacks.keepers.bind(keepers)
    return keepers


def _addresses(pipeline: Pipeline, config: Config) -> AddressCodec:
    ours, hosts = config.account_prefix, pipeline.account_prefix()
    if hosts is not None and hosts != ours:
        raise WiringError(
            f"the host's addresses have the prefix {hosts!a}, but Config.account_prefix is {ours!a}"
        )
    if not is_prefix(ours):
        raise WiringError(f"Config.account_prefix {ours[:64]!a}is not a valid address prefix")
    return AddressCodec(ours)


def _registry(pipeline: Pipeline) -> Registry:
    """Build the registry of light clients by type.

    Raises:
        WiringError: two plugins register one type, or a light client is incomplete.
    """
    plugins: dict[str, object] = {}
    registered = pipeline.light_clients()
    for plugin, client in registered:
        try:
            check_light_client(client)
        except InvalidLightClient as error:
            raise WiringError(f"{name_of(plugin)}: {error}") from error
        kind = client.client_type
        if kind in plugins:
            first = name_of(plugins[kind])
            raise WiringError(f"{first} and {name_of(plugin)} both register the light client {kind!a}")
        plugins[kind] = plugin
    try:
        return Registry(client for _, client in registered)
    except DuplicateLightClient as error:
        raise WiringError(str(error)) from error


def _check_config(config: Config, registry: Registry, addresses: AddressCodec) -> None:
    if config.authority:
        try:
            addresses.decode(config.authority, "authority")
        except IbcError as error:
            raise WiringError(f"Config.authority: {error}") from error
    if config.max_expected_time_per_block_ns < 1:
        raise WiringError("Config.max_expected_time_per_block_ns must be at least 1")
    for kind in config.allowed_clients:
        if kind != "*" and kind not in registry:
            known = ", ".join(registry)
            raise WiringError(
                f"Config.allowed_clients: no plugin registers {kind!a}; registered types: {known}"
            )
