"""Receiver and end of a transfer: both are the other chain's matter."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from pyibc.apps.transfer.packet_data import PORT_ID
from pyibc.cli.keys import stored_address
from pyibc.cli.one_chain import NetworkUnusable
from pyibc.cli.progress import progress
from pyibc.cli.query.addresses import wallet_address
from pyibc.cli.query.packet_chains import FoundRoute, connect, route_from
from pyibc.cli.query.packet_words import answer, transfer_of
from pyibc.cli.query.showing import Missing, line
from pyibc.core.address import decode_bech32
from pyibc.core.errors import IbcError
from pyibc.core.identifiers import is_channel_id
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as pb
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
