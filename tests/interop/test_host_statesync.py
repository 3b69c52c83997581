"""A fresh node of our application joins by state sync: it never executes the blocks before the snapshot."""

import json

import pytest

pytestmark = pytest.mark.interop


def settings(node, **changes):
    path = node.home / "app.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def state_sync(node, trusted, servers):
    urls = ",".join(f"http://127.0.0.1:{server.rpc_port}" for server in servers)
    header = trusted.rpc("commit", height="2")["signed_header"]
    node.add_config(
        f"""
[statesync]
enable = true
rpc_servers = "{urls}"
trust_height = 2
trust_hash = "{header["commit"]["block_id"]["hash"]}"
discovery_time = "5s"
"""
    )


@pytest.fixture
def grown(make_host_chain, until):
    """Two validators with 80 accounts in their state, and a home for one who joins."""
    chain = make_host_chain(2, joining=1, wallets=80)
    for node in chain.nodes:
        settings(node, snapshot_every=20, snapshot_chunk_bytes=2048)
    *old, fresh = chain.nodes
    chain.start(old)
    old[0].wait_height(2)
    for wallet in range(40):
        assert old[0].send(chain.bank_send(wallet, 0, 1 + wallet))["code"] == 0
    until(lambda: old[1].balance(chain.wallets[40].address.text) > 10**12, "transactions are in blocks")
    until(lambda: all("snapshot of height" in node.log("app") for node in old), "snapshots")
    return chain, old, fresh


def test_a_fresh_node_joins_by_state_sync_and_signs_nothing_else(grown, until):
    chain, old, fresh = grown
    state_sync(fresh, old[0], old)
    chain.start([fresh])
    target = old[0].height + 8
    fresh.wait_height(target)
    assert fresh.app_hash(target) == old[0].app_hash(target)
    assert int(fresh.rpc("status")["sync_info"]["earliest_block_height"]) > 10
    assert "restored the state of height" in fresh.log("app")
    address = chain.wallets[40].address.text
    until(lambda: fresh.height >= old[0].height - 1, "it keeps up")
    assert fresh.balance(address) == old[0].balance(address) > 10**12
    proofs = [
        node.rpc(
            "abci_query",
            path="/store/acc/key",
            data=b"globalAccountNumber".hex(),
            height=str(target),
            prove=True,
        )
        for node in (fresh, old[0])
    ]
    assert proofs[0]["response"] == proofs[1]["response"]
    # It goes on after a restart, and gives snapshots of its own, which are the same.
    fresh.stop()
    chain.start([fresh])
    fresh.wait_height(old[0].height + 22)
    mine, theirs = [set((node.home / "app" / "snapshots").glob("*/hashes")) for node in (fresh, old[0])]
    common = {path.parent.name for path in mine} & {path.parent.name for path in theirs}
    assert common
    for height in common:
        hashes = [(node.home / "app/snapshots" / height / "hashes").read_bytes() for node in (fresh, old[0])]
        assert hashes[0] == hashes[1]
        assert len(hashes[0]) > 32  # several chunks


@pytest.mark.slow
def test_chunks_that_one_peer_spoilt_are_fetched_from_the_other(grown, until):
    chain, old, fresh = grown
    liar, honest = old
    for path in (liar.home / "app" / "snapshots").glob("*/[0-9]*"):
        path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    state_sync(fresh, honest, old)
    chain.start([fresh])
    target = honest.height + 8
    fresh.wait_height(target)
    assert fresh.app_hash(target) == honest.app_hash(target)
    assert "restored the state of height" in fresh.log("app")
    assert "it is asked for again" in fresh.log("app")
