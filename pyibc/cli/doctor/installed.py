"""Comparison of the installed files with the distribution's RECORD."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from json import loads
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from pyibc.installation import DISTRIBUTION, PACKAGES, ROOT

_SHOWN = 3
_OURS = Path(ROOT)


class Installation(NamedTuple):
    """Location of the installed files, and problems with them."""

    where: str
    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()  # `file (distribution version)`: recorded by another distribution

    @property
    def problems(self) -> list[str]:
        """One entry per kind of problem, with the first affected files."""
        kinds = {"missing": self.missing, "changed": self.changed, "also another's": self.foreign}
        return [f"{kind}: {_some(files)}" for kind, files in kinds.items() if files]


def look(root: Path = _OURS) -> Installation:
    """Compare the files below `root`, the folder of this distribution's packages, with its RECORD.

    An editable installation records no files: then only claims of other distributions are checked.
    """
    foreign = tuple(sorted(_claims(root)))
    for each in distributions(name=DISTRIBUTION):
        if _editable(each) == root:
            return Installation(f"editable, in {root}", foreign=foreign)
        if _is_in(each, root) and not _editable(each):
            missing, changed = _compare(each)
            return Installation(f"version {each.version}, in {root}", missing, changed, foreign)
    return Installation(f"not installed, run from {root}", foreign=foreign)


def _is_in(found: Distribution, root: Path) -> bool:
    return Path(str(found.locate_file(""))).resolve() == root


def _editable(found: Distribution) -> Path | None:
    """Return the clone that an editable distribution points to."""
    origin = loads(found.read_text("direct_url.json") or "{}")
    if not origin.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlsplit(origin["url"]).path)).resolve()


def _compare(found: Distribution) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the recorded files of the packages that are missing, and those that differ from the RECORD."""
    missing, changed = [], []
    for file in found.files or ():
        if file.hash is None or file.parts[0] not in PACKAGES:
            continue
        path = Path(str(file.locate()))
        if not path.is_file():
            missing.append(str(file))
        elif _digest(path) != file.hash.value:
            changed.append(str(file))
    return tuple(missing), tuple(changed)


def _digest(path: Path) -> str:
    """Return the SHA-256 in the format of RECORD."""
    return urlsafe_b64encode(sha256(path.read_bytes()).digest()).rstrip(b"=").decode()


def _claims(root: Path) -> Iterator[str]:
    """Iterate over files below the packages that other distributions record."""
    for each in distributions():
        if each.name == DISTRIBUTION or not _is_in(each, root):
            continue
        for file in each.files or ():
            if file.parts[0] in PACKAGES and file.suffix != ".pyc":
                yield f"{file} ({each.name} {each.version})"


def _some(files: Sequence[str]) -> str:
    more = len(files) - _SHOWN
    return ", ".join(files[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
