"""The installed files, compared with what their distributions' RECORDs say of them."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from json import loads
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from ibc_core.installation import DISTRIBUTION, DISTRIBUTIONS, PACKAGES, ROOT

_SHOWN = 3


class Installation(NamedTuple):
    """Where the installed files are, and what is wrong with them."""

    where: str
    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()  # `file (distribution version)`: recorded by another distribution

    @property
    def problems(self) -> list[str]:
        """One entry per kind of problem, with the first files that have it."""
        kinds = {"missing": self.missing, "changed": self.changed, "also another's": self.foreign}
        return [f"{kind}: {_some(files)}" for kind, files in kinds.items() if files]


def look(root: Path = ROOT) -> Installation:
    """Compares the files below `root`, the folder that has our packages, with their distributions' records.

    An editable installation records none of them: only claims of others are checked then.
    """
    foreign = tuple(sorted(_claims(root)))
    for each in distributions(name=DISTRIBUTION):
        if _editable(each) == root:
            return Installation(f"editable, in {root}", foreign=foreign)
        if _is_in(each, root) and not _editable(each):
            missing, changed = _compare(_ours(root))
            return Installation(f"version {each.version}, in {root}", missing, changed, foreign)
    return Installation(f"not installed, run from {root}", foreign=foreign)


def versions() -> dict[str, str]:
    """Our distributions that are installed, each with its version."""
    found = ((name, next(iter(distributions(name=name)), None)) for name in reversed(DISTRIBUTIONS))
    return {name: each.version for name, each in found if each is not None}


def _ours(root: Path) -> Iterator[Distribution]:
    for name in DISTRIBUTIONS:
        yield from (each for each in distributions(name=name) if _is_in(each, root))


def _is_in(found: Distribution, root: Path) -> bool:
    return Path(str(found.locate_file(""))).resolve() == root


def _editable(found: Distribution) -> Path | None:
    """The clone that an editable distribution points to."""
    origin = loads(found.read_text("direct_url.json") or "{}")
    if not origin.get("dir_info", {}).get("editable"):
        return None
    return Path(unquote(urlsplit(origin["url"]).path)).resolve()


def _compare(found: Iterator[Distribution]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The recorded files of our packages that are missing, and those that differ from what was installed."""
    missing, changed = [], []
    for file in (file for each in found for file in each.files or ()):
        if file.hash is None or file.parts[0] not in PACKAGES:
            continue
        path = Path(str(file.locate()))
        if not path.is_file():
            missing.append(str(file))
        elif _digest(path) != file.hash.value:
            changed.append(str(file))
    return tuple(missing), tuple(changed)


def _digest(path: Path) -> str:
    """SHA-256 as RECORD writes it."""
    return urlsafe_b64encode(sha256(path.read_bytes()).digest()).rstrip(b"=").decode()


def _claims(root: Path) -> Iterator[str]:
    """Files below our packages that other distributions record as theirs."""
    for each in distributions():
        if each.name in DISTRIBUTIONS or not _is_in(each, root):
            continue
        for file in each.files or ():
            if file.parts[0] in PACKAGES and file.suffix != ".pyc":
                yield f"{file} ({each.name} {each.version})"


def _some(files: Sequence[str]) -> str:
    more = len(files) - _SHOWN
    return ", ".join(files[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
