"""Options shared by commands between two chains: RPCs, keys and gas prices."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, ParamSpec

import click

from ibc_module.registration import call_named
from pyibc.cli.one_chain import NetworkUnusable, network_option, rpc_of, running
from pyibc.cli.progress import progress
from pyibc.cli.reporting import NEW_KEY, reporting, wanted, with_all
from pyibc.core.errors import IbcError
from pyibc.relayer.clients.attestations.driver import drivers_between
from pyibc.relayer.clients.attestations.service import Quorum, read_attestor
from pyibc.relayer.clients.driver import Drivers
from pyibc.relayer.errors import KeyExposed, KeyRefused, PriceRefused
from pyibc.relayer.money.account import FeeTerms, GasConfig
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.keys import read_wallet
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import catch_up
from pyibc.relayer.money.wallet import KEY_TYPES, Wallet
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint

P = ParamSpec("P")
COSMOS = ("cosmos", "cosmos")
POLL_S = 0.15
"""Maximum interval between polls for the block of a transaction, in seconds."""


_ATTESTORS = "CHAIN:THRESHOLD:0xADDRESS@URL,..."
_QUORUM = re.compile("([^:]+):([0-9]{1,3}):(.+)")


_CHAINS = (
    network_option("--network", "A localnet: its first two chains."),
    click.option("--a", "url_a", help="RPC of the first chain, instead of a localnet's."),
    click.option("--b", "url_b", help="RPC of the second chain."),
    click.option(
        "--key",
        metavar="FILE|env:NAME|command:WORDS",
        help="Key: 64 hex digits or a mnemonic; a file has mode 0600.",
    ),
    click.option(
        "--key-a", metavar="FILE|env:NAME|command:WORDS", help="Key on the first chain, instead of --key."
    ),
    click.option("--key-b", metavar="FILE|env:NAME|command:WORDS", help="Key on the second chain."),
    click.option(
        "--hd-path", help="Path of a mnemonic's key.  [default: BIP-44's first of the account type]"
    ),
    click.option(
        "--account-type",
        nargs=2,
        type=click.Choice(list(KEY_TYPES)),
        default=("secp256k1", "secp256k1"),
        show_default=True,
        help="Kind of account on a and b.",
    ),
    click.option(
        "--prefix", nargs=2, help="Address prefixes on a and b, with --key.  [default: cosmos cosmos]"
    ),
    click.option(
        "--gas-price",
        metavar="PRICE",
        multiple=True,
        default=("0stake",),
        help="Gas price, e.g. 0.025stake; several: the first in which the account can pay.",
    ),
    click.option(
        "--gas-price-a", metavar="PRICE", multiple=True, help="On the first chain, instead of --gas-price."
    ),
    click.option("--gas-price-b", metavar="PRICE", multiple=True, help="On the second chain."),
    click.option(
        "--ledger",
        type=click.Path(path_type=Path),
        help="SQLite file for all transactions and their costs: `pyibc relay fees`.",
    ),
    click.option(
        "--drivers",
        metavar="MODULE:CALLABLE",
        help="Returns the `pyibc.relayer.Drivers` of light clients.  [default: 07-tendermint alone]",
    ),
    click.option(
        "--attestors-a",
        metavar=_ATTESTORS,
        help="Attestors of the first chain, for a client of type attestations on the second.",
    ),
    click.option("--attestors-b", metavar=_ATTESTORS, help="Attestors of the second chain."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
)
_FOLLOWING = (
    click.option("--follow", is_flag=True, help="Run until interrupted, not only until idle."),
    click.option("--interval", type=click.FloatRange(0.05, 60), default=0.5, help="Seconds between polls."),
)


def of_two_chains(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options that name two chains, which the command receives as keyword arguments."""
    return with_all(command, _CHAINS)


def between(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options of two chains, and those of a command that may run until interrupted."""
    return of_two_chains(with_all(command, _FOLLOWING))


_WRONG_USE = (ValueError, KeyExposed, KeyRefused, PriceRefused)

reports = reporting((IbcError, NetworkUnusable, OSError), wrong_use=_WRONG_USE)


@contextmanager
def endpoints(options: dict[str, Any]) -> Iterator[tuple[RpcEndpoint, RpcEndpoint]]:
    """Connect to the two chains and yield their endpoints.

    Raises:
        ValueError: the options conflict, both chains are the same, or there is no such localnet.
        EndpointUnavailable: a chain does not respond.
        NetworkUnusable: the localnet's settings cannot be read.
        LedgerMismatch, LedgerNotOpened: the ledger has other content, or cannot be opened.
    """
    is_given = any(options[name] for name in _OWN)
    urls, wallets = _given(options) if is_given else _of_network(options["network"])
    gas = [_gas(options[name] or options["gas_price"]) for name in ("gas_price_a", "gas_price_b")]
    config = RpcConfig(poll_s=min(options.get("interval", POLL_S), POLL_S))
    with ExitStack() as stack:
        ledger = None
        if options["ledger"] is not None:
            ledger = stack.enter_context(closing(Ledger(options["ledger"])))
        with progress("connecting to the chains"):
            a, b = (
                stack.enter_context(closing(RpcEndpoint.connect(*each, config, ledger=ledger)))
                for each in zip(urls, wallets, gas, strict=True)
            )
        if a.chain_id == b.chain_id:
            raise ValueError(f"--a and --b: both chains have the id {a.chain_id!r}")
        _settle(ledger, a, b)
        yield a, b
        _settle(ledger, a, b)


def _gas(prices: Sequence[str]) -> GasConfig:
    first, *others = map(GasPrice.parse, prices)
    return GasConfig(price=first, others=tuple(map(FeeTerms, others)))


def _settle(ledger: Ledger | None, *ends: RpcEndpoint) -> None:
    """Record the outcomes of transactions that the last run left open, and of blocks not read yet."""
    for end in ends:
        missing = catch_up(ledger, end) if ledger is not None else []
        if missing:
            text = f"{end.chain_id}: {len(missing)} pruned blocks may have this ledger's transactions"
            click.echo(text, err=True)


def drivers_of(options: dict[str, Any]) -> Drivers:
    """Return the light client types that the command supports.

    Raises:
        ValueError: --drivers does not return `Drivers`, or attestors are malformed.
    """
    of_a, of_b = (_quorum(options, name) for name in ("attestors_a", "attestors_b"))
    if options["drivers"] is None:
        return drivers_between(of_a, of_b)
    if of_a or of_b:
        raise ValueError("use either --drivers or attestors")
    found = call_named(options["drivers"], "--drivers")
    if not isinstance(found, Drivers):
        text = f"--drivers: {options['drivers']!r} returned a {type(found).__name__}, not Drivers"
        raise ValueError(text)  # noqa: TRY004 - wrong use of an option
    return found


def _quorum(options: dict[str, Any], name: str) -> Quorum | None:
    """Return the attestors of an option."""
    if options[name] is None:
        return None
    option = f"--{name.replace('_', '-')}"
    found = _QUORUM.fullmatch(options[name])
    if found is None:
        raise ValueError(f"{option} must be {_ATTESTORS}")
    chain_id, threshold, listed = found.groups()
    try:
        return Quorum(chain_id, tuple(map(read_attestor, listed.split(","))), int(threshold))
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None


_OWN = ("url_a", "url_b", "key", "key_a", "key_b", "prefix", "hd_path")
"""Options that name two chains other than a localnet's."""


def _given(options: dict[str, Any]) -> tuple[Sequence[str], Sequence[Wallet]]:
    """Return the RPCs of two chains, and the wallets that pay fees there."""
    urls = options["url_a"], options["url_b"]
    keys = [options[name] or options["key"] for name in ("key_a", "key_b")]
    if not all(urls) or not all(keys):
        raise ValueError("use --a, --b and --key (with --prefix) together, or --key-a and --key-b")
    accounts = zip(keys, options["prefix"] or COSMOS, options["account_type"], strict=True)
    with wanted(NEW_KEY):
        wallets = [
            read_wallet(key, prefix, key_type=KEY_TYPES[kind], hd_path=options["hd_path"])
            for key, prefix, kind in accounts
        ]
    return urls, wallets


def _of_network(name: str) -> tuple[Sequence[str], Sequence[Wallet]]:
    network, nodes = running(name)
    if len(nodes) < 2:
        raise ValueError(f"network {name!r} has only one chain")
    wallet = network.wallet("relayer")
    return [rpc_of(network, node) for node in nodes[:2]], [wallet, wallet]
