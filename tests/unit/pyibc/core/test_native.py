"""The seam: who is asked, and that no answer but yes counts."""

from types import SimpleNamespace

import pytest

from conformance.native.trial import asking
from pyibc.core import native
from pyibc.core.crypto.hashes import ripemd160_by_pycryptodome
from pyibc.core.native import VERSION, load

ABC = bytes.fromhex("8eb208f7e05d987a9b044a8e98c6b087f15a0bfc")


_READ = ("encode_events", "read_results")


class Panic(BaseException):
    """As pyo3's: no Exception."""


def falling(error):
    def fall(*_):
        raise error

    names = ("verify_batch", "read_header", "verify_commit", "shows", "shows_absence", *_READ)
    return SimpleNamespace(PanicException=Panic, **dict.fromkeys(names, fall))


def answers():
    """What each function of the seam says to something."""
    return [
        native.all_verify([(b"key", b"message", b"signature")]),
        native.read_header(b"header"),
        native.verify_commit(b"header", False, 1, 3),
        native.verify_presence(b"root", b"store", b"key", b"value", b"proof"),
        native.verify_absence(b"root", b"store", b"key", b"proof"),
        native.encode_events([("message", [("key", "value")])], 1),
        native.read_results(b"results"),
    ]


NOT_ACCEPTED = [False, None, False, False, False, None, None]


def test_nobody_is_asked_where_it_is_not_used():
    with asking(None):
        assert answers() == NOT_ACCEPTED


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyibc_native", SimpleNamespace(VERSION=VERSION))
    assert load("0") == (None, "switched off by PYIBC_NATIVE=0")
    assert load("1")[1] == load(None)[1] == f"in use, version {VERSION}"


def test_it_need_not_be_installed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyibc_native", None)
    assert load(None) == (None, "not installed")


@pytest.mark.parametrize("version", [None, 0, VERSION - 1, VERSION + 1, str(VERSION)])
def test_h199_another_version_is_not_used(monkeypatch, version):
    monkeypatch.setitem(__import__("sys").modules, "pyibc_native", SimpleNamespace(VERSION=version))
    assert load(None) == (None, f"not used: version {version!a} is installed, {VERSION} is needed")


def test_h199_a_library_that_cannot_be_loaded_is_not_used(monkeypatch):
    """Of another platform, or cut off."""

    def broken(name, *_):
        raise ImportError("invalid ELF header")

    monkeypatch.setattr("builtins.__import__", broken)
    assert load(None) == (None, "not installed")


@pytest.mark.parametrize("error", [Panic("fell"), OverflowError(), TypeError(), ValueError()])
def test_h198_what_falls_has_not_accepted(error):
    with asking(falling(error)):
        try:
            found = answers()
        except BaseException as fell:
            found = fell
    assert found == NOT_ACCEPTED


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, SystemExit])
def test_what_is_not_its_own_passes(error):
    with asking(falling(error())), pytest.raises(error):
        native.verify_presence(b"", b"", b"", b"", b"")


def test_judges_get_back_whom_they_found():
    before = native.use(None)
    assert native.use(before) is None


def test_another_digest_is_not_used():
    assert native.ripemd160_of(None) is None
    assert native.ripemd160_of(SimpleNamespace(ripemd160=lambda _: bytes(20))) is None
    assert native.ripemd160_of(SimpleNamespace(ripemd160=ripemd160_by_pycryptodome))(b"abc") == ABC
