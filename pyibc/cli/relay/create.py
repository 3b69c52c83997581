"""`pyibc relay create`: create clients, connections, channels and pairs of clients between two chains."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from pyibc.cli.between import drivers_of, endpoints, of_two_chains, reports
from pyibc.cli.progress import progress
from pyibc.cli.relay.links import Between, described, queue_ends, queue_lines
from pyibc.cli.relay.options import (
    ORDERS,
    accepting,
    channel_options,
    check_options,
    ends_option,
    names_option,
    parse_ends,
    protocol_option,
)
from pyibc.relayer.paths.audit import Audit
from pyibc.relayer.paths.discovery import known_path, over_connection
from pyibc.relayer.paths.handshake import Clients
from pyibc.relayer.paths.open_channel import GENERATED, ChannelParams
from pyibc.relayer.paths.open_connection import open_connection
from pyibc.relayer.paths.open_path import (
    create_client,
    existing_clients,
    existing_connection,
    known_client_path,
    make_channel,
    make_client_path,
    make_path,
)
from pyibc.relayer.paths.path import AnyPath
from pyibc.relayer.queue.path import make_queue_path

SECOND = 10**9

Created = tuple[list[str], dict[str, Any]]
"""Lines of text, and an object for JSON."""


@click.group()
def command() -> None:
    """Create paths for packets; only what meets the policy is reused.

    `path` creates everything at once, for each protocol.
    """


def creating(create: Callable[[Between, dict[str, Any]], Created]) -> Callable[..., None]:
    """Make a subcommand of `create`: add the options of two chains, and print the result."""

    @of_two_chains
    @accepting
    @reports
    @wraps(create)
    def run(**options: Any) -> None:
        if "protocol" in options:
            check_options(click.get_current_context())
        drivers = drivers_of(options)
        with endpoints(options) as (a, b), progress("creating"):
            lines, described = create(Between(a, b, drivers, frozenset(options["accept"])), options)
        click.echo(json.dumps(described) if options["as_json"] else "\n".join(lines))

    return run


@command.command()
@click.option(
    "--on",
    type=click.Choice(["a", "b", "both"]),
    default="both",
    show_default=True,
    help="The chains that get a client.",
)
@creating
def client(chains: Between, options: dict[str, Any]) -> Created:
    """Create a client of each chain on the other one, even if there is one."""
    names = {}
    ends = {"a": (chains.a, chains.b), "b": (chains.b, chains.a)}
    for (side, (host, reference)), driver in zip(ends.items(), chains.drivers.new, strict=True):
        if options["on"] in {side, "both"}:
            made = create_client(host, reference, driver)
            names[side] = {"chain_id": host.chain_id, "client_id": made.client_id}
    return [f"{each['chain_id']} {each['client_id']}" for each in names.values()], dict(names)


@command.command()
@click.option("--clients", nargs=2, metavar="A B", help="Client ids.  [default: usable clients]")
@click.option("--delay", type=click.IntRange(0), default=0, help="Delay period of packets in seconds.")
@click.option("--new", is_flag=True, help="Open a connection even if one is open.")
@names_option
@creating
def connection(chains: Between, options: dict[str, Any]) -> Created:
    """Open a connection over existing clients."""
    delay_ns, names = options["delay"] * SECOND, _names(options, "new")
    clients = _clients(chains, options["clients"])
    ids = open_connection(clients, delay_ns, accept=chains.accept, new=options["new"], names=names)
    ends = {
        side: {"chain_id": each.host.chain_id, "client_id": each.client_id, "connection_id": connection_id}
        for side, each, connection_id in zip("ab", clients, ids, strict=True)
    }
    return [f"{chains.a.chain_id} {ids[0]} <-> {ids[1]} {chains.b.chain_id}"], dict(ends)


@command.command()
@channel_options
@click.option("--connection", default="", help="Connection id on the first chain.")
@click.option("--new", is_flag=True, help="Open a channel even if one is open.")
@names_option
@creating
def channel(chains: Between, options: dict[str, Any]) -> Created:
    """Open a channel over an existing connection."""
    names = _names(options, "new")
    connections, clients = _connection(chains, options["connection"])
    ports = options["port"], options["port"]
    params = ChannelParams(ports, connections, ORDERS[options["order"]], options["version"], names)
    return described(make_channel(clients, params, new=options["new"]))


@command.command()
@protocol_option
@channel_options
@click.option("--channel", default="", help="Channel: complete the handshake of this one on the first chain.")
@click.option("--new-channel", is_flag=True, help="Channel: open one even if one is open.")
@names_option
@click.option("--client", default="", help="v2: complete the pair of this client on the first chain.")
@click.option("--new-clients", is_flag=True, help="Create clients even if there are usable ones.")
@ends_option
@creating
def path(chains: Between, options: dict[str, Any]) -> Created:
    """Create a complete path: clients, connection, channel; a pair of clients; or ends of queues."""
    if options["protocol"] == "channel":
        return described(_channel_path(chains, options))
    a, b, drivers, accept = chains
    new = options["new_clients"]
    if options["protocol"] == "v2":
        if options["client"] and new:
            raise ValueError("--client names a pair, --new-clients creates one: use one of them")
        if options["client"]:
            return described(known_client_path(a, b, options["client"], drivers, accept=accept))
        return described(make_client_path(a, b, drivers=drivers, accept=accept, new_clients=new))
    pairs = parse_ends(options["ends"])
    made = [make_queue_path(a, b, each, drivers=drivers, accept=accept, new_clients=new) for each in pairs]
    return queue_lines(made), queue_ends(chains, made)


def _channel_path(chains: Between, options: dict[str, Any]) -> AnyPath:
    a, b, drivers, accept = chains
    names = _names(options, "new_channel", "channel")
    if options["channel"]:
        return known_path(a, b, options["port"], options["channel"], drivers, accept=accept)
    return make_path(
        a,
        b,
        options["port"],
        ORDERS[options["order"]],
        options["version"],
        drivers=drivers,
        accept=accept,
        new_clients=options["new_clients"],
        new_channel=options["new_channel"],
        names=names,
    )


def _names(options: dict[str, Any], *others: str) -> tuple[str, str]:
    """Return the chosen names; they exclude the options `others`.

    Raises:
        ValueError: one of the others is given as well.
    """
    given = next((each for each in others if options[each]), None)
    if options["names"] is not None and given is not None:
        raise ValueError(f"--names cannot be combined with --{given.replace('_', '-')}")
    return options["names"] or GENERATED


def _clients(chains: Between, names: tuple[str, str] | None) -> Clients:
    a, b, drivers, accept = chains
    if names is None:
        return existing_clients(a, b, drivers=drivers, accept=accept)
    audit = Audit(a, b, drivers, accept, is_chosen=True)
    (audit.client(0, names[0]) + audit.client(1, names[1])).raise_if_any(" and ".join(names))
    return audit.foreign_client(0, names[0]), audit.foreign_client(1, names[1])


def _connection(chains: Between, name: str) -> tuple[tuple[str, str], Clients]:
    a, b, drivers, accept = chains
    if name:
        return over_connection(Audit(a, b, drivers, accept, is_chosen=True), name)
    clients = existing_clients(a, b, drivers=drivers, accept=accept)
    return existing_connection(clients, accept=accept), clients
