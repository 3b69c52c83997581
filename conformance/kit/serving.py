"""In-process chains that make blocks at an interval and serve RPC."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from threading import Event, Thread
from typing import NamedTuple

from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.rpc.server import RpcServer
from localnet.settings import Genesis, funded
from pyibc.core.coin import coin
from pyibc.relayer.money.wallet import Wallet

POLL_S = 0.01


class Served(NamedTuple):
    """A chain and the URL of its RPC."""

    chain: LocalChain
    url: str


@contextmanager
def serving(
    chain_ids: Sequence[str],
    plugins_of: Callable[[Config], list[object]],
    keys: Sequence[str],
    block_s: float,
) -> Iterator[list[Served]]:
    """Serve chains for the duration of the `with` block.

    Args:
        chain_ids: The chains to serve.
        plugins_of: Returns a chain's plugins.
        keys: secp256k1 private keys, 64 hex digits each, of the funded accounts.
        block_s: Seconds between blocks.
    """
    accounts = [Wallet(bytes.fromhex(key), "cosmos").address.text for key in keys]
    coins = [coin("stake", 10**12), coin("grain", 10**6)]
    genesis = Genesis(funded([(account, coins) for account in accounts]))
    with ExitStack() as stack:
        served = []
        for chain_id in chain_ids:
            chain = LocalChain(chain_id, plugins=plugins_of(Config()), genesis=genesis)
            stack.enter_context(closing(chain))
            server = RpcServer(chain)
            server.start(POLL_S)
            stack.callback(server.stop)
            served.append(Served(chain, server.url))
        stop = Event()
        maker = Thread(target=_make_blocks, args=([each.chain for each in served], stop, block_s))
        maker.start()
        stack.callback(maker.join)
        stack.callback(stop.set)
        yield served


def _make_blocks(chains: Sequence[LocalChain], stop: Event, block_s: float) -> None:
    while not stop.wait(block_s):
        for chain in chains:
            chain.make_block()
