"""Whatever a node keeps from block to block stands on the page that says how it is bounded."""

import collections
import re
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ibc_module import hookimpl
from ibc_module.plugin import Config
from localnet import applications
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.core.channel.types import Order
from pyibc.core.coin import coin
from pyibc.core.height import Height
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.installation import PACKAGES
from pyibc.testing.pair import two_chains

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
NODE = set(PACKAGES) - {"pyibc.testing", "pyibc.relayer", "pyibc.indexer", "pyibc.proto"}
CONTAINERS = (dict, list, set, collections.deque, bytearray)
LEAVES = (str, bytes, int, float, bool, type(None))


class Growing:
    """The containers that can be reached from a chain and from the modules of a node, by their owners."""

    def __init__(self, chain):
        self._chain = chain
        self._before = self._lengths()

    def owners(self):
        """Names of classes and module attributes whose containers have grown since this was made."""
        now = self._lengths()
        grown = [path for path, length in now.items() if length > self._before[path]]
        return {_owner(path) for path in grown}

    def _lengths(self):
        lengths, seen = collections.Counter(), set()
        pending = [(self._chain, "chain"), *_globals()]
        while pending:
            each, path = pending.pop()
            if id(each) in seen or isinstance(each, LEAVES):
                continue
            seen.add(id(each))
            if isinstance(each, CONTAINERS):
                lengths[path] += len(each)
            pending += _attributes(each)
            pending += [(inner, f"{path}[]") for inner in _members(each)]
        return lengths


def _owner(path):
    """`Class` of `Class.attribute`, `NAME` of `package.module.NAME`."""
    words = path.rstrip("[]").split(".")
    return words[-1] if words[0] in NODE else words[0]


def _globals():
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in NODE:
            for attribute, content in list(vars(module).items()):
                if not isinstance(content, type) and not attribute.startswith("__"):
                    yield content, f"{name}.{attribute}"


def _attributes(each):
    """The attributes of an object of ours; of others only what they contain is looked at."""
    kind = type(each)
    if (kind.__module__ or "").partition(".")[0] not in {*NODE, "tests"}:
        return
    names = list(getattr(each, "__dict__", ()))
    for base in kind.__mro__:
        slots = vars(base).get("__slots__", ())
        names += (slots,) if isinstance(slots, str) else slots
    for name in names:
        try:
            yield object.__getattribute__(each, name), f"{kind.__qualname__}.{name}"
        except AttributeError:
            continue


def _members(each):
    if isinstance(each, dict):
        return [*each.keys(), *each.values()]
    if isinstance(each, tuple):
        return list(tuple.__iter__(each))
    if isinstance(each, list | set | frozenset | collections.deque):
        return list(each)
    inside = [*(getattr(each, "__defaults__", None) or ()), getattr(each, "__self__", None)]
    for cell in getattr(each, "__closure__", None) or ():
        try:
            inside.append(cell.cell_contents)
        except ValueError:  # not filled yet
            continue
    return inside


def listed():
    """Names in the table of what a process keeps."""
    section = PAGE.read_text(encoding="utf-8").partition("## What a process keeps")[2].partition("\n## ")[0]
    first_cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("|")]
    return {name for cell in first_cells for name in re.findall(r"\w+", cell)}


class Leaks:
    """Keeps the height of each block for ever."""

    def __init__(self):
        self.heights = []

    @hookimpl
    def chain_committed(self, block):
        self.heights.append(block.height)


@pytest.fixture
def net(tmp_path):
    """Two chains with every application, on the disk; one has a plugin that keeps something."""
    made = two_chains(
        plugins=lambda: [Leaks(), *applications.plugins(), *plugins(Config())],
        funds=(coin("stake", 10**12),),
        home=tmp_path,
    )
    with closing(made):
        yield made


def test_h248_what_outlives_a_block_stands_on_the_page(net):
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    sender, receiver = net.a.address("alice"), net.b.address("bob")

    def transfer(number):
        to = ("transfer", path.a.channel_id, "stake", str(number), sender, receiver)
        sent = net.a.execute("alice", pack_msg(MsgTransfer(*to, Height(1, 10**6), 0, f"memo {number}")))
        assert sent.code == 0, sent.log
        net.relay(path)

    for number in range(1, 9):
        transfer(number)
    growing = Growing(net.a.chain)
    for number in range(9, 20):
        transfer(number)
    owners = growing.owners()
    assert {"Leaks", "TxRunner", "BlockStore", "VERIFIED"} <= owners
    assert owners - listed() == {"Leaks"}
