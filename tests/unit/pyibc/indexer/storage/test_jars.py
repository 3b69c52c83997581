"""Jars for object storage are used only with their checksums."""

import hashlib

import pytest

from pyibc.indexer.errors import StorageMissing


@pytest.fixture
def module():
    """Module under test."""
    return pytest.importorskip("pyibc.indexer.storage.jars", reason="PySpark is not installed")


@pytest.fixture
def brought(module, tmp_path, monkeypatch):
    """Files that the resolver downloads, by name; the cache is in a temporary folder."""
    found = {}

    def resolve(here, _):
        (here / "jars").mkdir()
        for name, content in found.items():
            (here / "jars" / name).write_bytes(content)

    monkeypatch.setattr(module, "_resolve", resolve)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    hadoop = next(jar.version for jar in module.locked() if jar.module == "hadoop-aws")
    sums = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("hadoop-aws", "s3")}
    lock = "".join(f"org {name} {hadoop} {checksum}\n" for name, checksum in sums.items())
    (tmp_path / "lock").write_text(lock)
    monkeypatch.setattr(module, "LOCK", tmp_path / "lock")
    spark = tmp_path / "pyspark"
    (spark / "jars").mkdir(parents=True)
    (spark / "jars" / f"hadoop-client-api-{hadoop}.jar").touch()
    monkeypatch.setattr(module.pyspark, "__file__", str(spark / "__init__.py"))
    found |= {f"{name}-{hadoop}.jar": name.encode() for name in sums}
    return found


def test_jars_are_brought_once(module, brought, monkeypatch):
    first = module.jars()
    assert sorted(path.name for path in first) == sorted(brought)
    monkeypatch.setattr(module, "_resolve", None)
    assert module.jars() == first


@pytest.mark.parametrize("content", [b"another", b"", None])
def test_h219_a_jar_that_is_another_one_is_thrown_away(module, content, brought):
    name = next(name for name in brought if name.startswith("s3"))
    brought.pop(name)
    if content is not None:
        brought[name] = content
    with pytest.raises(StorageMissing, match=name):
        module.jars()
    assert name not in [path.name for path in module.cache().iterdir()]


def test_h219_a_jar_that_was_changed_since_is_brought_again(module, brought):
    (path, *_) = module.jars()
    path.write_bytes(b"another")
    module.jars()
    assert path.read_bytes() == brought[path.name]


def test_another_hadoop_is_named(module, brought, monkeypatch, tmp_path):
    (tmp_path / "lock").write_text("org hadoop-aws 9.9.9 00\n")
    with pytest.raises(StorageMissing, match=r"9\.9\.9"):
        module.jars()


def test_the_lock_names_each_jar_once(module):
    named = [(jar.organisation, jar.module) for jar in module.locked()]
    assert len(named) == len(set(named)) > 30
    assert all(len(jar.sha256) == 64 for jar in module.locked())
