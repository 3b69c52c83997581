"""What a host does for applications: accounts, supply, the app hash; on the localnet and on tinychain."""

from itertools import count

import pytest

from ibc_module import hookimpl
from ibc_module.plugin import Config
from localnet.chain import LocalChain
from localnet.settings import Genesis, funded
from pyibc.core.address import AddressCodec, module_address
from pyibc.core.coin import coin
from pyibc.core.errors import InsufficientBalance, InvalidSdkRequest
from pyibc.default_plugins import plugins
from pyibc.examples.tinychain.bank import TinyBank
from pyibc.examples.tinychain.chain import TinyChain


class Curious:
    """An application that does in a block what a test asks, and notes each block's app hash."""

    def __init__(self):
        self.services, self.todo, self.results, self.hashes = None, [], [], {}

    @hookimpl
    def ibc_register_apps(self, services):
        self.services = services
        return {}

    @hookimpl
    def chain_begin_block(self, ctx):
        self.hashes[ctx.height.revision_height] = ctx.app_hash
        self.results += [action(ctx) for action in self.todo]
        self.todo.clear()


class Host:
    """A host with the application; `inside` runs an action in the next block."""

    def __init__(self, prefix, start):
        self.addresses = AddressCodec(prefix)
        self.app = Curious()
        self.alice = self.addresses.encode(b"a" * 20)
        self.chain = start(self)

    def inside(self, action):
        self.app.todo.append(action)
        self.app.results.clear()
        self.chain.make_block()
        return self.app.results[0]

    def writes(self, ctx):
        return {name: ctx.writes(name) for name in self.pipeline.stores()}

    @property
    def pipeline(self):
        return self.chain.app.pipeline if isinstance(self.chain, LocalChain) else self.chain.pipeline

    def reader(self):
        return self.chain.app.query_context() if isinstance(self.chain, LocalChain) else self.chain.reader()


def local(host):
    genesis = Genesis(funded([(host.alice.text, [coin("grain", 1000)])]))
    return LocalChain("local-1", plugins=[host.app, *plugins(Config())], genesis=genesis)


def tiny(host):
    seconds = count(1_700_000_000)
    parts = [TinyBank(host.addresses), host.app, *plugins(Config(account_prefix="tiny"))]
    genesis = {"coins": {host.alice.text: {"grain": 1000}}}
    return TinyChain("tiny-1", parts, genesis, [b"v" * 32], lambda: next(seconds) * 10**9)


@pytest.fixture(params=[("cosmos", local), ("tiny", tiny)], ids=["localnet", "tinychain"])
def host(request):
    return Host(*request.param)


def test_an_account_is_made_once_with_the_next_number(host):
    accounts, service = host.app.services.accounts, host.addresses.encode(module_address("service"))
    other = host.addresses.encode(b"o" * 32)
    first = host.inside(lambda ctx: accounts.create(ctx, service, "service"))
    second = host.inside(lambda ctx: accounts.create(ctx, other))
    assert (first.module, first.sequence) == ("service", 0)
    assert (second.number, second.module) == (first.number + 1, "")
    assert host.inside(lambda ctx: accounts.get(ctx, service.raw)) == first
    assert host.inside(lambda ctx: accounts.get(ctx, other.raw)) == second
    assert host.inside(lambda ctx: accounts.get(ctx, b"n" * 20)) is None


def test_an_account_that_exists_is_not_made_again(host):
    accounts, service = host.app.services.accounts, host.addresses.encode(b"s" * 20)
    made = host.inside(lambda ctx: accounts.create(ctx, service, "service"))

    def again(ctx):
        before = host.writes(ctx)
        with pytest.raises(InvalidSdkRequest, match="exists"):
            accounts.create(ctx, service, "thief")
        return host.writes(ctx) == before

    assert host.inside(again)
    assert host.inside(lambda ctx: accounts.get(ctx, service.raw)) == made


def test_the_supply_of_a_denom(host):
    bank, module = host.app.services.bank, host.addresses.encode(module_address("transfer"))
    supply = lambda ctx: [bank.supply(ctx, denom) for denom in ("grain", "voucher", "nothing")]  # noqa: E731
    assert host.inside(supply) == [1000, 0, 0]
    host.inside(lambda ctx: bank.mint(ctx, module, coin("voucher", 30)))
    host.inside(lambda ctx: bank.send(ctx, host.alice, module, coin("grain", 400)))
    assert host.inside(supply) == [1000, 30, 0]
    host.inside(lambda ctx: bank.burn(ctx, module, coin("voucher", 10)))

    def too_much(ctx):
        with pytest.raises(InsufficientBalance):
            bank.burn(ctx, module, coin("voucher", 21))

    host.inside(too_much)
    assert host.inside(supply) == [1000, 20, 0]


def test_the_app_hash_is_that_of_the_blocks_header(host):
    for _ in range(3):
        host.inside(lambda ctx: ctx.store("ibc").set(b"key", ctx.app_hash))
    assert len(set(host.app.hashes.values())) == len(host.app.hashes) >= 3
    for height, given in host.app.hashes.items():
        assert given == header(host.chain, height).app_hash


def test_a_state_that_is_read_has_its_own_hash(host):
    host.inside(lambda ctx: ctx.store("ibc").set(b"key", b"one"))
    read = host.reader().app_hash
    host.inside(lambda ctx: None)
    assert read == host.app.hashes[max(host.app.hashes)]


def test_an_older_state_that_is_read_has_the_hash_it_had():
    host = Host("cosmos", local)
    for value in (b"one", b"two", b"three"):
        host.inside(lambda ctx, value=value: ctx.store("ibc").set(b"key", value))
    assert host.chain.app.query_context(2).app_hash == host.app.hashes[3]


def header(chain, height):
    if isinstance(chain, LocalChain):
        return chain.record(height).header
    return chain.consensus.headers[height - 1].header
