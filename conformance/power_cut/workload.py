"""The recorded program: a chain whose user sends coins, with a log of signed and announced blocks.

`python -m conformance.power_cut.workload ROOT BLOCKS KEEP`: the home is ROOT/home. The log, ROOT/told, is
recorded like all files. It has a line `signed HEIGHT HASH` before the validators sign, and a line `told
HEIGHT APP_HASH` before the state becomes visible.
"""

import os
import sys
from pathlib import Path
from typing import Any

from localnet.chain import LocalChain
from localnet.consensus.sign_state import SignState
from localnet.settings import Genesis, funded
from pyibc.chain.app import HostApp
from pyibc.chain.bank.send import MSG_SEND, encode_send
from pyibc.chain.comet.settings import Retention
from pyibc.codec.anys import AnyMessage
from pyibc.core.coin import coin
from pyibc.relayer.money.wallet import Wallet

START = 10**18
CHAIN_ID = "cut-1"
ALICE, BOB = Wallet.from_seed("a", "cosmos"), Wallet.from_seed("b", "cosmos")


def opened(home: Path, keep: int) -> LocalChain:
    """Open the chain at `home`, with `keep` retained blocks and versions."""
    genesis = Genesis(funded([(ALICE.address.text, [coin("stake", 10**12)])]), START)
    clock = iter(range(START + 10**15, START + 2 * 10**15))
    return LocalChain(
        CHAIN_ID, home, genesis=genesis, clock=lambda: next(clock), retention=Retention(keep, keep)
    )


def transaction(chain: LocalChain) -> bytes:
    """Return Alice's next transaction."""
    account = chain.app.pending_account(ALICE.address.raw)
    number = account.sequence if account is not None else 0
    coins = (coin("stake", number + 1),)
    message = AnyMessage(MSG_SEND, encode_send(ALICE.address.text, BOB.address.text, coins))
    return ALICE.sign_tx([message], chain_id=CHAIN_ID, account_number=0, sequence=number, gas_limit=10**6)


def main(root: Path, blocks: int, keep: int) -> None:
    """Make the blocks."""
    told = os.open(root / "told", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    sign, commit = SignState.sign, HostApp.commit

    def signs(state: SignState, proposal: Any, block_id: Any) -> None:
        sign(state, proposal, block_id)
        os.write(told, b"signed %d %s\n" % (proposal.height, block_id.hash.hex().encode()))

    def commits(app: HostApp) -> Any:
        height, app_hash = app.store.next_version, app.store.apply({})
        os.write(told, b"told %d %s\n" % (height, app_hash.hex().encode()))
        return commit(app)

    SignState.sign, HostApp.commit = signs, commits  # type: ignore[method-assign,assignment]
    chain = opened(root / "home", keep)
    while chain.height < blocks:
        if chain.height % 97 == 50:  # skips the checkpoint that closing would write
            chain.close()
            chain = opened(root / "home", keep)
        txs = [] if chain.height % 5 == 4 else [transaction(chain)]
        chain.make_block(txs, START + chain.height * 10**9)
    chain.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
