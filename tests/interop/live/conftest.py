"""Chains of two makes, live on loopback, and our relayer between them."""

from contextlib import ExitStack, closing

import pytest

from conformance.peers.binaries import PeerMissing, peer_binary
from conformance.peers.live_chains import python_chains, simd_chain
from localnet.settings import COMETBFT, LOCAL
from pyibc.core.channel.types import Order
from pyibc.relayer.links.link import Link
from pyibc.relayer.paths.open_path import make_path


@pytest.fixture(scope="session")
def peer():
    """The path of a foreign program; skips, naming it, where it is missing."""

    def find(name):
        try:
            return peer_binary(name)
        except PeerMissing as missing:
            pytest.skip(str(missing))

    return find


class Pair:
    """Two chains, and a relayer of ours between them."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    @property
    def ends(self):
        return self.a.as_user("relayer"), self.b.as_user("relayer")

    def open(self, order=Order.UNORDERED, ports=("transfer", "transfer"), version="ics20-1", **more):
        return make_path(*self.ends, ports, order, version, **more)

    def relay(self, path):
        with closing(Link([path], *self.ends)) as link:
            return link.until_idle()

    def turned(self):
        return Pair(self.b, self.a)


MAKES = ("go-go", "python-go", "go-python", "comet-go", "comet-comet")
"""Who makes the two chains: ibc-go, ours with its own consensus, ours under CometBFT."""

GO = {"go": "simd", "go11": "simd11", "go11cb": "simd11cb"}
"""ibc-go's: version 10, version 11 with its applications, with callbacks (conformance/walks/go/simd11)."""


@pytest.fixture(scope="session")
def open_pair(peer):
    """Makes a pair: `open_pair(stack, folder, make)`; what it starts ends with the stack."""

    def make_it(stack, folder, make, state=None, **more):
        makes = make.split("-")
        for maker, program in (*GO.items(), ("comet", "cometbft")):
            if maker in makes:
                peer(program)
        ours = {"python": {"consensus": LOCAL}, "comet": {"consensus": COMETBFT, "validators": 1}}
        made = {
            maker: stack.enter_context(python_chains(folder / maker, makes.count(maker), **how, **more))
            for maker, how in ours.items()
            if maker in makes
        }
        made["go"] = [
            stack.enter_context(simd_chain(f"go-{letter}-1", folder)) for letter in "ab"[: makes.count("go")]
        ]
        for maker in ("go11", "go11cb"):
            if maker in makes:
                chain = simd_chain("goapps-1", folder, program=GO[maker], state=state)
                made[maker] = [stack.enter_context(chain)]
        return Pair(*(made[maker].pop(0) for maker in makes))

    return make_it


@pytest.fixture(scope="module", params=MAKES)
def pair(request, open_pair, tmp_path_factory):
    """Two live chains; `a` starts the handshakes."""
    with ExitStack() as stack:
        yield open_pair(stack, tmp_path_factory.mktemp("live"), request.param)
