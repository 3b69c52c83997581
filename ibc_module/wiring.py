"""The composition root: the only place where keepers, applications and light clients meet."""

from ibc_core.address import AddressCodec, is_prefix
from ibc_core.config import Config
from ibc_core.errors import IbcError
from ibc_module.pipeline import Pipeline
from ibc_module.stacks import ApplicationStacks
from ibc_module.wiring_error import WiringError, name_of
from keepers.channel.keeper import ChannelKeeper, PacketKeeper
from keepers.client.keeper import ClientKeeper
from keepers.client.upgrade import UpgradeKeeper
from keepers.client_v2.keeper import ClientKeeperV2
from keepers.connection.keeper import ConnectionKeeper
from keepers.keepers import ChannelRules, Keepers, KeepersV2
from keepers.packet_v2.keeper import PacketKeeperV2
from keepers.port import PortKeeper
from light_client.checks import InvalidLightClient, check_light_client
from light_client.registry import DuplicateLightClient, Registry


def wire(pipeline: Pipeline, config: Config) -> Keepers:
    """Builds one chain's IBC module out of what the plugins register.

    Raises:
        WiringError: two plugins claim one port or one type of light clients, or overlapping prefixes; a
            middleware stands on a port that no application has; an application or a light client lacks a part
            of its protocol; `config` has an invalid value, or another account prefix than the host.
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
        raise WiringError(f"the host's addresses begin with {hosts!a}, Config.account_prefix is {ours!a}")
    if not is_prefix(ours):
        raise WiringError(f"Config.account_prefix {ours[:64]!a}: no address begins with that")
    return AddressCodec(ours)


def _registry(pipeline: Pipeline) -> Registry:
    """The light clients by type.

    Raises:
        WiringError: two plugins register one type, or what one registers is no whole `LightClient`.
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
        raise WiringError("Config.max_expected_time_per_block_ns is at least 1")
    for kind in config.allowed_clients:
        if kind != "*" and kind not in registry:
            known = ", ".join(registry)
            raise WiringError(f"Config.allowed_clients: no plugin registers {kind!a}; there are: {known}")
