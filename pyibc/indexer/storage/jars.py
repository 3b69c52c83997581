"""Libraries for object access by Spark: hadoop-aws and the required modules of the AWS SDK.

`s3a.lock` lists each jar with its SHA-256. If results are in a bucket, the jars are downloaded once by Ivy,
which is part of Spark, from Maven Central or the repository in Ivy's settings; jars with a wrong checksum are
discarded. They have 10 MB; the bundle of the whole SDK would have 686 MB.
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

from pyibc.indexer.errors import StorageMissing

LOCK = Path(__file__).with_name("s3a.lock")
LONGEST_S = 600.0
_IVY = """<ivy-module version="2.0"><info organisation="pyibc" module="s3a"/><dependencies>
{}
</dependencies></ivy-module>"""
_ONE = '<dependency org="{}" name="{}" rev="{}" transitive="false"/>'


class Jar(NamedTuple):
    """Jar in the lock file."""

    organisation: str
    module: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        """File name."""
        return f"{self.module}-{self.version}.jar"


def jars() -> list[Path]:
    """Return the jars, downloaded if missing; none if Spark's folder contains hadoop-aws.

    Raises:
        StorageMissing: Spark has another version of Hadoop than the lock file, or a jar is not available with
            its checksum.
    """
    spark = Path(pyspark.__file__).parent / "jars"
    if next(spark.glob("hadoop-aws-*.jar"), None) is not None:
        return []
    wanted = list(locked())
    hadoop = next(jar.version for jar in wanted if jar.module == "hadoop-aws")
    if not (spark / f"hadoop-client-api-{hadoop}.jar").exists():
        raise StorageMissing(
            f"hadoop-aws in Spark's jars folder: the pinned version is for Hadoop {hadoop} (PySpark 4.2)"
        )
    folder = cache()
    missing = [jar for jar in wanted if not is_there(folder, jar)]
    if missing:
        _bring(missing, spark, folder)
    return [folder / jar.file for jar in wanted]


def locked() -> Iterator[Jar]:
    """Yield the jars in the lock file."""
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        yield Jar(*line.split())


def cache() -> Path:
    """Return the folder of the jars, created if absent."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "pyibc" / "jars"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def is_there(folder: Path, jar: Jar) -> bool:
    """Return whether a folder contains the jar with its checksum."""
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
    """Run Ivy to download the dependencies in `ivy.xml` into `jars`."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else "java"
    arguments = ["-warn", "-ivy", str(here / "ivy.xml"), "-cache", str(here / "cache")]
    arguments += ["-retrieve", f"{here}/jars/[artifact]-[revision].[ext]", "-types", "jar"]
    try:
        subprocess.run(  # noqa: S603 - a program of Java's, without a shell
            [java, "-jar", str(next(spark.glob("ivy-*.jar"))), *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=LONGEST_S,
            check=False,  # missing jars are detected by their checksums
        )
    except (OSError, StopIteration, subprocess.TimeoutExpired) as error:
        raise StorageMissing(f"jars from Maven Central ({type(error).__name__})") from None
