"""Make a release of the committed tree: build, check, try, list.

    python -m tools.release --into dist            # make release
    python -m tools.release --pythons 3.12 --extras relayer,node

The folder then has the wheel and the sdist; below `about` the bill of materials and the trials.
"""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.release.building import build, commit_time
from tools.release.checking import check
from tools.release.commands import run
from tools.release.errors import ReleaseError
from tools.release.inventory import SUMS, write_sbom, write_sums
from tools.release.trials import PYTHONS, USES, Trial, as_json, find_pythons, shown, try_extra

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str]) -> int:
    """Make the release; return 1 with one message where it cannot be."""
    parser = argparse.ArgumentParser(prog="python -m tools.release")
    parser.add_argument("--into", type=Path, default=ROOT / "dist", help="folder of the result (dist)")
    parser.add_argument("--tag", help="tag of the commit, which must be v and the version")
    parser.add_argument(
        "--pythons", default=",".join(PYTHONS), help="minor versions, of those that are found"
    )
    parser.add_argument(
        "--extras", default=",".join(USES), help="extras to try; an empty name is pyibc alone"
    )
    asked = parser.parse_args(arguments)
    extras = asked.extras.split(",")
    unknown = {*extras} - USES.keys()
    if unknown:
        parser.error(
            f"no such extra: {', '.join(sorted(unknown))} (there are {', '.join(filter(None, USES))})"
        )
    try:
        make(asked.into.resolve(), asked.tag, asked.pythons.split(","), extras)
    except ReleaseError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def make(into: Path, tag: str | None, pythons: Sequence[str], extras: Sequence[str]) -> None:
    """Write a release into a folder, which stays as it was where the release fails.

    Raises:
        ReleaseError: it cannot be made.
    """
    if run("git", "status", "--porcelain", cwd=ROOT):
        print("uncommitted changes are no part of the release", file=sys.stderr)
    found = find_pythons(pythons)
    if not found:
        raise ReleaseError(
            f"no Python of {', '.join(pythons)} was found: install one, or name others by --pythons"
        )
    for version in pythons:
        if version not in found:
            print(f"Python {version}: not found, not tried", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="release-") as scratch:
        made = Path(scratch, "made")
        (made / "about").mkdir(parents=True)
        version = _fill(made, Path(scratch, "environment"), tag, list(found.values()), extras)
        _replace(into, made)
    print(f"pyibc {version} is in {into}, its bill of materials and trials in {into / 'about'}")


def _fill(
    made: Path, environment: Path, tag: str | None, bases: Sequence[Path], extras: Sequence[str]
) -> str:
    files = build(ROOT, made)
    version = check(ROOT, files, tag)
    print(f"pyibc {version}: two builds are equal; twine and check-wheel-contents find no fault", flush=True)
    (wheel,) = made.glob("*.whl")
    # All extras together come last, and the bill of materials lists that environment.
    together = tuple(filter(None, extras)) or ("",)
    trials: list[Trial] = []
    for base in bases:
        for each in (*((extra,) for extra in extras), together):
            trials.append(try_extra(wheel, base, each, environment))
            print(shown(trials[-1]), flush=True)
    bill = made / "about" / f"pyibc-{version}.cdx.json"
    write_sbom(ROOT, environment / "bin" / "python", commit_time(ROOT, "HEAD"), bill)
    tried = made / "about" / "trials.json"
    tried.write_text(json.dumps([as_json(each) for each in trials], indent=1) + "\n", encoding="utf-8")
    write_sums([*files, bill, tried], made / SUMS)
    return version


def _replace(into: Path, made: Path) -> None:
    """Copy a release over the files of an earlier one; wheels that `make wheel` left go too."""
    for old in (*into.glob("*.whl"), *into.glob("*.tar.gz"), *into.glob("about/*")):
        old.unlink()
    shutil.copytree(made, into, dirs_exist_ok=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
