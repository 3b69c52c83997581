import hashlib

from iavl import sha


def test_both_implementations_give_the_same_bytes():
    builtin = sha.builtin_sha256()
    for length in (0, 1, 55, 56, 64, 110, 1000):
        data = bytes(range(256)) * 4
        expected = hashlib.sha256(data[:length]).digest()
        assert sha.sha256(data[:length]).digest() == expected
        assert builtin is None or builtin(data[:length]).digest() == expected


def test_an_interpreter_without_its_own_uses_openssl(monkeypatch):
    monkeypatch.setattr(sha, "import_module", lambda _: (_ for _ in ()).throw(ImportError))
    assert sha.builtin_sha256() is None
    assert sha.faster_sha256() is hashlib.sha256


def test_the_faster_one_is_taken(monkeypatch):
    costs = {hashlib.sha256: 2.0}
    monkeypatch.setattr(sha, "_cost", lambda function: costs.get(function, 1.0))
    assert sha.faster_sha256() is sha.builtin_sha256()
    costs[hashlib.sha256] = 1.0
    assert sha.faster_sha256() is hashlib.sha256
