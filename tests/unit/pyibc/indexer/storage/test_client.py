"""Errors for a store that is unreachable or slow, drops connections, refuses or sends malformed responses."""

import pytest

from pyibc.indexer.errors import (
    NoSuchBucket,
    ObjectChanged,
    StorageFault,
    StorageRefused,
    StorageUnfit,
    StorageUnreachable,
)
from pyibc.indexer.storage import client
from pyibc.indexer.storage.client import bucket
from tests.object_server import KEY, SECRET, Stored, cut, drop, stall


@pytest.fixture
def chains(server, objects):
    objects["a"] = Stored(b"hello")
    return bucket("chains")


def ask(store, way):
    return {
        "read": lambda: store.read("a", 0, 5),
        "head": lambda: store.head("a"),
        "list": lambda: list(store.below("")),
        "within": lambda: store.within(""),
        "put": lambda: store.put("b", b"x"),
        "put_new": lambda: store.put_new("b", b"x"),
        "copy": lambda: store.copy("a", "b"),
        "delete": lambda: store.delete("a"),
    }[way]()


def answering(status):
    return lambda request: request.answer(status, b"<html>") or True


WAYS = ("read", "head", "list", "within", "put", "put_new", "copy", "delete")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (drop, "the connection repeatedly fails"),
        (
            lambda request: request.refuse(503, "SlowDown") or True,
            "the store repeatedly responds with status 503",
        ),
    ],
)
def test_h217_what_fails_to_the_last_attempt_is_unreachable(fault, reason, way, chains, server, objects):
    server.fault = fault
    with pytest.raises(StorageUnreachable) as refused:
        ask(chains, way)
    assert (refused.value.reason, refused.value.code) == (reason, 25)
    assert 1 < len(server.asked) <= 2 * client.ATTEMPTS
    assert objects.keys() == {"a"}


@pytest.mark.parametrize("way", ["read", "list"])
def test_h217_a_store_that_does_not_answer_costs_the_deadline_and_no_more(way, chains, server, monkeypatch):
    monkeypatch.setenv("PYIBC_STORAGE_DEADLINE", "0.3")
    server.fault = lambda request: stall(request, 2)
    with pytest.raises(StorageUnreachable) as refused:
        ask(bucket("chains"), way)
    assert refused.value.reason == "the store does not respond in time"
    assert len(server.asked) == 1


def test_h217_a_fault_that_passes_is_none(chains, server):
    faults = [drop, lambda request: request.refuse(500, "InternalError") or True]
    server.fault = lambda request: bool(faults) and faults.pop()(request)
    assert chains.read("a", 1, 3) == b"el"
    assert len(server.asked) == 3


def test_h217_nothing_listens(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setenv("PYIBC_STORAGE_DEADLINE", "0.3")
    with pytest.raises(StorageUnreachable) as refused:
        bucket("chains").head("a")
    assert refused.value.place == "s3://chains/a"


@pytest.mark.parametrize("way", WAYS)
def test_h215_refused_credentials_are_named_and_never_shown(way, chains, server, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAWRONG")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong-secret")
    with pytest.raises(StorageFault) as refused:
        ask(bucket("chains"), way)
    assert isinstance(refused.value, StorageRefused)
    chain, told = refused.value, ""
    while chain is not None:
        told += f"{chain} {chain!r} {'' if chain.__suppress_context__ else chain.__context__!r}"
        chain = chain.__cause__
    assert not {secret for secret in (KEY, SECRET, "AKIAWRONG", "wrong-secret") if secret in told}
    assert "wrong" not in repr(client.Settings.from_environment())


@pytest.mark.parametrize("way", ["list", "within", "put", "put_new"])
def test_a_bucket_that_is_not_there_is_named(way, server):
    with pytest.raises(NoSuchBucket) as refused:
        ask(bucket("other"), way)
    assert refused.value.place == "s3://other"


@pytest.mark.parametrize(
    ("fault", "way", "reason"),
    [
        (cut, "read", "the response does not conform to S3"),
        (
            lambda request: request.answer(200, b"<html>") or True,
            "list",
            "the response does not conform to S3",
        ),
        (
            lambda request: request.refuse(301, "x") or True,
            "read",
            "the bucket is in another region: set AWS_REGION",
        ),
        (lambda request: request.refuse(400, "x") or True, "put", "the store responds with status 400"),
    ],
)
def test_an_answer_that_is_none_is_named(fault, way, reason, chains, server):
    server.fault = fault
    with pytest.raises(StorageUnfit) as refused:
        ask(chains, way)
    assert refused.value.reason == reason


@pytest.mark.parametrize("key", ["x/../y", "./z", "x//y"])
def test_h218_a_name_that_is_no_path_is_refused_and_named(key, chains, objects):
    objects[key] = Stored(b"x")
    with pytest.raises(StorageUnfit) as refused:
        list(chains.below(""))
    assert repr(key) in str(refused.value)


def test_h218_a_listing_has_an_end(chains, objects, server, monkeypatch):
    monkeypatch.setattr(client, "MOST", 20)
    server.page = 7
    objects.update({f"x/{number:03d}": Stored(b"x") for number in range(20)})
    assert len(list(chains.below("x"))) == 20
    objects["x/more"] = Stored(b"x")
    with pytest.raises(StorageUnfit, match="more than 20 objects"):
        list(chains.below("x"))


def test_h216_of_what_somebody_else_wrote_no_more_is_read_than_was_to_be_written(chains, objects, server):
    objects["b"] = Stored(bytes(1 << 20))
    server.asked.clear()
    with pytest.raises(ObjectChanged):
        chains.put_new("b", b"mine")
    objects["b"] = Stored(b"ours")
    with pytest.raises(ObjectChanged):
        chains.put_new("b", b"mine")
    assert len(server.asked) == 2 + 3  # the large object is recognized by its size
    assert objects["b"].data == b"ours"


def test_h218_a_store_that_gives_no_versions_is_refused(chains, objects):
    objects["a"].tag = ""
    for way in ("head", "list", "within"):
        with pytest.raises(StorageUnfit) as refused:
            ask(chains, way)
        assert str(refused.value.reason) == "the store does not provide ETags"
    with pytest.raises(StorageUnfit, match="ETag"):
        chains.whole("a")


@pytest.mark.parametrize(
    "text", ["0", "0.0", "-1", "1e3", "inf", "nan", "1.", ".5", "\u0663", "1234567", "5 s"]
)
def test_a_deadline_that_is_no_number_of_seconds_is_refused(text):
    with pytest.raises(StorageUnfit) as refused:
        client.Settings.from_environment({"PYIBC_STORAGE_DEADLINE": text})
    assert refused.value.place == "PYIBC_STORAGE_DEADLINE"
    assert client.Settings.from_environment({"PYIBC_STORAGE_DEADLINE": "2.5"}).deadline_s == 2.5
    assert client.Settings.from_environment({}).deadline_s == client.DEADLINE_S


def test_an_object_is_fetched_in_pieces_of_one_version(chains, objects, server, tmp_path, monkeypatch):
    monkeypatch.setattr(client, "PIECE", 4)
    objects["a"] = Stored(bytes(range(11)))
    chains.fetch("a", tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == bytes(range(11))
    assert len(server.asked) == 3

    def change(_):
        objects["a"] = Stored(b"another one")
        return False

    server.asked.clear()
    server.fault = lambda request: len(server.asked) == 2 and change(request)
    with pytest.raises(ObjectChanged):
        chains.fetch("a", tmp_path / "a")
