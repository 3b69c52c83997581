"""Genesis of interchain accounts: ibc-go's is read, ours is written, and nothing is lost."""

import pytest

from pyibc.apps.interchain_accounts.state import DISABLED, ENABLED, key_of
from pyibc.core.setup_error import InvalidGenesis
from tests.accounts_block import HERE, PORT, AccountsBlock

CHANNEL = {"connection_id": HERE, "port_id": PORT, "channel_id": "channel-5"}
ACCOUNT = {"connection_id": HERE, "port_id": PORT, "account_address": "cosmos1x"}
CONTROLLER = {
    "active_channels": [{**CHANNEL, "is_middleware_enabled": True}],
    "interchain_accounts": [ACCOUNT],
    "ports": [PORT, "icacontroller-other"],
    "params": {"controller_enabled": False},
}
HOST = {
    "active_channels": [{**CHANNEL, "is_middleware_enabled": False}],
    "interchain_accounts": [ACCOUNT],
    "port": "icahost",
    "params": {"host_enabled": True, "allow_messages": ["/a.Msg", "/b.Msg"]},
}


def started(of_controller=None, of_host=None, **options):
    """A chain that starts from these parts."""
    chain = AccountsBlock(**options)
    ctx = chain.block()
    parts = {"controller_genesis_state": of_controller or {}, "host_genesis_state": of_host or {}}
    chain.pipeline.init_genesis(ctx, {"interchainaccounts": parts})
    chain.ctx = ctx
    return chain


def exported(chain):
    return chain.pipeline.export_genesis(Committed(chain.ctx))["interchainaccounts"]


class Committed:
    """The block's writes, as a later block reads them."""

    def __init__(self, ctx):
        self.ctx = ctx

    def __getattr__(self, name):
        return getattr(self.ctx, name)

    def reader(self, name):
        return Entries(self.ctx.writes(name))

    @property
    def ibc(self):
        return self.reader("ibc")


class Entries(dict):
    """A store of entries."""

    def __init__(self, writes):
        super().__init__({key: value for key, value in writes if value is not None})

    def has(self, key):
        return key in self

    def iterate(self, start, end):
        return iter(
            [each for each in sorted(self.items()) if start <= each[0] and (end is None or each[0] < end)]
        )


def test_what_ibc_go_exported_is_read_and_written_again():
    chain = started(CONTROLLER, HOST)
    assert chain.entries("icacontroller") == {
        b"params": b"",
        key_of(b"activeChannel/", PORT, HERE): b"channel-5",
        key_of(b"isMiddlewareEnabled/", PORT, HERE): ENABLED,
        key_of(b"owner/", PORT, HERE): b"cosmos1x",
        b"port/" + PORT.encode(): b"\x01",
        b"port/icacontroller-other": b"\x01",
    }
    found = exported(chain)
    assert found["controller_genesis_state"] == {**CONTROLLER, "other_entries": []}
    assert found["host_genesis_state"] == {**HOST, "other_entries": []}


def test_a_new_chain_has_everything_on():
    chain = started()
    assert chain.entries("icacontroller") == {b"params": b"\x08\x01"}
    assert chain.entries("icahost") == {b"params": b"\x08\x01\x12\x01*", b"port/icahost": b"\x01"}


def test_what_has_no_place_in_ibc_go_s_genesis_is_kept():
    chain = started({**CONTROLLER, "active_channels": []}, HOST)
    flag = key_of(b"isMiddlewareEnabled/", "icacontroller-early", HERE), DISABLED
    chain.ctx.store("icacontroller").set(*flag)
    again = started(exported(chain)["controller_genesis_state"])
    assert again.entries("icacontroller") == chain.entries("icacontroller")


@pytest.mark.parametrize("part", ["controller", "host"])
def test_a_chain_of_one_side_alone(part):
    chain = started(CONTROLLER, HOST, controller=part == "controller", host=part == "host")
    assert [store for store in chain.pipeline.stores() if store.startswith("ica")] == [f"ica{part}"]
    assert list(exported(chain)) == [f"{part}_genesis_state"]
    kinds = {"controller": ["MsgRegisterInterchainAccount", "MsgSendTx", "MsgUpdateParams"]}
    urls = [each for each in chain.routes if "interchain_accounts" in each]
    assert sorted(each.split(".")[-1] for each in urls) == kinds.get(
        part, ["MsgModuleQuerySafe", "MsgUpdateParams"]
    )
    assert {each.split(".")[3] for each in chain.queries if "interchain_accounts" in each} == {part}


@pytest.mark.parametrize(
    ("controller", "host"),
    [
        ([], {}),
        ({**CONTROLLER, "ports": ["!"]}, {}),
        ({**CONTROLLER, "active_channels": [{**CHANNEL, "channel_id": "c"}]}, {}),
        ({**CONTROLLER, "active_channels": [{**CHANNEL, "port_id": "a/b"}]}, {}),
        ({**CONTROLLER, "interchain_accounts": [{**ACCOUNT, "account_address": "a-b"}]}, {}),
        ({**CONTROLLER, "interchain_accounts": [{**ACCOUNT, "port_id": ""}]}, {}),
        ({**CONTROLLER, "more": 1}, {}),
        ({}, {**HOST, "port": "!"}),
        ({}, {**HOST, "params": {"allow_messages": ["*", "/a.Msg"]}}),
        ({}, {**HOST, "params": {"allow_messages": "*"}}),
        ({}, {**HOST, "active_channels": [{**CHANNEL, "channel_id": "c"}]}),
        ({}, {**HOST, "interchain_accounts": [{**ACCOUNT, "account_address": ""}]}),
    ],
)
def test_a_malformed_genesis(controller, host):
    parts = {"controller_genesis_state": controller, "host_genesis_state": host}
    chain = AccountsBlock()
    with pytest.raises(InvalidGenesis):
        chain.pipeline.init_genesis(chain.block(), {"interchainaccounts": parts})
    with pytest.raises(InvalidGenesis):
        chain.pipeline.init_genesis(chain.block(), {"interchainaccounts": []})
