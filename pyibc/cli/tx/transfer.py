"""`pyibc tx transfer`: transfer coins to another chain, and forward them (ICS-20, packet forwarding)."""

import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from pyibc.apps.packet_forward.packet_data import MAX_RETRIES, Hop, write_memo
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.apps.transfer.packet_data import PORT_ID
from pyibc.cli.keys import stored_address
from pyibc.cli.one_chain import NetworkUnusable, endpoint, execute, signed, tell_sent
from pyibc.cli.progress import progress
from pyibc.cli.query.accounts import wallet_address
from pyibc.cli.query.packet import FoundRoute, answer, connect, route_from, transfer_of
from pyibc.cli.query.showing import Missing, line
from pyibc.codec.gonumbers import parse_duration
from pyibc.core.address import decode_bech32
from pyibc.core.errors import IbcError, InvalidForwardHop
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.identifiers import is_blank, is_channel_id
from pyibc.core.packet_v2.types import NS_PER_S
from pyibc.core.wire.message import pack_msg
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as pb
from pyibc.proto.ibc.applications.transfer.v1 import tx_pb2
from pyibc.relayer.chain.grpc_query import ask
from pyibc.relayer.packets.history import Fate, history_of
from pyibc.relayer.paths.ends import channel_end
from pyibc.relayer.rpc.endpoint import RpcEndpoint

LEFT = 3
"""Exit code if something is left to relay."""
POLL_S = 1.0
PATIENCE_POLLS = 60
"""Number of polls after the timeout for which a relayer is waited for."""
_PREFIX = "/cosmos.auth.v1beta1.Query/Bech32Prefix"


# -- receiver


def require_channel(chain: RpcEndpoint, channel: str) -> None:
    """Check that the sending chain has a channel of this name, if it is one.

    Raises:
        Missing: it has none.
    """
    if is_channel_id(channel) and channel_end(chain, PORT_ID, channel) is None:
        raise Missing(f"{chain.chain_id} has no channel {channel} of transfers. Check CHANNEL, and the chain")


def checked_receiver(
    chain: RpcEndpoint, channel: str, receiver: str, options: dict[str, Any], *, is_last: bool
) -> str:
    """Return the address of a transfer's receiver; warn on stderr if the other chain will not accept it.

    Args:
        chain: the sender's.
        channel: channel or client of the transfer.
        receiver: an address, or the name of a localnet's wallet or of the user's key.
        options: the command's.
        is_last: false: the chain behind `channel` forwards the coins, so that its addresses do not matter.
    """
    named = wallet_address(receiver, options)
    if named:
        return named
    if stored_address(receiver, options["prefix"]):
        return stored_address(receiver, _prefix_behind(chain, channel, options) or options["prefix"])
    try:
        prefix, _ = decode_bech32(receiver)
    except IbcError:
        if not receiver.startswith("0x"):  # an address of an EVM chain
            _warn(f"{receiver!r} is not an address")
        return receiver
    expected = _prefix_behind(chain, channel, options) if is_last else ""
    if expected and prefix != expected:
        _warn(f"{receiver} has the prefix {prefix!r}, and addresses of the other chain have {expected!r}")
    return receiver


def _warn(fact: str) -> None:
    told = f"warning: {fact}: the other chain may refuse the transfer, and the coins come back"
    click.echo(line(told), err=True)


def _prefix_behind(chain: RpcEndpoint, channel: str, options: dict[str, Any]) -> str:
    """Return the address prefix of the chain behind a channel; "": it cannot be asked."""
    try:
        with _other(chain, channel, 1, options) as (_, far):
            return ask(far, _PREFIX, pb.Bech32PrefixRequest(), pb.Bech32PrefixResponse).bech32_prefix
    except (IbcError, ValueError, click.ClickException, NetworkUnusable):  # only a warning depends on it
        return ""


# -- end


def follow(chain: RpcEndpoint, channel: str, sequence: int, options: dict[str, Any]) -> int:
    """Wait for the end of a packet and print it in one sentence; return the exit code.

    Raises:
        ValueError: the other chain is not named.
        IbcError: a chain refuses a query, or does not answer.
    """
    with (
        _other(chain, channel, sequence, options) as (found, far),
        progress(f"waiting for packet {sequence}", eager=True) as step,
    ):
        names, polls = (chain.chain_id, far.chain_id), 0
        while True:
            history = history_of(chain, far, found.route)
            sentence = line(answer(names, history, transfer_of(history.packet)))
            polls += history.fate is Fate.EXPIRED
            if history.is_ended or polls > PATIENCE_POLLS:
                break
            step(f"waiting: {sentence}")
            time.sleep(POLL_S)
    click.echo(sentence, err=options["as_json"])
    if not history.is_ended:
        return LEFT
    return 1 if history.fate in {Fate.REFUSED, Fate.TIMED_OUT} else 0


@contextmanager
def _other(
    chain: RpcEndpoint, channel: str, sequence: int, options: dict[str, Any]
) -> Iterator[tuple[FoundRoute, RpcEndpoint]]:
    """Yield the route of a packet, and the chain that it goes to. Raises as `route_from`."""
    found = route_from(chain, channel, sequence)
    network = "" if options["node"] else options["network"]
    with connect(found.other_url(network, options["of_b"])) as far:
        found.require(far)
        yield found, far


PLACEHOLDER = "pfm"
"""Receiver on a forwarding chain: not an address, so the coins are refunded if it does not forward."""

_coin = re.compile(r"([1-9][0-9]*)([a-zA-Z][a-zA-Z0-9/:._-]{2,127})").fullmatch


@click.command("transfer")
@click.argument("channel")
@click.argument("receiver")
@click.argument("amount", metavar="AMOUNT")
@click.option(
    "--forward",
    "hops",
    multiple=True,
    metavar="CHANNEL[,retries=N][,timeout=TIME][,port=PORT]",
    help="Next channel from the previous chain; may be repeated.",
)
@click.option("--memo", help="Memo for middleware on the other chain; not with --forward.")
@click.option("--timeout", default="10m", show_default=True, help="Of the first packet, from now.")
@click.option("--wait", is_flag=True, help="Follow the transfer to its end, and say how it ended.")
@click.option(
    "--to",
    "of_b",
    metavar="CHAIN",
    help="Chain that receives it: an id, NETWORK/ID or an RPC.  [default: the localnet's, by its client]",
)
@signed
def command(
    channel: str,
    receiver: str,
    amount: str,
    hops: tuple[str, ...],
    memo: str | None,
    timeout: str,
    wait: bool,
    **options: Any,
) -> None:
    """Transfer AMOUNT, such as 5stake, over CHANNEL, or a client, to RECEIVER on the last chain of the route.

    With --forward the chains in between need packet forwarding (docs/packet-forwarding.md). RECEIVER may be
    the name of a localnet's wallet. With --wait the exit code is 0 if the coins arrived, 1 if they came back,
    3 if something is left to relay a minute after the timeout. A transfer that arrived and is not answered
    yet, like one that is forwarded, is waited for without an end.
    """
    if is_blank(receiver):
        raise ValueError("RECEIVER is empty")
    route = _route(channel, hops, memo)
    lasts = time_ns_of(timeout, "--timeout")
    denom, number = coin_of(amount)
    with endpoint(options) as chain:
        require_channel(chain, channel)
        receiver = checked_receiver(chain, channel, receiver, options, is_last=not route)
        text = write_memo([*route[:-1], route[-1]._replace(receiver=receiver)]) if route else memo or ""
        until, to = chain.tip().time_ns + lasts, PLACEHOLDER if route else receiver
        if not is_channel_id(channel):
            until //= NS_PER_S  # over a client it is in seconds
        message = MsgTransfer(PORT_ID, channel, denom, number, chain.signer, to, ZERO_HEIGHT, until, text)
        sent = execute(chain, "a transfer", pack_msg(message), tx_pb2.MsgTransferResponse)
        row = {"chain_id": chain.chain_id, "sequence": sent.answer.sequence, "memo": text}
        tell_sent(options, row, f"sequence {row['sequence']}", sent.tx)
        ending = follow(chain, channel, sent.answer.sequence, options) if wait else 0
    sys.exit(ending)


def _route(channel: str, hops: Sequence[str], memo: str | None) -> list[Hop]:
    """Return the hops of --forward; raise ValueError for wrong use."""
    if hops and memo is not None:
        raise ValueError("--forward creates the memo: it cannot be combined with --memo")
    if hops and not is_channel_id(channel):
        raise ValueError(f"--forward needs a channel: {channel!r} is not one")
    return [_hop(text) for text in hops]


def coin_of(text: str) -> tuple[str, str]:
    """Return denomination and amount of a coin like 5stake.

    Raises:
        ValueError: it is not one.
    """
    found = _coin(text)
    if found is None:
        raise ValueError(f"{text!r} is not an amount of a coin like 5stake")
    return found[2], found[1]


def _hop(text: str) -> Hop:
    channel, *rest = text.split(",")
    given = dict(each.partition("=")[::2] for each in rest)
    unknown = sorted(given.keys() - {"retries", "timeout", "port"})
    if unknown:
        raise ValueError(f"--forward {text}: {unknown[0]!r} is not among retries, timeout, port")
    retries, timeout = given.get("retries"), given.get("timeout")
    if retries is not None and not (re.fullmatch("[0-9]{1,3}", retries) and int(retries) <= MAX_RETRIES):
        raise ValueError(f"--forward {text}: retries are 0 to {MAX_RETRIES}")
    hop = Hop(
        PLACEHOLDER,
        given.get("port", PORT_ID),
        channel,
        time_ns_of(timeout, f"--forward {text}") if timeout is not None else 0,
        None if retries is None else int(retries),
    )
    try:
        hop.validate()
    except InvalidForwardHop as error:
        raise ValueError(f"--forward {text}: {error}") from None
    return hop


def time_ns_of(text: str, what: str) -> int:
    """Return a time like 90s or 1h30m, above 0, in nanoseconds."""
    try:
        found = parse_duration(text)
    except ValueError:
        found = 0
    if found <= 0:
        raise ValueError(f"{what}: {text!r} is not a time like 90s, 10m or 1h30m")
    return found
