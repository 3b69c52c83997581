"""Options shared by commands on one chain: its RPC, the signer, the gas price."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar

import click
from google.protobuf.message import Message

from pyibc.cli.progress import progress
from pyibc.cli.reporting import NEW_KEY, reporting, sentence_of, wanted, with_all
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import IbcError
from pyibc.core.host.block import tx_hash
from pyibc.installation import need
from pyibc.proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from pyibc.relayer.errors import EndpointUnavailable, KeyExposed, KeyRefused, PriceRefused, TransactionFailed
from pyibc.relayer.money.account import GasConfig
from pyibc.relayer.money.fees import GasPrice
from pyibc.relayer.money.keys import read_wallet
from pyibc.relayer.money.wallet import KEY_TYPES, Wallet
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.reading import read_answer
from pyibc.relayer.rpc.transactions import FoundTx

if TYPE_CHECKING:
    from localnet.network import Network
    from localnet.process.startup import NodeStatus


# -- lookup of the localnet that a command names; only then commands on any chain need `pyibc[localnet]`


class NetworkUnusable(Exception):
    """The network's files are unreadable."""


def running(name: str) -> "tuple[Network, list[NodeStatus]]":
    """Return the network `name`, and the status of each of its chains.

    Raises:
        ValueError: no network has this name, or the name is invalid.
        NetworkUnusable: its settings cannot be read.
        NotInstalled: the extra localnet is not installed.
    """
    need("localnet")
    from localnet.errors import LocalnetError, NoSuchNetwork
    from localnet.network import Network

    try:
        network = Network(name)
        return network, network.status()
    except NoSuchNetwork as error:
        raise ValueError(str(error)) from error
    except LocalnetError as error:
        raise NetworkUnusable(str(error)) from error


def rpc_of(network: "Network", node: "NodeStatus") -> str:
    """Return the RPC of a chain of a localnet.

    Raises:
        EndpointUnavailable: the chain is stopped.
    """
    if node.pid is None:
        again = f"start it with `pyibc localnet up --name {network.name}`"
        raise EndpointUnavailable(node.chain_id, f"the chain is stopped: {again}")
    return node.rpc


def network_here() -> str:
    """Return the name in the working directory's localnet.toml, or `default`."""
    is_completing = click.get_current_context().resilient_parsing  # a shell asks for completions
    if is_completing or not Path("localnet.toml").exists():
        return "default"
    need("localnet")
    from localnet.errors import WrongPlan
    from localnet.settings import read_plan

    try:
        plan = read_plan(Path())
    except (WrongPlan, OSError) as error:
        raise click.ClickException(sentence_of(error)) from error
    return plan.name if plan else "default"


# -- options

P = ParamSpec("P")
_M = TypeVar("_M", bound=Message)


def network_option(flag: str, text: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Return an option that names a localnet, by default that of the working directory."""
    return click.option(
        flag, default=network_here, show_default="that of localnet.toml, or default", help=text
    )


_CHAIN = (
    network_option("--network", "Name of a localnet."),
    click.option("--chain", "chain_id", help="Id of a chain of the localnet.  [default: its first]"),
    click.option("--node", help="RPC of a chain, instead of a localnet's."),
    click.option("--prefix", default="cosmos", show_default=True, help="Address prefix, with --node."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
)
_SIGNER = (
    click.option(
        "--from", "name", default="alice", show_default=True, help="Wallet of the localnet that signs."
    ),
    click.option("--key", metavar="FILE|env:NAME", help="With --node: 64 hex digits or a mnemonic."),
    click.option(
        "--hd-path", help="Path of a mnemonic's key.  [default: BIP-44's first of the account type]"
    ),
    click.option(
        "--account-type", type=click.Choice(list(KEY_TYPES)), default="secp256k1", help="Kind of account."
    ),
    click.option("--gas-price", metavar="PRICE", default="0stake", help="Gas price, e.g. 0.025stake."),
)

reports = reporting(
    (IbcError, NetworkUnusable, OSError),
    wrong_use=(ValueError, KeyError, KeyExposed, KeyRefused, PriceRefused),
)


def chain_options(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options that name a chain, which the command receives as keyword arguments."""
    return with_all(command, _CHAIN)


def of_chain(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options that name a chain, and report errors."""
    return chain_options(reports(command))


def signed(command: Callable[P, None]) -> Callable[P, None]:
    """Add the options that name a chain and a signer, and report errors."""
    return chain_options(with_all(reports(command), _SIGNER))


@contextmanager
def endpoint(options: dict[str, Any]) -> Iterator[RpcEndpoint]:
    """Connect to the chain of these options; for queries, with a wallet without an account.

    Raises:
        ValueError: the options conflict, or there is no such localnet, chain or wallet.
        EndpointUnavailable: the chain does not respond.
        NetworkUnusable: the localnet's settings cannot be read.
    """
    url, wallet = _given(options) if options["node"] else _of_network(options)
    gas = GasConfig(price=GasPrice.parse(options.get("gas_price", "0stake")))
    with progress(f"connecting to {url}"):
        chain = RpcEndpoint.connect(url, wallet, gas, RpcConfig())
    with closing(chain):
        yield chain


def _given(options: dict[str, Any]) -> tuple[str, Wallet]:
    if "key" not in options:
        return options["node"], Wallet.from_seed("nobody", options["prefix"])
    if not options["key"]:
        raise ValueError("--node needs --key")
    key_type = KEY_TYPES[options["account_type"]]
    with wanted(NEW_KEY):
        wallet = read_wallet(options["key"], options["prefix"], key_type=key_type, hd_path=options["hd_path"])
    return options["node"], wallet


def _of_network(options: dict[str, Any]) -> tuple[str, Wallet]:
    if options.get("key"):
        raise ValueError("--key needs --node; use --from for a localnet's wallets")
    network, nodes = running(options["network"])
    wanted, name = options["chain_id"], options.get("name", "alice")
    found = [node for node in nodes if wanted in (None, node.chain_id)]
    if not found:
        raise ValueError(f"--chain: network {options['network']!r} has no chain {wanted!r}")
    try:
        wallet = network.wallet(name)
    except KeyError:
        raise ValueError(f"--from: network {options['network']!r} has no wallet {name!r}") from None
    return rpc_of(network, found[0]), wallet


class Executed(NamedTuple, Generic[_M]):
    """Response of a message, and its transaction in a block."""

    answer: _M
    tx: FoundTx


def execute(chain: RpcEndpoint, what: str, message: AnyMessage, response: type[_M]) -> Executed[_M]:
    """Send a message in its own transaction; return its response.

    Raises:
        TransactionFailed: the chain rejected the transaction.
        EndpointUnavailable: the chain does not respond.
        MalformedAnswer: the node's response has no valid message response. The chain has executed the
            message.
    """
    found = submit(chain, what, [message])

    def read() -> _M:
        [answer] = TxMsgData.FromString(found.outcome.data).msg_responses
        return response.FromString(answer.value)

    return Executed(read_answer(chain.chain_id, what, read), found)


def submit(chain: RpcEndpoint, what: str, messages: Sequence[AnyMessage]) -> FoundTx:
    """Send messages in one transaction; return it once it is in a block.

    Raises:
        TransactionFailed: the chain rejected the transaction.
        EndpointUnavailable: the chain does not respond.
    """
    with progress(f"waiting for the block of {chain.chain_id} with the transaction"):
        found = chain.submit_located(messages)
    outcome = found.outcome
    if outcome.code:
        raise TransactionFailed(chain.chain_id, what, f"{outcome.codespace}/{outcome.code}", outcome.log)
    return found


def tell_sent(options: dict[str, Any], row: dict[str, Any], line: str, found: FoundTx) -> None:
    """Print what a transaction did, and the transaction: its hash, height and gas.

    Args:
        options: the command's.
        row: result for --json, with `chain_id`.
        line: result in words; "": the transaction alone.
        found: the transaction.
    """
    outcome = found.outcome
    digest = tx_hash(outcome.tx).hex().upper()
    if options["as_json"]:
        gas = {"gas_used": outcome.gas_used, "gas_wanted": outcome.gas_wanted}
        click.echo(json.dumps({**row, "tx": digest, "height": found.height, **gas}))
        return
    if line:
        click.echo(line)
    where = f"in block {found.height} of {row['chain_id']}"
    click.echo(f"transaction {digest} {where}, gas {outcome.gas_used} of {outcome.gas_wanted}")
