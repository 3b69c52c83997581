"""Whether chunks are a version, told without keeping it: by native code where it is, which only accepts."""

from dataclasses import replace

import pytest

from iavl import BadExport, MultiStore, WrongExport, engine
from iavl.restore import _PIECE, check

NAMES = ["ibc", "bank"]
NATIVE = pytest.mark.skipif(engine.CHOSEN.checker is None, reason="native code is not installed")


@pytest.fixture
def store():
    made = MultiStore(None, NAMES)
    for block in range(4):
        made.apply({"ibc": [(b"key%d" % at, b"%d" % block * 900) for at in range(block, 40, block + 1)]})
        made.commit(b"")
    return made


class Reading:
    """Chunks of a store's last version, and how often they were read."""

    def __init__(self, store, size=1_000) -> None:
        self.chunks = list(store.export(store.version, size))
        self.times = 0

    def __call__(self):
        self.times += 1
        return iter(self.chunks)


class Checker:
    """Answers as it is told to, and hears what it is asked."""

    def __init__(self, *answers) -> None:
        self.answers, self.made, self.fed = list(answers), [], []

    def __call__(self, *given):
        self.made.append(given)
        return self

    def feed(self, chunk):
        self.fed.append(chunk)
        return self.answers.pop(0)

    def finish(self):
        return self.answers.pop(0)


def used(monkeypatch, checker):
    monkeypatch.setattr(engine, "active", replace(engine.active, checker=checker))


def checked(store, reading, *more):
    check(NAMES, store.version, store.app_hash, reading, *more)


def test_python_alone_reads_them_once_and_rests_in_between(store, monkeypatch):
    used(monkeypatch, None)
    rests, reading = [], Reading(store, 3 * _PIECE)
    checked(store, reading, lambda: rests.append(1))
    assert reading.times == 1
    pieces = [-(-len(chunk) // _PIECE) for chunk in reading.chunks]
    assert max(pieces) == 3
    assert len(rests) == sum(pieces)


def test_what_native_code_accepts_python_does_not_look_at(store, monkeypatch):
    reading = Reading(store)
    checker = Checker(*[True] * len(reading.chunks), True)
    used(monkeypatch, checker)
    checked(store, reading)
    assert checker.made == [(sorted(NAMES), store.version, store.app_hash)]
    assert (checker.fed, reading.times) == (reading.chunks, 1)


@pytest.mark.parametrize("answers", [[False], [True, False], None])
def test_what_it_refuses_python_looks_at_from_the_start(store, monkeypatch, answers):
    """`None`: all chunks, but not the end."""
    reading = Reading(store)
    checker = Checker(*(answers or [True] * len(reading.chunks)), False)
    used(monkeypatch, checker)
    checked(store, reading)
    assert reading.times == 2
    assert len(checker.fed) == len(answers or reading.chunks)


def ends_otherwise(chunk):
    return chunk[:-1] + bytes([chunk[-1] ^ 0xFF])


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        (lambda chunks: chunks[:-1], BadExport, "truncated"),
        (lambda chunks: [*chunks, b"\1"], BadExport, "trailing records"),
        (lambda chunks: [ends_otherwise(chunks[0]), *chunks[1:]], BadExport, "differs from"),
        (lambda chunks: [chunks[0][:8] + bytes(1) + chunks[0][9:], *chunks[1:]], WrongExport, "hash"),
        (lambda _: [], BadExport, "truncated"),
    ],
)
@pytest.mark.parametrize("with_native", [False, pytest.param(True, marks=NATIVE)])
def test_h106_python_names_what_is_wrong(store, monkeypatch, change, error, reason, with_native):
    used(monkeypatch, engine.CHOSEN.checker if with_native else None)
    reading = Reading(store)
    reading.chunks = change(reading.chunks)
    with pytest.raises(error, match=reason):
        checked(store, reading)
    assert reading.times == 1 + with_native


@NATIVE
def test_after_a_refusal_it_accepts_nothing(store):
    made = engine.CHOSEN.checker(sorted(NAMES), store.version, store.app_hash)
    (whole,) = store.export(store.version, 1 << 30)
    assert not made.feed(b"\7")
    assert not made.feed(whole)
    assert not made.finish()


@NATIVE
@pytest.mark.parametrize(("version", "names"), [(3, NAMES), (4, ["ibc"]), (4, ["bank", "other"])])
def test_of_another_version_or_other_stores_it_accepts_nothing(store, version, names):
    made = engine.CHOSEN.checker(sorted(names), version, store.app_hash)
    (whole,) = store.export(store.version, 1 << 30)
    assert not (made.feed(whole) and made.finish())


def test_a_record_longer_than_a_piece_is_not_copied_with_each_piece(monkeypatch):
    """Else a value of 16 MiB would cost gigabytes of copies."""
    made = MultiStore(None, NAMES)
    made.apply({"ibc": [(b"long", bytes(64 * _PIECE))]})
    made.commit(b"")
    used(monkeypatch, None)
    rests = []
    check(NAMES, made.version, made.app_hash, Reading(made, 1 << 30), lambda: rests.append(1))
    assert len(rests) <= 8
