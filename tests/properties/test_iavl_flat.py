"""What is held beside the tree answers as the tree does, whatever happened to the store."""

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from iavl import DiskOptions, MultiStore

KEYS = st.sampled_from([b"k%02d" % number for number in range(25)]) | st.binary(min_size=1, max_size=2)
WRITES = st.lists(st.tuples(KEYS, st.none() | st.binary(max_size=2)), max_size=12)
STEPS = st.tuples(st.sampled_from(["commit", "commit", "commit", "roll back", "open", "restore"]), WRITES)
REMEMBER = st.sampled_from([0, 1, 5, 20, 1000])
ASKED = [b"k%02d" % number for number in range(25)]
QUICK = DiskOptions(sync=False, map_size=1 << 22, checkpoint_blocks=2)


def options(remember):
    return {"keep_versions": 3, "remember": remember, "disk": QUICK, "cache_nodes": 8}


def restored(store, path, remember):
    """Another store with the state of this one."""
    taken = MultiStore(path, ["s", "t"], **options(remember))
    importer = taken.importer(store.version, store.app_hash)
    for chunk in store.export(store.version, 64):
        importer.feed(chunk)
    taken.restore(importer)
    store.close()
    return taken


def check(store, models):
    view, model = store.store("s"), models[store.version]
    for key in (*ASKED, *model):
        assert view.get(key) == store._trees["s"].get(key) == model.get(key)
        assert view.has(key) is (key in model)
    assert dict(view.iterate()) == model
    for version in store.versions():
        assert all(store.get_at("s", key, version) == models[version].get(key) for key in ASKED)


@settings(max_examples=15, deadline=None)
@given(st.lists(STEPS, max_size=12), REMEMBER)
def test_reads_are_the_trees(steps, remember):
    with tempfile.TemporaryDirectory() as folder:
        path, models = f"{folder}/0", {0: {}}
        store = MultiStore(path, ["s", "t"], **options(remember))
        for number, (step, writes) in enumerate(steps, 1):
            if step == "open":
                store.close()
                store = MultiStore(path, ["s", "t"], **options(remember))
            elif step == "restore":
                if store.version:
                    path = f"{folder}/{number}"
                    store = restored(store, path, remember)
            else:
                store.apply({"s": sorted(dict(writes).items())})
                if step == "roll back":
                    store.rollback()
                else:
                    after = {**models[store.version], **dict(writes)}
                    store.commit()
                    models[store.version] = {key: value for key, value in after.items() if value is not None}
            check(store, models)
        store.close()
