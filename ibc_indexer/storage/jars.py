"""What Spark needs to read and write objects: hadoop-aws and the modules of Amazon's SDK that it calls.

`s3a.lock` names each with its SHA-256. They are brought once, by the resolver that Spark has (Ivy, from Maven
Central unless its settings say otherwise), and only where results are in a bucket; what does not have its
checksum is thrown away. The SDK's bundle of all services would be 686 MB, these are 10.
"""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pyspark

from ibc_indexer.errors import StorageMissing

LOCK = Path(__file__).with_name("s3a.lock")
LONGEST_S = 600.0
_IVY = """<ivy-module version="2.0"><info organisation="pyibc" module="s3a"/><dependencies>
{}
</dependencies></ivy-module>"""
_ONE = '<dependency org="{}" name="{}" rev="{}" transitive="false"/>'


class Jar(NamedTuple):
    """A jar, as the lock names it."""

    organisation: str
    module: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        """What it is called."""
        return f"{self.module}-{self.version}.jar"


def jars() -> list[Path]:
    """The jars, brought if they are not there; none if Spark's own folder has hadoop-aws.

    Raises:
        StorageMissing: Spark is of another Hadoop than the lock is for, or a jar is not as it should be.
    """
    spark = Path(pyspark.__file__).parent / "jars"
    if next(spark.glob("hadoop-aws-*.jar"), None) is not None:
        return []
    wanted = list(locked())
    hadoop = next(jar.version for jar in wanted if jar.module == "hadoop-aws")
    if not (spark / f"hadoop-client-api-{hadoop}.jar").exists():
        raise StorageMissing(
            f"hadoop-aws of Spark's Hadoop among its jars: the pinned one is of {hadoop} (PySpark 4.2)"
        )
    folder = cache()
    missing = [jar for jar in wanted if not is_there(folder, jar)]
    if missing:
        _bring(missing, spark, folder)
    return [folder / jar.file for jar in wanted]


def locked() -> Iterator[Jar]:
    """What the lock names."""
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        yield Jar(*line.split())


def cache() -> Path:
    """Where they are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "pyibc" / "jars"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def is_there(folder: Path, jar: Jar) -> bool:
    """Whether a folder has the jar as the lock names it."""
    try:
        # guard: h219-any-jar-will-do always test_h219_a_jar_that_is_another_one_is_thrown_away
        return hashlib.sha256((folder / jar.file).read_bytes()).hexdigest() == jar.sha256
    except OSError:
        return False


def _bring(missing: list[Jar], spark: Path, folder: Path) -> None:
    with TemporaryDirectory(prefix="pyibc-jars-") as name:
        here = Path(name)
        listed = "\n".join(_ONE.format(*jar[:3]) for jar in missing)
        (here / "ivy.xml").write_text(_IVY.format(listed), encoding="utf-8")
        _resolve(here, spark)
        for jar in missing:
            if not is_there(here / "jars", jar):
                raise StorageMissing(f"{jar.file} with the checksum {jar.sha256}")
            fresh = folder / f".{os.getpid()}-{jar.file}"
            shutil.move(here / "jars" / jar.file, fresh)
            fresh.replace(folder / jar.file)


def _resolve(here: Path, spark: Path) -> None:
    """Has Ivy bring what `ivy.xml` names into `jars`."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    told = ["-warn", "-ivy", str(here / "ivy.xml"), "-cache", str(here / "cache")]
    told += ["-retrieve", f"{here}/jars/[artifact]-[revision].[ext]", "-types", "jar"]
    try:
        subprocess.run(  # noqa: S603 - a program of Java's, without a shell
            [java, "-jar", str(next(spark.glob("ivy-*.jar"))), *told],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST_S,
            check=False,  # what lacks is seen by its checksum
        )
    except (OSError, StopIteration, subprocess.TimeoutExpired) as error:
        raise StorageMissing(f"jars from Maven Central ({type(error).__name__})") from None
