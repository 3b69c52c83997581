"""Checks of built files before anybody can install them."""

import re
import sys
import zipfile
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path

from tools.release.building import members
from tools.release.commands import run
from tools.release.errors import CheckFailed

RELATIVE = re.compile(r"\]\((?![a-z]+:|#)([^)]+)\)")
LARGEST = 60_000_000
"""Bytes of a file: package indexes refuse one of 100 MB, and ours have a tenth of that."""


def check(root: Path, files: Sequence[Path], tag: str | None) -> str:
    """Check the wheel and the sdist of a release; return the version.

    Raises:
        CheckFailed: twine or check-wheel-contents refuse a file; the description has relative links; a file
            is too large; the sdist lacks the licence; or the tag is of another version.
    """
    (wheel,) = [path for path in files if path.suffix == ".whl"]
    (sdist,) = [path for path in files if path.name.endswith(".tar.gz")]
    for path in files:
        if path.stat().st_size > LARGEST:
            raise CheckFailed(
                f"{path.name} has {path.stat().st_size} bytes, at most {LARGEST}: exclude what is large"
            )
    run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist, error=CheckFailed)
    run(
        sys.executable,
        "-m",
        "check_wheel_contents",
        "--config",
        root / "pyproject.toml",
        wheel,
        error=CheckFailed,
    )
    if "LICENSE" not in members(sdist):
        raise CheckFailed(f"{sdist.name} has no LICENSE: look at [tool.hatch.build.targets.sdist]")
    name, version, description = metadata(wheel)
    relative = RELATIVE.findall(description)
    if relative:
        raise CheckFailed(
            f"the description of {name} has the relative link {relative[0]}, which the package index "
            "cannot resolve: look at [tool.hatch.metadata.hooks.fancy-pypi-readme]"
        )
    if tag is not None and tag != f"v{version}":
        raise CheckFailed(f"the tag is {tag} and the version {version}: tag the commit v{version}")
    return version


def metadata(wheel: Path) -> tuple[str, str, str]:
    """Return name, version and long description of a wheel.

    Raises:
        CheckFailed: it has no metadata, or one of them is missing.
    """
    with zipfile.ZipFile(wheel) as archive:
        found = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        if len(found) != 1:
            raise CheckFailed(f"{wheel.name} has {len(found)} files METADATA, and must have one")
        message = Parser().parsestr(archive.read(found[0]).decode())
    name, version, body = message["Name"], message["Version"], message.get_payload()
    if not name or not version or not isinstance(body, str) or not body.strip():
        raise CheckFailed(f"{wheel.name} has no name, version or long description")
    return name, version, body
