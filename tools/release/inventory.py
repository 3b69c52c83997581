"""The software bill of materials and the checksums of a release."""

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from tools.release.commands import run

SUMS = "SHA256SUMS"


def write_sbom(root: Path, python: Path, epoch: int, path: Path) -> None:
    """Write the CycloneDX bill of an environment that has the release and its dependencies.

    Raises:
        ReleaseError: the tool fails, or its result does not fit CycloneDX's schema.
    """
    options = ("--pyproject", root / "pyproject.toml", "--mc-type", "library", "--output-reproducible")
    command = (sys.executable, "-m", "cyclonedx_py", "environment", *options, "--validate", "--of", "JSON")
    run(*command, "-o", path, python, env={"SOURCE_DATE_EPOCH": str(epoch)})


def write_sums(files: Iterable[Path], path: Path) -> None:
    """Write the SHA-256 of files as `sha256sum --check` reads them."""
    lines = sorted(
        f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.relative_to(path.parent).as_posix()}\n"
        for each in files
    )
    path.write_text("".join(lines), encoding="utf-8")
