"""The multistore, in memory and on disk alike."""

import threading
from contextlib import suppress

import pytest

from iavl import EmptyKey, MultiStore, NotBytes, StoreClosed, UnknownStore, UnprovableAbsence, VersionMissing
from iavl.commit_info import simple_root
from iavl.sha import EMPTY_HASH


@pytest.fixture(params=["memory", "disk"])
def make(request, tmp_path, quick):
    opened = []

    def open_store(names=("bank", "ibc"), **knobs):
        path = None if request.param == "memory" else tmp_path / "db"
        opened.append(MultiStore(path, names, disk=quick(), **knobs))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()


def test_before_the_first_commit(make):
    store = make()
    assert (store.version, store.app_hash, store.metadata) == (0, EMPTY_HASH, b"")
    assert store.names() == ["bank", "ibc"]
    assert list(store.versions()) == []
    assert store.next_version == 1
    assert store.store("ibc").get(b"k") is None
    assert list(store.store("ibc").iterate()) == []
    with pytest.raises(VersionMissing):
        store.get_at("ibc", b"k", 0)


def test_apply_tells_the_app_hash_and_shows_nothing_until_commit(make):
    store = make()
    app_hash = store.apply({"ibc": [(b"a", b"1"), (b"b", b"2")]})
    assert store.version == 0
    assert store.store("ibc").get(b"a") is None
    assert store.commit(b"meta") == (1, app_hash)
    assert (store.version, store.app_hash, store.metadata) == (1, app_hash, b"meta")
    assert store.store("ibc").get(b"a") == b"1"
    assert store.store("ibc").has(b"b")
    assert store.app_hash == simple_root({name: store.root(name) for name in store.names()})


def test_an_iterator_shows_the_version_it_was_made_at(make):
    store = make()
    store.apply({"ibc": [(b"%04d" % n, b"v") for n in range(600)]})
    store.commit()
    entries = store.store("ibc").iterate(b"0001", b"0599")
    first = next(entries)
    store.apply({"ibc": [(b"%04d" % n, None) for n in range(300, 600)]})
    store.commit()
    assert [first, *entries] == [(b"%04d" % n, b"v") for n in range(1, 599)]


def test_writes_of_several_applies_are_one_version(make):
    store = make()
    store.apply({"ibc": [(b"a", b"1")]})
    store.apply({"ibc": [(b"b", b"2")], "bank": [(b"c", b"3")]})
    store.commit()
    assert store.version == 1
    assert [store.get_at("ibc", key, 1) for key in (b"a", b"b")] == [b"1", b"2"]


def test_rollback_drops_what_was_applied(make):
    store = make()
    store.apply({"ibc": [(b"a", b"1")]})
    _, app_hash = store.commit()
    store.apply({"ibc": [(b"a", None), (b"b", b"2")]})
    store.rollback()
    assert store.commit() == (2, app_hash)
    assert store.store("ibc").get(b"a") == b"1"
    assert store.store("ibc").get(b"b") is None


@pytest.mark.parametrize(
    ("writes", "error"),
    [
        ({"bank": [(b"x", b"1")], "ibc": [(b"", b"1")]}, EmptyKey),
        ({"bank": [(b"x", b"1")], "ibc": [("k", b"1")]}, NotBytes),
        ({"bank": [(b"x", b"1")], "ibc": [(b"k", "1")]}, NotBytes),
        ({"bank": [(b"x", b"1")], "none": [(b"k", b"1")]}, UnknownStore),
    ],
)
def test_a_bad_write_writes_nothing_at_all(make, writes, error):
    store = make()
    app_hash = store.apply({"ibc": [(b"a", b"1")]})
    with pytest.raises(error):
        store.apply(writes)
    assert store.commit() == (1, app_hash)
    assert store.store("bank").get(b"x") is None


def test_old_versions_are_read_and_proved_within_the_window(make):
    store = make(keep_versions=10)
    proofs = {}
    for number in range(1, 31):
        store.apply({"ibc": [(b"k", b"%d" % number), (b"%d" % number, b"x")]})
        store.commit(b"m%d" % number)
        proofs[number] = store.prove("ibc", b"k", number), store.app_hash, store.root("ibc")
    assert store.versions() == range(21, 31)
    for number in store.versions():
        assert store.get_at("ibc", b"k", number) == b"%d" % number
        assert store.prove("ibc", b"k", number) == proofs[number][0]
        info = store.info(number)
        assert (info.app_hash, info.roots["ibc"], info.metadata) == (*proofs[number][1:], b"m%d" % number)
        assert len(list(store.iterate_at("ibc", b"", None, number))) == number + 1
    for number in (0, 20, 31, -1):
        with pytest.raises(VersionMissing) as caught:
            store.get_at("ibc", b"k", number)
        assert (caught.value.version, caught.value.first, caught.value.last) == (number, 21, 30)
        with pytest.raises(VersionMissing):
            store.prove("ibc", b"k", number)
        with pytest.raises(VersionMissing):
            store.info(number)


def test_all_versions_can_be_kept(make):
    store = make(keep_versions=None)
    for number in range(1, 31):
        store.apply({"ibc": [(b"k", b"%d" % number)]})
        store.commit()
    assert store.versions() == range(1, 31)
    assert [store.get_at("ibc", b"k", v) for v in store.versions()] == [b"%d" % v for v in range(1, 31)]


def test_the_first_version_can_be_set(make):
    store = make(initial_version=1000, keep_versions=5)
    assert store.next_version == 1000
    for number in range(12):
        store.apply({"ibc": [(b"k", b"%d" % number)]})
        assert store.commit()[0] == 1000 + number
    assert store.versions() == range(1007, 1012)
    assert store.get_at("ibc", b"k", 1007) == b"7"


def test_unknown_stores(make):
    store = make()
    store.commit()
    for call in (
        lambda: store.store("x"),
        lambda: store.root("x"),
        lambda: store.get_at("x", b"k", 1),
        lambda: store.prove("x", b"k"),
        lambda: store.iterate_at("x", b"", None, 1),
    ):
        with pytest.raises(UnknownStore) as caught:
            call()
        assert caught.value.name == "x"


def test_proofs_need_a_key_and_a_neighbour(make):
    store = make()
    store.commit()
    with pytest.raises(EmptyKey):
        store.prove("ibc", b"")
    with pytest.raises(NotBytes):
        store.prove("ibc", "k")
    with pytest.raises(UnprovableAbsence):
        store.prove("ibc", b"k")


def test_a_closed_store_refuses(make):
    store = make()
    store.apply({"ibc": [(b"a", b"1")]})
    store.commit()
    store.close()
    store.close()
    with pytest.raises(StoreClosed):
        store.apply({"ibc": [(b"b", b"1")]})
    with pytest.raises(StoreClosed):
        store.commit()
    assert store.version == 1


@pytest.mark.parametrize("bad", [{"keep_versions": 0}, {"initial_version": 0}])
def test_settings_are_checked(bad):
    with pytest.raises(ValueError, match="at least 1"):
        MultiStore(None, ["ibc"], **bad)


def test_another_thread_proves_while_blocks_are_applied(make):
    store = make(keep_versions=8, cache_nodes=10)
    store.apply({"ibc": [(b"%03d" % n, b"0") for n in range(200)]})
    store.commit()
    expected, wrong, stop = {1: store.prove("ibc", b"007", 1)}, [], threading.Event()

    def relayer():
        while not stop.is_set():
            for version, proof in list(expected.items())[-4:]:
                with suppress(VersionMissing):  # gone meanwhile
                    if store.prove("ibc", b"007", version) != proof:
                        wrong.append(version)
                if store.store("ibc").get(b"150") is None:
                    wrong.append("get")

    thread = threading.Thread(target=relayer)
    thread.start()
    try:
        for number in range(60):
            store.apply({"ibc": [(b"%03d" % (n * 7 % 200), b"%d" % number) for n in range(number % 9)]})
            store.commit()
            expected[store.version] = store.prove("ibc", b"007")
    finally:
        stop.set()
        thread.join()
    assert wrong == []
    assert len(expected) == 61
