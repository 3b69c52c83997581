"""Wheel and sdist of a commit, built twice under different circumstances and equal byte for byte."""

import shutil
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tools.release.commands import run
from tools.release.errors import NotReproducible


@dataclass(frozen=True)
class Circumstances:
    """Properties of a machine that must not show in what is built there."""

    folder: str
    umask: int
    env: Mapping[str, str] = field(default_factory=dict)


HERE = Circumstances("a", 0o022, {"TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "1"})
ELSEWHERE = Circumstances("another-folder", 0o077, {"TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "2"})


def build(root: Path, into: Path, commit: str = "HEAD") -> list[Path]:
    """Build wheel and sdist of a commit into an empty folder.

    The time in the archives is the commit's (SOURCE_DATE_EPOCH). The wheel is built from the sdist, which
    therefore has all that is needed.

    Raises:
        NotReproducible: a second build in another folder, with another umask and time zone, differs.
        ReleaseError: the build fails.
    """
    epoch = commit_time(root, commit)
    with tempfile.TemporaryDirectory(prefix="release-") as scratch:
        builds = [
            _build_once(root, commit, epoch, Path(scratch, each.folder), each) for each in (HERE, ELSEWHERE)
        ]
        compare(*builds)
        return [Path(shutil.copy(path, into / path.name)) for path in sorted(builds[0].iterdir())]


def commit_time(root: Path, commit: str) -> int:
    """Return the time of a commit in seconds."""
    return int(run("git", "log", "-1", "--format=%ct", commit, cwd=root))


def compare(first: Path, second: Path) -> None:
    """Compare two folders of built files.

    Raises:
        NotReproducible: a file is in one of them only, or differs.
    """
    built = {each: {path.name: path.read_bytes() for path in each.iterdir()} for each in (first, second)}
    names = sorted({name for files in built.values() for name in files})
    differ = [name for name in names if built[first].get(name) != built[second].get(name)]
    if differ or not names:
        raise NotReproducible(
            f"two builds of one commit differ in {', '.join(differ) or 'nothing, since nothing was built'}: "
            "look for times, paths, permissions or an order of files that the build takes from the machine"
        )


def _build_once(root: Path, commit: str, epoch: int, folder: Path, given: Circumstances) -> Path:
    source, built = folder / "source", folder / "built"
    source.mkdir(parents=True)
    archive = folder / "source.tar"
    run("git", "archive", "--format=tar", f"--output={archive}", commit, cwd=root)
    _unpack(archive, source, given)
    env = {**given.env, "SOURCE_DATE_EPOCH": str(epoch)}
    command = (sys.executable, "-P", "-m", "hatchling", "build", "--directory", built)
    run(*command, "--target", "sdist", cwd=source, env=env, umask=given.umask)
    (sdist,) = built.iterdir()
    _unpack(sdist, folder, given)
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    run(*command, "--target", "wheel", cwd=unpacked, env=env, umask=given.umask)
    return built


def _unpack(archive: Path, into: Path, given: Circumstances) -> None:
    """Unpack with the permissions that the circumstances' umask leaves."""
    run("tar", "-xf", archive, "-C", into, "--no-same-permissions", umask=given.umask)


def members(sdist: Path) -> list[str]:
    """Return the paths in an sdist, below its one folder."""
    with tarfile.open(sdist) as archive:
        return [name.partition("/")[2] for name in archive.getnames()]
