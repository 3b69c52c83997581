"""CosmJS as a wallet: balance, send, IBC transfer, wait for the transaction, events; both sign modes."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from conformance.peers.chain import key_text
from conformance.peers.live_chains import python_chains
from localnet.settings import COMETBFT, LOCAL
from pyibc.core.channel.types import Order
from pyibc.relayer.paths.open_path import make_path
from pyibc.testing.transfers import abroad

pytestmark = pytest.mark.interop

ROOT = Path(__file__).resolve().parents[3]
MODULES = ROOT / ".cache" / "cosmjs"


@pytest.fixture(scope="module")
def cosmjs():
    if not (MODULES / "node_modules" / "@cosmjs" / "stargate").is_dir() or not shutil.which("node"):
        pytest.skip("no CosmJS: `make cosmjs` installs it where Node.js is")
    return Path(__file__).with_name("cosmjs_wallet.mjs")


@pytest.mark.parametrize("consensus", [COMETBFT, LOCAL])
def test_a_wallet_of_cosmjs(consensus, cosmjs, peer, tmp_path):
    if consensus == COMETBFT:
        peer("cometbft")
    with python_chains(tmp_path, 2, consensus=consensus, validators=1) as (a, b):
        path = make_path(a.as_user("relayer"), b.as_user("relayer"), "transfer", Order.UNORDERED, "ics20-1")
        before = a.balance("bob", "stake")
        words = [a.url, key_text("alice"), a.address("bob"), path.a.channel_id, b.address("bob")]
        done = subprocess.run(
            ["node", cosmjs, MODULES, *words], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert (told["address"], told["chain"]) == (a.address("alice"), a.chain_id)
        assert told["account"]["sequence"] == 0
        assert {"denom": "stake", "amount": told["before"]["amount"]} in told["all"]
        assert told["sent"]["code"] == told["moved"]["code"] == 0, told
        assert {"recipient": a.address("bob"), "sender": a.address("alice"), "amount": "11stake"}.items() <= (
            told["sent"]["transfers"][-1].items()
        )
        assert a.balance("bob", "stake") == before + 14
        assert [each["code"] for each in told["amino"]] == [0, 0, 0], told["amino"]
        assert told["moved"]["packets"][0]["packet_src_channel"] == path.a.channel_id
        assert told["found"]["height"] == told["sent"]["height"]
        assert told["found"]["gasUsed"] > 0
        assert told["searched"] >= 2
        assert "insufficient funds" in told["refused"]
        assert told["failed"] == 5
        assert int(told["after"]["amount"]) < int(told["before"]["amount"]) - 23  # fees
        assert b.balance("bob", abroad("stake", path.b).coin_denom) == 0
