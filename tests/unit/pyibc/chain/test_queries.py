"""Accounts, coins and the node by gRPC: pages, limits, what is not there."""

import pytest

from localnet.settings import funded
from pyibc.chain.app import HostApp
from pyibc.chain.config import GasPrices, HostConfig, Modules, StakingParams, TxLimits, module_address
from pyibc.core.coin import coin
from pyibc.core.errors import InvalidAddress, InvalidRequest, NotFound, UnknownAccount, UnknownRequest
from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2
from pyibc.proto.cosmos.auth.v1beta1 import query_pb2 as auth
from pyibc.proto.cosmos.bank.v1beta1 import query_pb2 as bank
from pyibc.proto.cosmos.base.node.v1beta1 import query_pb2 as node
from pyibc.proto.cosmos.base.query.v1beta1.pagination_pb2 import PageRequest
from pyibc.proto.cosmos.base.tendermint.v1beta1 import query_pb2 as tendermint
from pyibc.proto.cosmos.consensus.v1 import query_pb2 as consensus
from pyibc.proto.cosmos.staking.v1beta1 import query_pb2 as staking
from pyibc.relayer.money.wallet import Wallet

START = 1_700_000_000_000_000_000
PEOPLE = [Wallet.from_seed(f"user-{n}", "cosmos").address.text for n in range(5)]
AUTH, BANK = "/cosmos.auth.v1beta1.Query/", "/cosmos.bank.v1beta1.Query/"


def start(config=None):
    app = HostApp(config or HostConfig("chain-1"))
    holdings = [(each, [coin("atom", 10 + n), coin("stake", 10**6)]) for n, each in enumerate(PEOPLE)]
    holdings.append((PEOPLE[0], [coin("zcoin", 1)]))
    state = funded(holdings[:-1])
    state["bank"]["balances"][0]["coins"].append({"denom": "zcoin", "amount": "1"})
    app.init_chain(START, state)
    app.finalize_block(START, [])
    app.commit()
    return app


@pytest.fixture(scope="module")
def app():
    return start()


def ask(app, path, request, kind):
    return kind.FromString(app.grpc(path, request.SerializeToString()))


def pages(app, path, request, kind, size):
    """All pages, by key."""
    found, key = [], b""
    while True:
        asked = type(request).FromString(request.SerializeToString())
        asked.pagination.CopyFrom(PageRequest(key=key, limit=size))
        found.append(ask(app, path, asked, kind))
        key = found[-1].pagination.next_key
        if not key:
            return found


def test_accounts_come_in_pages(app):
    whole = ask(app, f"{AUTH}Accounts", auth.QueryAccountsRequest(), auth.QueryAccountsResponse)
    assert whole.pagination.total == len(whole.accounts) == len(PEOPLE)
    parts = pages(app, f"{AUTH}Accounts", auth.QueryAccountsRequest(), auth.QueryAccountsResponse, 2)
    assert [len(part.accounts) for part in parts] == [2, 2, 1]
    assert [each for part in parts for each in part.accounts] == list(whole.accounts)
    addresses = {auth_pb2.BaseAccount.FromString(each.value).address for each in whole.accounts}
    assert addresses == set(PEOPLE)


def test_an_account_is_found_by_address_and_by_number(app):
    for number, address in enumerate(PEOPLE):
        asked = auth.QueryAccountInfoRequest(address=address)
        info = ask(app, f"{AUTH}AccountInfo", asked, auth.QueryAccountInfoResponse).info
        assert (info.address, info.account_number) == (address, number)
        by_number = auth.QueryAccountAddressByIDRequest(account_id=number)
        path = f"{AUTH}AccountAddressByID"
        assert ask(app, path, by_number, auth.QueryAccountAddressByIDResponse).account_address == address
    with pytest.raises(NotFound):
        app.grpc(
            f"{AUTH}AccountAddressByID",
            auth.QueryAccountAddressByIDRequest(account_id=99).SerializeToString(),
        )
    for old in (1, -1):
        request = auth.QueryAccountAddressByIDRequest(id=old, account_id=1).SerializeToString()
        with pytest.raises(InvalidRequest, match="account_id"):
            app.grpc(f"{AUTH}AccountAddressByID", request)
    nobody = Wallet.from_seed("nobody", "cosmos").address.text
    for method in ("Account", "AccountInfo"):
        with pytest.raises(UnknownAccount):
            app.grpc(f"{AUTH}{method}", auth.QueryAccountRequest(address=nobody).SerializeToString())
        with pytest.raises(InvalidAddress):
            app.grpc(f"{AUTH}{method}", auth.QueryAccountRequest(address="osmo1x").SerializeToString())


def test_module_accounts_are_those_that_exist(app):
    said = ask(
        app, f"{AUTH}ModuleAccounts", auth.QueryModuleAccountsRequest(), auth.QueryModuleAccountsResponse
    )
    assert list(said.accounts) == []
    other = start()
    collector = other.addresses.encode(module_address("fee_collector"))
    state = funded([(collector.text, [coin("stake", 1)])])
    paid = HostApp(HostConfig("chain-1"))
    paid.init_chain(START, state)
    paid.finalize_block(START, [])
    paid.commit()
    said = ask(
        paid, f"{AUTH}ModuleAccounts", auth.QueryModuleAccountsRequest(), auth.QueryModuleAccountsResponse
    )
    (account,) = [auth_pb2.ModuleAccount.FromString(each.value) for each in said.accounts]
    assert (account.name, account.base_account.address) == ("fee_collector", collector.text)
    by_name = auth.QueryModuleAccountByNameRequest(name="fee_collector")
    found = ask(paid, f"{AUTH}ModuleAccountByName", by_name, auth.QueryModuleAccountByNameResponse)
    assert found.account == said.accounts[0]
    for name, error in (("transfer", NotFound), ("mint", NotFound), ("", InvalidRequest)):
        with pytest.raises(error):
            paid.grpc(
                f"{AUTH}ModuleAccountByName",
                auth.QueryModuleAccountByNameRequest(name=name).SerializeToString(),
            )


def test_parameters_are_those_that_hold():
    app = start(
        HostConfig("c", limits=TxLimits(memo_bytes=77, signatures=3), gas=GasPrices(tx_byte=4, signature=5))
    )
    params = ask(app, f"{AUTH}Params", auth.QueryParamsRequest(), auth.QueryParamsResponse).params
    assert (params.max_memo_characters, params.tx_sig_limit) == (77, 3)
    assert (params.tx_size_cost_per_byte, params.sig_verify_cost_secp256k1) == (4, 5)
    sent = ask(app, f"{BANK}Params", bank.QueryParamsRequest(), bank.QueryParamsResponse).params
    assert sent.default_send_enabled is True


@pytest.mark.parametrize("method", ["AllBalances", "SpendableBalances"])
def test_balances_come_in_pages(app, method):
    request = getattr(bank, f"Query{method}Request")(address=PEOPLE[0])
    kind = getattr(bank, f"Query{method}Response")
    parts = pages(app, f"{BANK}{method}", request, kind, 2)
    assert [[c.denom for c in part.balances] for part in parts] == [["atom", "stake"], ["zcoin"]]
    whole = ask(app, f"{BANK}{method}", request, kind)
    assert (len(whole.balances), whole.pagination.total) == (3, 3)
    request.pagination.CopyFrom(PageRequest(limit=1, reverse=True, count_total=True))
    backwards = ask(app, f"{BANK}{method}", request, kind)
    assert ([c.denom for c in backwards.balances], backwards.pagination.total) == (["zcoin"], 3)


def test_supply_owners_and_single_balances(app):
    parts = pages(app, f"{BANK}TotalSupply", bank.QueryTotalSupplyRequest(), bank.QueryTotalSupplyResponse, 2)
    supply = {c.denom: int(c.amount) for part in parts for c in part.supply}
    assert supply == {"atom": 60, "stake": 5 * 10**6, "zcoin": 1}
    for denom, amount in supply.items():
        of = ask(app, f"{BANK}SupplyOf", bank.QuerySupplyOfRequest(denom=denom), bank.QuerySupplyOfResponse)
        assert int(of.amount.amount) == amount
    owners = bank.QueryDenomOwnersRequest(denom="atom")
    parts = pages(app, f"{BANK}DenomOwners", owners, bank.QueryDenomOwnersResponse, 2)
    held = {each.address: int(each.balance.amount) for part in parts for each in part.denom_owners}
    assert held == {address: 10 + n for n, address in enumerate(PEOPLE)}
    assert [len(part.denom_owners) for part in parts] == [2, 2, 1]
    for method in ("Balance", "SpendableBalanceByDenom"):
        request = getattr(bank, f"Query{method}Request")(address=PEOPLE[1], denom="atom")
        said = ask(app, f"{BANK}{method}", request, getattr(bank, f"Query{method}Response"))
        assert (said.balance.denom, said.balance.amount) == ("atom", "11")


def test_there_is_no_metadata(app):
    with pytest.raises(NotFound):
        app.grpc(f"{BANK}DenomMetadata", bank.QueryDenomMetadataRequest(denom="stake").SerializeToString())
    said = ask(
        app, f"{BANK}DenomsMetadata", bank.QueryDenomsMetadataRequest(), bank.QueryDenomsMetadataResponse
    )
    assert list(said.metadatas) == []


@pytest.mark.parametrize(
    ("method", "request_"),
    [
        ("Balance", bank.QueryBalanceRequest(address=PEOPLE[0], denom="")),
        ("SupplyOf", bank.QuerySupplyOfRequest(denom="!")),
        ("DenomOwners", bank.QueryDenomOwnersRequest(denom="a")),
        (
            "AllBalances",
            bank.QueryAllBalancesRequest(address=PEOPLE[0], pagination=PageRequest(key=b"a", offset=1)),
        ),
    ],
)
def test_requests_that_make_no_sense(app, method, request_):
    with pytest.raises(InvalidRequest):
        app.grpc(f"{BANK}{method}", request_.SerializeToString())


def test_the_node_tells_its_price_and_terms():
    rules = HostConfig(
        "c",
        gas=GasPrices(micro=25_000, denom="uatom"),
        staking=StakingParams(unbonding_s=600),
        block_gas=7,
        modules=Modules(cosmos_sdk="", ibc_go="v8.5.1"),
    )
    app = start(rules)
    path = "/cosmos.base.node.v1beta1.Service/Config"
    assert ask(app, path, node.ConfigRequest(), node.ConfigResponse).minimum_gas_price == "0.025000uatom"
    params = ask(
        app, "/cosmos.staking.v1beta1.Query/Params", staking.QueryParamsRequest(), staking.QueryParamsResponse
    ).params
    assert (params.unbonding_time.seconds, params.bond_denom) == (600, "uatom")
    assert params.historical_entries > 0
    block = ask(
        app,
        "/cosmos.consensus.v1.Query/Params",
        consensus.QueryParamsRequest(),
        consensus.QueryParamsResponse,
    ).params.block
    assert (block.max_bytes, block.max_gas) == (rules.block_bytes, 7)
    info = ask(
        app,
        "/cosmos.base.tendermint.v1beta1.Service/GetNodeInfo",
        tendermint.GetNodeInfoRequest(),
        tendermint.GetNodeInfoResponse,
    )
    declared = {each.path for each in info.application_version.build_deps}
    assert declared == {"github.com/cometbft/cometbft", "github.com/cosmos/ibc-go/v8"}
    assert info.default_node_info.network == "c"


def test_abci_query_tells_refusals_as_the_sdk_does(app):
    nobody = auth.QueryAccountRequest(address=Wallet.from_seed("nobody", "cosmos").address.text)
    said = app.query(f"{AUTH}Account", nobody.SerializeToString())
    assert (said.codespace, said.code) == ("sdk", 22)
    assert said.log.startswith("rpc error: code = NotFound desc = account cosmos1")
    said = app.query(f"{AUTH}Account", b"\xff")
    assert (said.codespace, said.code) == ("sdk", 18)
    assert said.log.startswith("rpc error: code = InvalidArgument desc = ")
    said = app.query("/a.b.Query/C", b"")
    assert (said.codespace, said.code) == ("sdk", 6)
    with pytest.raises(UnknownRequest):
        app.grpc("/a.b.Query/C", b"")


def test_abci_query_of_no_key_is_refused(app):
    for prove in (False, True):
        said = app.query("/store/acc/key", b"", prove=prove)
        assert (said.codespace, said.code, said.value) == ("sdk", 18, b"")


def test_cometbft_may_connect_to_anybody(app):
    """With `filter_peers` it asks for each peer; any code but 0 would keep it alone."""
    for path in ("/p2p/filter/addr/127.0.0.1:26656", "/p2p/filter/id/ab"):
        assert app.query(path, b"").code == 0
    assert app.query("/p2p/nope", b"").code == 6


def test_every_path_is_listed(app):
    paths = app.grpc_paths()
    assert {f"{AUTH}Account", f"{BANK}Balance", "/cosmos.tx.v1beta1.Service/Simulate"} <= set(paths)
    for path in paths:
        with pytest.raises(Exception) as error:  # noqa: PT011 - what it is not, is what is asked
            app.grpc(path, b"\xff\xff\xff")
        assert not isinstance(error.value, UnknownRequest)
