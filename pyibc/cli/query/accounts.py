"""`pyibc query account|bank`: accounts, balances and supply, with the traces of vouchers."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import click

from pyibc.apps.transfer.denom import Denom, Hop, make_denom, parse_denom, parse_hash
from pyibc.apps.transfer.queries import SERVICE as ICS20
from pyibc.cli.keys import stored_address
from pyibc.cli.one_chain import endpoint, of_chain, running
from pyibc.cli.query.showing import Missing, message_json, show
from pyibc.codec.anys import AnyMessage
from pyibc.core.address import decode_bech32
from pyibc.core.errors import IbcError
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as auth
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank
from pyibc.proto.cosmos.base.v1beta1.coin_pb2 import Coin
from pyibc.proto.ibc.applications.transfer.v1 import denomtrace_pb2
from pyibc.proto.ibc.applications.transfer.v1 import query_pb2 as transfer_pb
from pyibc.relayer.chain.endpoint import ChainEndpoint, query_of
from pyibc.relayer.chain.grpc_query import ask, ask_entries, ask_named, malformed, read_of
from pyibc.relayer.errors import AccountCannotSign, EndpointRefused
from pyibc.relayer.money.account import ACCOUNT, ask_account


def address_of(text: str, options: dict[str, Any]) -> str:
    """Return the bech32 address that `text` is, or that of a localnet's wallet or a key of this name.

    Raises:
        ValueError: it is none of them, or there is no such localnet.
        NetworkUnusable: the localnet's settings cannot be read.
    """
    try:
        decode_bech32(text)
    except IbcError as error:
        found = wallet_address(text, options) or stored_address(text, options["prefix"])
        if found:
            return found
        if options["node"]:
            raise ValueError(f"{text!r} is not an address: {error}") from None
    else:
        return text
    network, _ = running(options["network"])
    known = ", ".join(network.settings().wallets)
    raise ValueError(
        f"{text!r} is neither an address nor a wallet of network {options['network']!r}; it has {known}"
    )


def wallet_address(name: str, options: dict[str, Any]) -> str:
    """Return the address of a localnet's wallet; "": there is none of this name, or no localnet is meant.

    A wallet comes before a key of the same name, wherever users name one.
    """
    if options["node"]:
        return ""
    network, _ = running(options["network"])
    return network.wallet(name).address.text if name in network.settings().wallets else ""


MAX_TRACES = 100
"""Maximum number of traces asked for by one command: each is a query."""

PREFIX = "ibc/"


class Traces:
    """Traces of one chain's vouchers."""

    def __init__(self, chain: ChainEndpoint) -> None:
        """Ask for no trace yet."""
        self._chain = chain
        self._left = MAX_TRACES

    def path(self, coin_denom: str) -> str:
        """Return the trace and base of `ibc/HASH`; "": not a voucher, or the chain does not tell.

        Raises:
            EndpointUnavailable: the chain does not answer.
            MalformedAnswer: the trace does not have the hash.
        """
        digest = parse_hash(coin_denom.removeprefix(PREFIX)) if coin_denom.startswith(PREFIX) else None
        if digest is None or not self._left:
            return ""
        self._left -= 1
        found = self._ask(coin_denom.removeprefix(PREFIX))
        if found is None:
            return ""
        # guard: a-trace-of-another-coin-is-shown drop test_a_trace_with_another_hash_is_malformed
        if found.digest != digest:
            raise malformed(self._chain, coin_denom, f"{found.path!r} has another hash")
        return found.path

    def _ask(self, hash_text: str) -> Denom | None:
        """Ask as since ibc-go v10, then as before; None: the chain refuses both."""
        request = transfer_pb.QueryDenomRequest(hash=hash_text)
        for query, read in (("Denom", _denom), ("DenomTrace", _denom_trace)):
            try:
                answer = ask(self._chain, f"{ICS20}{query}", request, transfer_pb.QueryDenomResponse)
            except EndpointRefused:  # no such query, or no such coin
                continue
            return read_of(self._chain, query, partial(read, answer))
        return None


def _denom(answer: transfer_pb.QueryDenomResponse) -> Denom:
    return make_denom(
        answer.denom.base, tuple(Hop(each.port_id, each.channel_id) for each in answer.denom.trace)
    )


def _denom_trace(answer: transfer_pb.QueryDenomResponse) -> Denom:
    """Return the denomination in a QueryDenomTraceResponse, whose field 1 is a DenomTrace.

    Its request is that of Denom, byte for byte.
    """
    found = denomtrace_pb2.DenomTrace.FromString(answer.denom.SerializeToString())
    return parse_denom(f"{found.path}/{found.base_denom}")


_ABSENT = "not found"
"""Part of the SDK's refusal for an address that has no account."""


@click.command("account")
@click.argument("address")
@of_chain
def account_command(address: str, **options: Any) -> None:
    """Show the account ADDRESS, or that of a localnet's wallet; --json shows all of its fields.

    Exit code 4 if it does not exist: an account comes into being when it first receives coins.
    """
    owner = address_of(address, options)
    with endpoint(options) as chain:
        try:
            answer = ask(chain, ACCOUNT, auth.QueryAccountRequest(address=owner), auth.QueryAccountResponse)
        except EndpointRefused as error:
            if _ABSENT not in error.reason:
                raise
            text = f"{chain.chain_id} has no account {owner}"
            raise Missing(f"{text}. It comes into being when it first receives coins") from error
        packed = answer.account
        lines = [f"address:   {owner}", f"type:      {packed.type_url}"]
        try:
            number, sequence = ask_account(query_of(chain), chain.chain_id, owner)
        except AccountCannotSign:
            lines.append("sequence:  none: it cannot sign")
        else:
            lines += [f"number:    {number}", f"sequence:  {sequence}"]
    show(options, message_json(AnyMessage(packed.type_url, packed.value)), lines)


@click.group("bank")
def bank_command() -> None:
    """Balances and supply; ADDRESS is also the name of a localnet's wallet."""


@bank_command.command()
@click.argument("address")
@click.argument("denom")
@of_chain
def balance(address: str, denom: str, **options: Any) -> None:
    """Show what ADDRESS has of the coin DENOM."""
    owner = address_of(address, options)
    with endpoint(options) as chain:
        found = ask_named(chain, bank, "Balance", address=owner, denom=denom).balance
        # a node before SDK 0.46 leaves out a coin of which there is nothing
        [row] = _rows(chain, [Coin(denom=denom, amount=found.amount or "0")])
    show(options, row, [_text(row)])


@bank_command.command()
@click.argument("address")
@of_chain
def balances(address: str, **options: Any) -> None:
    """List what ADDRESS has."""
    owner = address_of(address, options)
    with endpoint(options) as chain:
        rows = _rows(chain, ask_entries(chain, bank, "AllBalances", "balances", address=owner))
        nothing = f"{owner} has no coins on {chain.chain_id}"
    show(options, rows, _lines(rows, nothing))


@bank_command.command()
@click.argument("denom", required=False)
@of_chain
def total(denom: str | None, **options: Any) -> None:
    """Show the supply of the coin DENOM, or of every coin."""
    with endpoint(options) as chain:
        if denom is not None:
            supply = ask_named(chain, bank, "SupplyOf", denom=denom).amount
            [row] = _rows(chain, [Coin(denom=denom, amount=supply.amount or "0")])
            show(options, row, [_text(row)])
            return
        rows = _rows(chain, ask_entries(chain, bank, "TotalSupply", "supply"))
        nothing = f"{chain.chain_id} has no coins"
    show(options, rows, _lines(rows, nothing))


def _rows(chain: ChainEndpoint, coins: Iterable[Coin]) -> list[dict[str, str]]:
    """Return coins as JSON; a voucher has its trace if the chain tells it."""
    traces = Traces(chain)
    rows = []
    for each in coins:
        path = traces.path(each.denom)
        row = {"amount": each.amount, "denom": each.denom}
        rows.append(row | {"trace": path} if path else row)
    return rows


def _lines(rows: list[dict[str, str]], nothing: str) -> Iterator[str]:
    yield from map(_text, rows)
    if not rows:
        yield nothing


def _text(row: dict[str, str]) -> str:
    trace = f" ({row['trace']})" if "trace" in row else ""
    return f"{row['amount']} {row['denom']}{trace}"
