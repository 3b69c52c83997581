"""Chains of two makes, live on loopback, and our relayer between them."""

from contextlib import ExitStack, closing

import pytest

from ibc_module.core.channel import Order
from ibc_module.relayer.link import Link
from ibc_module.relayer.open_path import make_path
from localnet.testkit.peers.binaries import PeerMissing, peer_binary
from localnet.testkit.peers.stage import python_chains, simd_chain


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


MAKES = ("python-python", "go-go", "python-go", "go-python")


@pytest.fixture(scope="module", params=MAKES)
def pair(request, peer, tmp_path_factory):
    """Two live chains; `a` starts the handshakes."""
    peer("simd")
    folder = tmp_path_factory.mktemp("live")
    with ExitStack() as stack:
        made = {}
        count = request.param.count("python")
        made["python"] = stack.enter_context(python_chains(count, folder / "python")) if count else []
        made["go"] = [
            stack.enter_context(simd_chain(f"go-{letter}-1", folder))
            for letter in "ab"[: request.param.count("go")]
        ]
        yield Pair(*(made[make].pop(0) for make in request.param.split("-")))
