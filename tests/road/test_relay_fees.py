"""`pyibc relay --ledger` and `pyibc relay fees`: two chains, two prices, to the unit of the balances."""

import json
from contextlib import closing

from click.testing import CliRunner

from conformance.kit.serving import serving
from pyibc.cli.relay import command
from pyibc.default_plugins import plugins
from pyibc.relayer.money.accounts import SignedTx
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.wallet import Wallet

KEY = "11" * 32


def test_h154_what_creating_a_path_cost(tmp_path, monkeypatch):
    monkeypatch.setenv("MONEY", KEY)
    wallet, ledger = Wallet(bytes.fromhex(KEY), "cosmos"), str(tmp_path / "ledger")
    with serving(("one-1", "two-2"), plugins, [KEY], 0.1) as (one, two):
        chains = ["--a", one.url, "--b", two.url, "--key-a", "env:MONEY", "--key-b", "env:MONEY"]
        prices = ["--gas-price-a", "0.025stake", "--gas-price-b", "0.0003grain"]
        made = CliRunner().invoke(command, ["create", "path", *chains, *prices, "--ledger", ledger])
        assert made.exit_code == 0, made.output
        lost = {}
        for node, denom, had in ((one, "stake", 10**12), (two, "grain", 10**6)):
            app = node.chain.app
            lost[node.chain.chain_id] = had - app.bank.balance(app.query_context(), wallet.address.raw, denom)
    said = CliRunner().invoke(command, ["fees", "--ledger", ledger, "--json"])
    told = json.loads(said.stdout)
    fees = {row["chain_id"]: row["fees"] for row in told["costs"]}
    assert fees == {"one-1": {"stake": str(lost["one-1"])}, "two-2": {"grain": str(lost["two-2"])}}
    assert min(lost.values()) > 0
    assert told["in_doubt"] == {"one-1": {}, "two-2": {}}
    shown = CliRunner().invoke(command, ["fees", "--ledger", ledger, "--by", "path"])
    assert f"{lost['two-2']}grain" in shown.output
    with closing(Ledger(tmp_path / "ledger")) as opened:
        opened.sent("two-2", SignedTx(b"a", "cosmos1x", 9, 5, (), ()), 7)
    assert (
        "in doubt" not in CliRunner().invoke(command, ["fees", "--ledger", ledger]).output
    )  # it costs nothing


def test_no_ledger_there(tmp_path):
    assert CliRunner().invoke(command, ["fees", "--ledger", str(tmp_path / "none")]).exit_code == 2
    (tmp_path / "other").write_text("no database " * 100)
    result = CliRunner().invoke(command, ["fees", "--ledger", str(tmp_path / "other")])
    advice = "name the file of an earlier run, or a new one"
    said = f"error: {tmp_path / 'other'}: file is not a database: {advice}\n"
    assert (result.exit_code, result.output) == (1, said)
