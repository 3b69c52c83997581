"""The options shared by commands on one chain: its RPC, who signs, the gas price."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, ParamSpec, TypeVar

import click
from google.protobuf.message import Message

from ibc_core.any_message import AnyMessage
from ibc_core.errors import IbcError
from ibc_proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from ibc_relayer.errors import TransactionFailed
from ibc_relayer.fees import GasPrice
from ibc_relayer.key_types import KEY_TYPES
from ibc_relayer.keys import read_wallet
from ibc_relayer.money_errors import KeyExposed, KeyRefused, PriceRefused
from ibc_relayer.rpc_account import GasConfig
from ibc_relayer.rpc_client import RpcConfig
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.rpc_read import read_answer
from ibc_relayer.wallet import Wallet
from pyibc.cli.networks import NetworkUnusable, running
from pyibc.cli.reporting import reporting

P = ParamSpec("P")
_M = TypeVar("_M", bound=Message)

_CHAIN = (
    click.option("--network", default="default", show_default=True, help="A localnet."),
    click.option("--chain", "chain_id", help="Its chain of this id.  [default: its first]"),
    click.option("--node", help="RPC of a chain, instead of a localnet's."),
    click.option("--prefix", default="cosmos", show_default=True, help="Address prefix, with --node."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
)
_SIGNER = (
    click.option(
        "--from", "name", default="alice", show_default=True, help="A localnet's wallet that signs."
    ),
    click.option("--key", metavar="FILE|env:NAME", help="With --node: 64 hex digits or a mnemonic."),
    click.option(
        "--hd-path", help="Path of a mnemonic's key.  [default: BIP-44's first of the account type]"
    ),
    click.option(
        "--account-type", type=click.Choice(list(KEY_TYPES)), default="secp256k1", help="Kind of account."
    ),
    click.option("--gas-price", metavar="PRICE", default="0stake", help="Of a unit of gas, as 0.025stake."),
)

reports = reporting(
    (IbcError, NetworkUnusable, OSError),
    wrong_use=(ValueError, KeyError, KeyExposed, KeyRefused, PriceRefused),
)


def of_chain(command: Callable[P, None]) -> Callable[P, None]:
    """Adds the options that name a chain, which the command receives as keyword arguments."""
    for option in reversed(_CHAIN):
        command = option(command)
    return command


def signed(command: Callable[P, None]) -> Callable[P, None]:
    """Adds the options that name a chain and who signs there."""
    for option in reversed(_SIGNER):
        command = option(command)
    return of_chain(command)


@contextmanager
def endpoint(options: dict[str, Any]) -> Iterator[RpcEndpoint]:
    """The chain of these options, for who signs; for who only asks, with a wallet that holds nothing.

    Raises:
        ValueError: the options do not fit together, or there is no such localnet, chain or wallet.
        EndpointUnavailable: the chain does not answer.
        NetworkUnusable: the localnet's settings cannot be read.
    """
    url, wallet = _given(options) if options["node"] else _of_network(options)
    gas = GasConfig(price=GasPrice.parse(options.get("gas_price", "0stake")))
    with closing(RpcEndpoint.connect(url, wallet, gas, RpcConfig())) as chain:
        yield chain


def _given(options: dict[str, Any]) -> tuple[str, Wallet]:
    if "key" not in options:
        return options["node"], Wallet.from_seed("nobody", options["prefix"])
    if not options["key"]:
        raise ValueError("--node needs --key")
    key_type = KEY_TYPES[options["account_type"]]
    wallet = read_wallet(options["key"], options["prefix"], key_type=key_type, hd_path=options["hd_path"])
    return options["node"], wallet


def _of_network(options: dict[str, Any]) -> tuple[str, Wallet]:
    if options.get("key"):
        raise ValueError("--key goes with --node; a localnet's wallets have names: --from")
    network, nodes = running(options["network"])
    wanted, name = options["chain_id"], options.get("name", "alice")
    found = [node for node in nodes if wanted in (None, node.chain_id)]
    if not found:
        raise ValueError(f"--chain: network {options['network']!r} has no chain {wanted!r}")
    try:
        return found[0].rpc, network.wallet(name)
    except KeyError:
        raise ValueError(f"--from: network {options['network']!r} has no wallet {name!r}") from None


def execute(chain: RpcEndpoint, what: str, message: AnyMessage, response: type[_M]) -> _M:
    """Sends a message in a transaction of its own; returns its response.

    Raises:
        TransactionFailed: the chain refused.
        EndpointUnavailable: the chain does not answer.
        MalformedAnswer: the node does not say what the message came to. The chain has executed it.
    """
    outcome = chain.submit([message])
    if outcome.code:
        raise TransactionFailed(chain.chain_id, what, f"{outcome.codespace}/{outcome.code}", outcome.log)

    def read() -> _M:
        [answer] = TxMsgData.FromString(outcome.data).msg_responses
        return response.FromString(answer.value)

    return read_answer(chain.chain_id, what, read)
