"""Byte equality with cosmos/iavl (its own vectors) and with ibc-go's recorded stores."""

import gzip
import json
from base64 import b64decode

import pytest

from iavl import MultiStore, Tree
from iavl.commit_info import simple_root
from iavl.sha import EMPTY_HASH

pytestmark = pytest.mark.vectors


def replay(tree, ops, decode):
    for op, key, *value in ops:
        if op in {"s", "set"}:
            tree.set(decode(key), decode(value[0]))
        else:
            tree.remove(decode(key))


def test_change_sets_of_cosmos_iavl_give_its_roots_and_orphans(vectors_dir):
    tree = Tree()
    for entry in json.loads((vectors_dir / "iavl/iavl_changesets.json").read_text()):
        replay(tree, entry["ops"], str.encode)
        assert len([node for node in tree.orphans if node.version < entry["version"]]) == entry["orphans"]
        assert tree.commit() == (entry["version"], bytes.fromhex(entry["root_hash"]))


def test_go_roots_and_proofs_byte_for_byte(vectors_dir):
    proofs = 0
    for case in json.loads((vectors_dir / "iavl/iavl_go_vectors.json").read_text())["cases"]:
        tree = Tree()
        for version in case["versions"]:
            replay(tree, version["ops"], bytes.fromhex)
            assert tree.commit()[1].hex() == version["root"], case["name"]
        for entry in case["final_proofs"]:
            _, proof = tree.at(tree.version).prove(bytes.fromhex(entry["key"]))
            assert proof.hex() == entry["commitment_proof"], (case["name"], entry["key"])
            proofs += 1
    assert proofs == 78


def change(entry):
    value = entry["value_b64"]
    return b64decode(entry["key_b64"]), None if value is None else b64decode(value)


def genesis(chain):
    """A multistore with the recorded stores of a chain's first block, and all stores' root hashes."""
    store = MultiStore(None, chain["stores"], keep_versions=2)
    store.apply({name: [change(e) for e in s["entries"]] for name, s in chain["stores"].items()})
    assert store.commit()[0] == 1
    roots = {name: bytes.fromhex(root) for name, root in chain["commit_info"].items()}
    assert {name: store.root(name) for name in store.names()}.items() <= roots.items()
    assert simple_root(roots).hex().upper() == chain["app_hash"]
    return store, roots


def test_every_recorded_block_of_ibc_go(vectors_dir):
    blocks = rewrites = 0
    for path in sorted((vectors_dir / "ibcgo-transcripts").glob("*.json.gz")):
        record = json.loads(gzip.decompress(path.read_bytes()))
        chains = {chain["chain_id"]: genesis(chain) for chain in record["chains"]}
        for step in record["steps"]:
            store, roots = chains[step["chain"]]
            told = {"ibc": step["ibc_store_changes"], **step.get("other_store_changes", {})}
            store.apply({name: [change(entry) for entry in entries] for name, entries in told.items()})
            assert store.commit()[0] == step["ibc_store_version"]
            assert store.root("ibc").hex().upper() == step["ibc_store_root"], (path.name, step["n"])
            roots |= {name: bytes.fromhex(root) for name, root in step["commit_info"].items()}
            assert all(store.root(name) == roots[name] for name in store.names())
            assert simple_root(roots).hex().upper() == step["app_hash"]
            blocks += 1
            rewrites += sum("same" in entry for entry in step["ibc_store_changes"])
    assert blocks > 4000
    assert rewrites > 10


def test_a_store_without_keys_has_the_hash_of_nothing(vectors_dir):
    path = vectors_dir / "ibcgo-transcripts/ante.json.gz"
    record = json.loads(gzip.decompress(path.read_bytes()))
    assert record["chains"][0]["commit_info"]["gmp"] == EMPTY_HASH.hex().upper()
    assert MultiStore(None, ["gmp"]).root("gmp") == EMPTY_HASH
