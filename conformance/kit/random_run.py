"""Random traffic between three chains, deterministic for a seed, to compare replicas.

python -m conformance.kit.random_run 7 100

Prints app hash and a digest of events, codes and gas for every block of every chain. The output must not
depend on hash seed, Python version, time zone, locale or recursion limit. One of the chains is malicious: its
validators sign arbitrary packet data.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from math import inf
from random import Random

from conformance.kit.scripted_app import ScriptedPlugin
from conformance.kit.seconds import SECONDS
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.errors import IbcError
from pyibc.core.height import ZERO_HEIGHT
from pyibc.core.host.block import CommittedBlock
from pyibc.core.wire.tx import decode_tx
from pyibc.default_plugins import plugins
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.pair import SECOND, Party, two_chains
from pyibc.testing.transfers import FAR, abroad, transfer

_FUNDS = (coin("stake", 10**12), coin("uatom", 10**12))
_TEXTS = (
    "",
    "x",
    "\u00e9",
    "e\u0301",
    "\u0130\u0131\u017f\u212a",
    "\U0001f600",
    "\u2028<&>",
    "\u2ffc",  # assigned in Unicode 15.1: printable or not, depending on the Python version
    "\x7f\x00\x1c",
    "{}",
)
_AMOUNTS = ("1", "010", "0x10", "1_0", "-1", "1e3", "\u0661", "9" * 78, "9" * 5_000, " 1", "")
_DENOMS = (
    "uevil",
    "transfer/channel-0/uatom",
    "a/b",
    "",
    "/",
    "\u0130",
    "transfer/channel-0",
    "x-1/" * 40 + "y",
)
_QUIET = Options(sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf)


class RandomRun:
    """Two honest chains and a malicious one, with random traffic between them."""

    def __init__(self, seed: int) -> None:
        self._draw = Random(seed)  # noqa: S311 - traffic, not secrets
        self._net = two_chains(funds=_FUNDS)
        self._path = self._net.open("transfer", Order.UNORDERED, "ics20-1")
        self._scripted = ScriptedPlugin("transfer")
        wallet = Wallet.from_seed("attacker", "cosmos")
        self._hostile = LocalChain(
            "hostile-1",
            plugins=[*plugins(Config(), transfer=False), self._scripted],
            genesis=Genesis(funded([(wallet.address.text, _FUNDS)]), self._net.clock.now_ns, 1),
            clock=self._net.clock,
        )
        endpoint, b = LocalEndpoint(self._hostile, wallet), self._net.b.endpoint
        self._own = make_path(endpoint, b, "transfer", Order.UNORDERED, "ics20-1", new_clients=True)
        self._links = (
            Link([self._path], self._net.a.endpoint, b, options=_QUIET),
            Link([self._own], endpoint, b, options=_QUIET),
        )
        self._steps = (
            (5, self._send), (4, self._lie), (5, self._relay), (1, self._wait), (1, self._idle),
            (2, self._replay),
        )  # fmt: skip

    @property
    def chains(self) -> tuple[LocalChain, ...]:
        """All three chains."""
        return self._net.a.chain, self._net.b.chain, self._hostile

    @property
    def blocks(self) -> int:
        """Total number of blocks on all chains."""
        return sum(chain.height for chain in self.chains)

    def step(self) -> None:
        """Perform one random action."""
        weights = [weight for weight, _ in self._steps]
        self._draw.choices([act for _, act in self._steps], weights)[0]()

    def lines(self) -> Iterator[str]:
        """Return one line per block."""
        for chain in self.chains:
            for height in range(1, chain.height + 1):
                yield _line(chain.block(height))

    def close(self) -> None:
        """Close relayers and chains."""
        for link in self._links:
            link.close()
        self._net.close()
        self._hostile.close()

    def _party(self) -> tuple[Party, Party, int]:
        side = self._draw.randrange(2)
        return (self._net.a, self._net.b, 0) if side == 0 else (self._net.b, self._net.a, 1)

    def _send(self) -> None:
        """Submit a user's transaction of one to three transfers, valid or not."""
        near, far, side = self._party()
        messages = [self._transfer(near, far, side) for _ in range(self._draw.randint(1, 3))]
        near.execute(self._draw.choice(("alice", "alice", "alice", "bob")), *messages)

    def _transfer(self, near: Party, far: Party, side: int) -> AnyMessage:
        end = self._path.a if side == 0 else self._path.b
        denom = self._draw.choice(("uatom", "uatom", "stake", abroad("uatom", end).coin_denom))
        receiver = self._draw.choice((far.address("bob"), "nobody", "\u0130", far.address("alice").upper()))
        amount = self._draw.choice((1, 1, 7, 7, 10**6, 10**6, 10**6, 10**13))
        soon = self._net.clock.now_ns + self._draw.randint(1, 300) * SECOND
        until = self._draw.choice((FAR, soon))
        memo = self._draw.choice(_TEXTS)
        return transfer(near, "alice", end, denom, amount, receiver, until=until, memo=memo)

    def _lie(self) -> None:
        """Deliver a packet with arbitrary data from the malicious chain."""
        raw, end = self._data(), self._own.a
        self._scripted.at_begin.append(
            lambda ctx: self._scripted.sender.send_packet(
                ctx, end.port_id, end.channel_id, ZERO_HEIGHT, 2**63, raw
            )
        )
        self._hostile.make_block([])

    def _data(self) -> bytes:
        draw = self._draw
        members = [
            ("denom", draw.choice((*_DENOMS, *["uevil"] * 5))),
            ("amount", draw.choice((*_AMOUNTS, *"123456789"))),
            ("sender", draw.choice(_TEXTS)),
            ("receiver", draw.choice((*[self._net.b.address("bob")] * 9, *_TEXTS))),
            ("memo", draw.choice(_TEXTS)),
            (draw.choice(("Amount", "\u017fender", "extra", "denom")), draw.choice(("1", "x", "\ud800"))),
        ]
        draw.shuffle(members)
        chosen = members[: draw.randint(4, 6)]
        text = "{" + ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in chosen) + "}"
        if draw.random() < 0.2:
            text = draw.choice(
                ("NaN", "[" * 5_000 + "]" * 5_000, "1" * 5_000, "\ufeff" + text, text + "x", "null")
            )
        return text.encode(draw.choice(("utf-8", "utf-8", "utf-8", "utf-16")))

    def _relay(self) -> None:
        self._draw.choice(self._links).round()

    def _wait(self) -> None:
        self._net.clock.advance(self._draw.randint(1, 120) * SECOND)

    def _idle(self) -> None:
        self._draw.choice(self.chains).make_block([])

    def _replay(self) -> None:
        """Resubmit an earlier message, unchanged or with a bit flipped."""
        near, _, _ = self._party()
        block = near.chain.block(self._draw.randint(2, near.chain.height))
        old = [message for outcome in block.txs for message in decode_tx(outcome.tx).messages]
        if not old:
            return
        message = self._draw.choice(old)
        raw = bytearray(message.value)
        if raw and self._draw.random() < 0.7:
            raw[self._draw.randrange(len(raw))] ^= 1 << self._draw.randrange(8)
        try:
            near.execute("bob", AnyMessage(message.type_url, bytes(raw)))
        except IbcError:  # cannot be encoded in a transaction
            near.chain.make_block([])


def _line(block: CommittedBlock) -> str:
    digest = sha256(ascii(block.block_events).encode())
    for outcome in block.txs:
        told = (outcome.code, outcome.codespace, outcome.gas_used, outcome.data.hex(), outcome.events)
        digest.update(ascii(told).encode())
    return f"{block.chain_id} {block.height} {block.app_hash.hex()} {digest.hexdigest()}"


def random_run(seed: int, blocks: int) -> list[str]:
    """Return the lines of a run, which ends when its chains have `blocks` blocks in total."""
    run = RandomRun(seed)
    try:
        while run.blocks < blocks:
            run.step()
        return list(run.lines())
    finally:
        run.close()


if __name__ == "__main__":
    print("\n".join(random_run(int(sys.argv[1]), int(sys.argv[2]))))  # noqa: T201
