"""One commit point: what was announced or signed is never made anew, whatever is left of a home."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from iavl import CorruptDatabase
from light_client.tendermint.types import BlockId
from localnet.consensus.sign_state import Proposal, SignState, ValidatorKey
from localnet.errors import (
    BrokenChain,
    ChainHalted,
    DamagedRecord,
    DoubleSign,
    LocalnetError,
    SignedAhead,
    StateAhead,
    StateBehind,
    UnreadableSignState,
)
from localnet.storage.block_store import BlockStore
from pyibc.chain.app import HostApp
from pyibc.chain.comet.settings import Retention, TwoSlots
from pyibc.core.host.block import tx_hash
from tests.damage import flip_byte

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def grown(make_chain, tmp_path, sign):
    """A home of six blocks with copies of what its parts were after each of them."""
    home = tmp_path / "c"
    chain = make_chain(home=home)
    while True:
        chain.close()
        shutil.copytree(home, tmp_path / f"at{chain.height}")
        if chain.height == 6:
            break
        chain = make_chain(home=home)
        chain.make_block([sign(sequence=chain.height - 1)])
    return chain


def put_back(tmp_path, height, *parts):
    """The parts of the home as they were after block `height`."""
    for part in parts:
        for path in (tmp_path / "c").glob(f"{part}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in (tmp_path / f"at{height}").glob(f"{part}*"):
            (shutil.copytree if path.is_dir() else shutil.copy)(path, tmp_path / "c" / path.name)


@pytest.fixture
def opened(make_chain, tmp_path):
    """The home of the test as a chain: it opens."""

    def open_home():
        try:
            return make_chain(home=tmp_path / "c")
        except LocalnetError as error:
            pytest.fail(f"it does not open: {error!r}")

    return open_home


@pytest.fixture
def refused(make_chain, tmp_path):
    """The error of this class with which the home is refused, each time."""

    def ask(kind):
        for _ in range(2):
            with pytest.raises(LocalnetError) as caught:
                make_chain(home=tmp_path / "c")
            assert type(caught.value) is kind
        return caught.value

    return ask


def same(chain, before):
    assert [chain.record(height) for height in range(1, 7)] == [before.last[height] for height in range(1, 7)]


@pytest.fixture
def before(grown, make_chain, tmp_path):
    shutil.copytree(tmp_path / "c", tmp_path / "whole")
    chain = make_chain(home=tmp_path / "whole")
    chain.last = {height: chain.record(height) for height in range(1, 7)}
    chain.tree = chain.app.info(), chain._state
    return chain


@pytest.mark.parametrize("height", [1, 2, 4, 5])
def test_h104_a_state_behind_the_blocks_is_brought_up_to_them(opened, tmp_path, before, height):
    put_back(tmp_path, height, "state")
    chain = opened()
    assert (chain.app.info(), chain._state) == before.tree
    same(chain, before)


def test_h104_a_state_that_is_lost_is_made_again_from_the_first_block(make_chain, tmp_path, before):
    shutil.rmtree(tmp_path / "c" / "state")
    chain = make_chain(home=tmp_path / "c")
    assert (chain.app.info(), chain._state) == before.tree
    same(chain, before)


def test_h104_a_state_ahead_of_the_blocks_is_refused_by_both_heights(opened, refused, tmp_path, before):
    put_back(tmp_path, 4, "blocks")
    error = refused(StateAhead)
    assert (error.state, error.blocks) == (6, 4)
    put_back(tmp_path, 6, "blocks")
    same(opened(), before)


def test_h104_with_blocks_and_state_lost_the_signed_block_is_made_the_same(
    make_chain, tmp_path, before, sign
):
    put_back(tmp_path, 5, "blocks", "state")
    chain = make_chain(home=tmp_path / "c")
    assert chain.height == 6
    same(chain, before)
    chain.make_block([sign(sequence=5)])


def test_h104_with_more_blocks_lost_than_one_nothing_is_made(opened, refused, tmp_path, before):
    put_back(tmp_path, 4, "blocks", "state")
    error = refused(SignedAhead)
    assert (error.signed, error.blocks) == (6, 4)
    put_back(tmp_path, 6, "blocks", "state")
    same(opened(), before)


@pytest.mark.parametrize("height", [1, 4, 5])
def test_h104_an_older_or_lost_record_of_signatures_gives_way_to_the_blocks(
    make_chain, tmp_path, before, sign, height
):
    put_back(tmp_path, height, "signed")
    same(make_chain(home=tmp_path / "c"), before)


def test_h104_blocks_of_another_history_than_was_signed_are_refused(make_chain, tmp_path, before):
    other = make_chain(home=tmp_path / "other")
    for _ in range(5):
        other.make_block([])
    last = other.record(6).block_id.hash
    other.close()
    for turn in range(2):
        shutil.copy(tmp_path / "other" / f"signed.{turn}", tmp_path / "c" / f"signed.{turn}")
    with pytest.raises(DoubleSign) as caught:
        make_chain(home=tmp_path / "c")
    assert caught.value.signed == last
    assert caught.value.asked == before.last[6].block_id.hash


def test_h104_a_state_of_another_history_is_refused(make_chain, tmp_path, before):
    other = make_chain(home=tmp_path / "other")
    for _ in range(4):
        other.make_block([])
    other.close()
    shutil.rmtree(tmp_path / "c" / "state")
    shutil.copytree(tmp_path / "other" / "state", tmp_path / "c" / "state")
    with pytest.raises(BrokenChain, match="app hash of block 5 is not the state's"):
        make_chain(home=tmp_path / "c")


@pytest.mark.parametrize(
    ("owner", "name"), [(BlockStore, "save"), (HostApp, "finalize_block"), (HostApp, "commit")]
)
def test_h104_a_block_that_was_signed_is_finished_whatever_fails_after(
    make_chain, opened, tmp_path, sign, monkeypatch, owner, name
):
    """Also its validator updates: the same block, and the same set after it."""
    new = ValidatorKey.from_text("newcomer")
    txs = [sign(), sign(sequence=1)]
    straight, chain = make_chain(), make_chain(home=tmp_path / "c")
    chain.offline = straight.offline = {chain.keys[3].address}
    straight.make_block(txs, 1_800_000_000_000_000_000, {new: 7})

    def fails(*args, **kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, fails)
        with pytest.raises(OSError, match="No space"):
            chain.make_block(txs, 1_800_000_000_000_000_000, {new: 7})
    assert chain.height == 1
    with pytest.raises(ChainHalted):
        chain.make_block([])
    chain.close()
    chain = opened()
    assert chain.height == 2
    assert chain.record(2) == straight.record(2)
    assert chain.app.info() == straight.app.info()
    assert chain.validators(4).validators == straight.validators(4).validators
    assert new.address in chain.keyring
    assert chain.make_block([]).height == 3


def test_h104_what_the_disk_does_not_take_is_not_signed(make_chain, tmp_path, monkeypatch):
    chain = make_chain(home=tmp_path / "c")
    signatures = []
    monkeypatch.setattr(ValidatorKey, "sign", lambda self, data: signatures.append(data) or bytes(64))

    def fails(*args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(TwoSlots, "write", fails)
    with pytest.raises(OSError, match="Input/output"):
        chain.make_block([])
    assert not any(
        b"\x08\x02\x11" + (2).to_bytes(8, "little") in data for data in signatures
    )  # a precommit of 2
    assert (chain.height, chain.blocks.height, chain.signed.last.height) == (1, 1, 1)


def test_h104_the_order_in_which_a_block_reaches_the_disk_and_others(make_chain, tmp_path, monkeypatch):
    calls, heard = [], []

    def noted(owner, name):
        whole = getattr(owner, name)

        def wrapped(*args, **kwargs):
            done = whole(*args, **kwargs)
            calls.append(name)
            return done

        monkeypatch.setattr(owner, name, wrapped)

    chain = make_chain(home=tmp_path / "c")
    for owner, name in (
        (SignState, "sign"),
        (ValidatorKey, "sign"),
        (BlockStore, "save"),
        (HostApp, "commit"),
    ):
        noted(owner, name)
    monkeypatch.setattr(
        chain.app.pipeline, "committed", lambda block: heard.append((list(calls), chain.height, block.height))
    )
    chain.make_block([])
    last_commit, votes = ["sign"] * 4, ["sign"] * 4
    assert heard == [([*last_commit, "sign", *votes, "save", "commit"], 2, 2)]


def proposal(height, **changes):
    return Proposal(height, 7, (b"tx",), {}, ())._replace(**changes)


A, B = BlockId(b"a" * 32, 1, b"p" * 32), BlockId(b"b" * 32, 1, b"p" * 32)


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_h104_nobody_signs_two_blocks_of_a_height(tmp_path, on_disk, again):
    state = SignState(tmp_path / "signed" if on_disk else None)
    for height in (4, 5):
        state.sign(proposal(height), A)
    if again and on_disk:
        state.close()
        state = SignState(tmp_path / "signed")
    last = state.last
    assert (last.height, last.round, last.step, last.block_id, last.proposal) == (5, 0, 3, A, proposal(5))
    state.sign(proposal(5), A)
    for height, block in ((5, B), (4, A), (4, B), (1, A)):
        with pytest.raises(DoubleSign) as caught:
            state.sign(proposal(height), block)
        assert (caught.value.height, caught.value.signed_height) == (height, 5)
        assert state.last == last
    state.sign(proposal(6), B)
    assert state.last.block_id == B
    state.close()


def test_h104_an_interrupted_record_of_a_signature_leaves_the_one_before(tmp_path):
    state = SignState(tmp_path / "signed")
    for height in (4, 5):
        state.sign(proposal(height), A)
    state.close()
    whole = (tmp_path / "signed.1").read_bytes()
    for length in range(len(whole)):
        (tmp_path / "signed.1").write_bytes(whole[:length])
        state = SignState(tmp_path / "signed")
        assert state.last.height == 4
        state.close()
    flip_byte(tmp_path / "signed.0")
    with pytest.raises(UnreadableSignState):
        SignState(tmp_path / "signed")
    (tmp_path / "signed.1").write_bytes(whole + b"left over of a longer one")
    state = SignState(tmp_path / "signed")
    assert state.last.height == 5
    state.close()


def test_h104_a_home_whose_first_block_was_never_stored_begins_again(make_chain, tmp_path, monkeypatch):
    """Whatever a power cut made of its databases; the block that was signed is the one that is made."""

    def fails(*args):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(BlockStore, "save", fails)
        with pytest.raises(KeyboardInterrupt):
            make_chain(home=tmp_path / "c")
    assert (tmp_path / "c" / "unfinished").exists()
    for part in ("state", "blocks"):
        (tmp_path / "c" / part / "data.mdb").write_bytes(b"half a page")
    chain = make_chain(home=tmp_path / "c")
    assert chain.height == 1
    assert not (tmp_path / "c" / "unfinished").exists()
    chain.close()
    (tmp_path / "c" / "blocks" / "data.mdb").write_bytes(b"half a page")
    with pytest.raises(CorruptDatabase) as caught:
        make_chain(home=tmp_path / "c")
    assert caught.value.path == str(tmp_path / "c" / "blocks")
    assert (tmp_path / "c" / "blocks" / "data.mdb").read_bytes() == b"half a page"


def test_h108_every_changed_byte_of_a_block_s_record_is_refused(make_chain, tmp_path, sign):
    chain = make_chain(home=tmp_path / "c")
    chain.make_block([sign()])
    chain.close()
    chain = make_chain(home=tmp_path / "c")  # which has no block in memory
    entries = chain.blocks._entries
    for key in (b"b" + (2).to_bytes(8, "big"), b"v" + (2).to_bytes(8, "big"), b"t" + chain_tx(chain)):
        whole = entries.get(key)
        for at in range(0, len(whole), max(1, len(whole) // 60)):
            entries.put_all([(key, whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :])])
            with pytest.raises(DamagedRecord) as caught:
                read(chain)
            assert caught.value.key == key
        entries.put_all([(key, whole)])
        read(chain)
    other = entries.get(b"b" + (1).to_bytes(8, "big"))
    entries.put_all([(b"b" + (2).to_bytes(8, "big"), other)])  # whole, and in another's place
    with pytest.raises(DamagedRecord):
        read(chain)


def test_h104_databases_that_were_lost_and_put_back_are_never_begun_again(opened, refused, tmp_path, before):
    for part in ("state", "blocks"):
        shutil.rmtree(tmp_path / "c" / part)
    error = refused(SignedAhead)
    assert (error.signed, error.blocks) == (6, 0)
    put_back(tmp_path, 6, "state", "blocks")
    same(opened(), before)


def test_h104_blocks_beside_the_mark_of_a_beginning_stay(opened, tmp_path, before):
    (tmp_path / "c" / "unfinished").touch()
    same(opened(), before)


OPENS = """
import sys
from pathlib import Path
from iavl import CorruptDatabase
from localnet.storage.block_store import BlockStore
try:
    store = BlockStore.open(Path(sys.argv[1]))
    print([store.record(height) for height in range(1, 5)])
except CorruptDatabase as error:
    print(error.path)
"""


@pytest.mark.parametrize("length", [100, 8192, 12288])
def test_h108_a_block_store_that_is_cut_short_is_refused(make_chain, tmp_path, length):
    """LMDB would map more than there is: a bus error, not an exception. Hence a process of its own."""
    chain = make_chain(home=tmp_path / "c")
    for _ in range(3):
        chain.make_block([])
    chain.close()
    blocks = tmp_path / "c" / "blocks"
    with (blocks / "data.mdb").open("r+b") as file:
        file.truncate(length)
    command = [sys.executable, "-c", OPENS, str(blocks)]
    told = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=told, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{blocks}\n")


def chain_tx(chain):
    return tx_hash(chain.block(2).txs[0].tx)


def read(chain):
    chain.blocks.validators(2)
    for digest, _ in chain.blocks.indexed():
        chain.blocks.find_tx(digest)
    return chain.record(2)


def test_h107_pruned_blocks_do_not_bring_back_a_lost_state(make_chain, refused, tmp_path):
    chain = make_chain(home=tmp_path / "c", retention=Retention(keep_blocks=10))
    for _ in range(15):
        chain.make_block([])
    chain.close()
    shutil.rmtree(tmp_path / "c" / "state")
    error = refused(StateBehind)
    assert (error.state, error.first) == (0, 7)
