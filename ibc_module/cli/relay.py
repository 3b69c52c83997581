"""`pyibc relay`: packets between two chains, over their nodes' RPC."""

import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec

import click

from ibc_module.cli.relay_work import (
    CHANNEL_OPTIONS,
    QUEUE_OPTIONS,
    ChannelPlan,
    Work,
    channel_work,
    check_options,
    parse_ends,
    queue_options,
    queue_work,
    show,
)
from ibc_module.core.channel import Order
from ibc_module.errors import IbcError
from ibc_module.relayer.metrics import Metrics
from ibc_module.relayer.rpc_account import GasTerms
from ibc_module.relayer.rpc_client import Patience
from ibc_module.relayer.rpc_endpoint import RpcEndpoint
from ibc_module.relayer.wallet import Wallet
from localnet.errors import LocalnetError, NoSuchNetwork
from localnet.network import Network

P = ParamSpec("P")
COSMOS = ("cosmos", "cosmos")
ORDERS = {"unordered": Order.UNORDERED, "ordered": Order.ORDERED}


class Connection(NamedTuple):
    """Where two chains are, and who pays there."""

    url_a: str
    url_b: str
    wallet_a: Wallet
    wallet_b: Wallet


def _reports(run: Callable[P, None]) -> Callable[P, None]:
    """Turns what went wrong into one line on stderr and exit code 1, wrong use into 2."""

    @wraps(run)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            run(*args, **kwargs)
        except (NoSuchNetwork, ValueError) as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(2)
        except (IbcError, LocalnetError, OSError, sqlite3.Error) as error:
            click.echo(f"error: {error}", err=True)
            sys.exit(1)

    return wrapped


@click.command()
@click.option("--network", default="default", show_default=True, help="A localnet: its first two chains.")
@click.option("--a", "url_a", help="RPC of the first chain, instead of a localnet's.")
@click.option("--b", "url_b", help="RPC of the second chain.")
@click.option("--key", type=click.Path(path_type=Path), help="File with a secp256k1 key, 64 hex digits.")
@click.option("--prefix", nargs=2, help="Address prefixes on a and b, with --key.  [default: cosmos cosmos]")
@click.option(
    "--gas-price", nargs=2, type=(int, str), default=(0, "stake"), help="Per 1000 gas: amount, denom."
)
@click.option("--follow", is_flag=True, help="Go on until interrupted; else until nothing is left to do.")
@click.option("--interval", type=click.FloatRange(0.05, 60), default=0.5, help="Seconds between looks.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--protocol",
    type=click.Choice(["channel", "queue"]),
    default="channel",
    show_default=True,
    help="What packets go over: today's channels, or the provable queues of the early protocol.",
)
@click.option("--port", default="transfer", show_default=True, help="Channel: port on both chains.")
@click.option("--version", default="ics20-1", show_default=True, help="Channel: its version.")
@click.option("--order", type=click.Choice(list(ORDERS)), default="unordered", help="Channel: its order.")
@click.option("--new-channel", is_flag=True, help="Channel: open one even where one is open.")
@click.option(
    "--channel", help="Channel: this one, by its id on the first chain; order and version are its own."
)
@click.option("--journal", type=click.Path(path_type=Path), help="Channel: SQLite file that survives a kill.")
@click.option(
    "--ends",
    nargs=2,
    multiple=True,
    metavar="A B",
    help="Queue: ends CHAIN/CONNECTION/CHANNEL of a and b; may be repeated. Without: the chains' own.",
)
@click.option("--naive", is_flag=True, help="Queue: a transaction a packet, as the first document has it.")
@click.option("--wait-packets", type=click.IntRange(1), help="Queue: set out once so many wait (1).")
@click.option("--wait-blocks", type=click.IntRange(0), help="Queue: or after so many blocks (0).")
@_reports
def command(
    network: str,
    url_a: str | None,
    url_b: str | None,
    key: Path | None,
    prefix: tuple[str, str] | None,
    **options: Any,
) -> None:
    """Relay packets between two chains; opens or registers what is missing for it.

    Channels: client, connection, channel. Queues: client, ends. Any number may run side by side: who comes
    second finds the work done. Exit code 1 if a chain refuses or does not answer, 2 for wrong use.
    """
    is_queue = options["protocol"] == "queue"
    check_options(click.get_current_context(), CHANNEL_OPTIONS if is_queue else QUEUE_OPTIONS)
    make = _queues(options) if is_queue else _channel(options)
    given = url_a or url_b or key or prefix
    where = _given(url_a, url_b, key, prefix or COSMOS) if given else _of_network(network)
    amount, denom = options["gas_price"]
    terms = GasTerms(price_num=amount, price_den=1000, denom=denom)
    patience = Patience(poll=min(options["interval"], 0.15))
    with (
        closing(RpcEndpoint.connect(where.url_a, where.wallet_a, terms, patience)) as a,
        closing(RpcEndpoint.connect(where.url_b, where.wallet_b, terms, patience)) as b,
    ):
        if a.chain_id == b.chain_id:
            raise ValueError(f"--a and --b: both chains are called {a.chain_id!r}")
        work = make(a, b)
        with closing(work.link):
            metrics = _follow(work, options) if options["follow"] else work.link.until_idle()
    show(work, metrics, as_json=options["as_json"])


def _channel(options: dict[str, Any]) -> Callable[[RpcEndpoint, RpcEndpoint], Work]:
    plan = ChannelPlan(
        options["port"],
        options["version"],
        ORDERS[options["order"]],
        options["new_channel"],
        options["channel"],
        options["journal"],
    )
    return lambda a, b: channel_work(a, b, plan)


def _queues(options: dict[str, Any]) -> Callable[[RpcEndpoint, RpcEndpoint], Work]:
    ends = parse_ends(options["ends"])
    how = queue_options(
        naive=options["naive"], packets=options["wait_packets"], blocks=options["wait_blocks"]
    )
    return lambda a, b: queue_work(a, b, ends, how)


def _given(url_a: str | None, url_b: str | None, key: Path | None, prefix: tuple[str, str]) -> Connection:
    if not url_a or not url_b or key is None:
        raise ValueError("--a, --b and --key belong together (and --prefix to them)")
    raw = bytes.fromhex(key.read_text(encoding="ascii").strip())
    if len(raw) != 32:
        raise ValueError(f"{key}: not 64 hex digits")
    return Connection(url_a, url_b, Wallet(raw, prefix[0]), Wallet(raw, prefix[1]))


def _of_network(name: str) -> Connection:
    network = Network(name)
    nodes, wallet = network.status(), network.wallet("relayer")
    if len(nodes) < 2:
        raise ValueError(f"network {name!r} has one chain only")
    return Connection(nodes[0].rpc, nodes[1].rpc, wallet, wallet)


def _follow(work: Work, options: dict[str, Any]) -> Metrics:
    """Relays until interrupted; says how far it is whenever a transaction went through."""
    shown = -1
    with suppress(KeyboardInterrupt):
        while True:
            metrics = work.link.until_idle()
            if metrics.transactions != shown:
                show(work, metrics, as_json=options["as_json"])
                sys.stdout.flush()  # a log file is read while we run
                shown = metrics.transactions
            time.sleep(options["interval"])
    return work.link.metrics.copy()
