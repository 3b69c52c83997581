"""`pyibc doctor`: checks of this machine, with fixes."""

import platform
import sys
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from json import loads
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import click

from pyibc.cli.progress import progress
from pyibc.indexer.spark.java import FIX, find_java
from pyibc.installation import DISTRIBUTION, EXTRAS, PACKAGES, ROOT, lacking

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


class Finding(NamedTuple):
    """The result of one check, and how to fix a failure."""

    name: str
    ok: bool
    found: str
    fix: str


def check_python() -> Finding:
    """Check for Python 3.11 or newer."""
    ok = sys.version_info >= (3, 11)
    return Finding("Python", ok, platform.python_version(), "install Python 3.11 or newer")


def check_protobuf() -> Finding:
    """Check for protobuf's C backend: the pure Python one is forty times slower and decodes differently."""
    from google.protobuf.internal import api_implementation

    backend = api_implementation.Type()
    fix = "unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION and install a protobuf wheel for this platform"
    return Finding("protobuf backend", backend == "upb", backend, fix)


def check_ed25519() -> Finding:
    """Check for the fast Ed25519 verifier; PyNaCl and pure Python verify the same, but slower."""
    found = find_spec("ed25519_zebra")
    fix = "pip install py-ed25519-zebra-bindings (without it, the light client is slower, not wrong)"
    return Finding("Ed25519 binding", found is not None, "present" if found else "absent", fix)


def check_native() -> Finding:
    """Report whether native code is in use; only a version mismatch is a failure."""
    from pyibc.core import native

    fix = "make native in a clone, or pip install 'pyibc[native]': Python decides all until then"
    return Finding("native part", not native.WHY.startswith("not used"), native.WHY, fix)


def check_native_tree() -> Finding:
    """Report whether the tree's native engine is in use; only a version mismatch is a failure."""
    from iavl import engine

    fix = "make native in a clone, or pip install 'pyibc[native]': the tree is Python's until then"
    return Finding("native tree", not engine.WHY.startswith("not used"), engine.WHY, fix)


def check_java() -> Finding:
    """Check for Java 17 or newer, for Spark."""
    fix = f"{FIX}; only indexing needs it"
    if lacking("indexer"):
        return Finding("Java", True, "not needed without pyibc[indexer]", fix)
    java = find_java()
    return Finding("Java", not java.problem, java.problem or str(java.version), fix)


def check_extras() -> Finding:
    """List extras that are not installed, which is not a failure."""
    found = [
        f"without {', '.join(names)}: pip install 'pyibc[{extra}]'"
        for extra in EXTRAS
        if (names := lacking(extra))
    ]
    return Finding("extras", True, "; ".join(found) or "all", "")


def check_files() -> Finding:
    """Check that the installed files are unchanged, and not claimed by another distribution."""
    found = look()
    again = f"pip install --force-reinstall --no-deps {DISTRIBUTION}"
    fix = f"uninstall the other distribution, if one is named; {again}"
    return Finding("files", not found.problems, "; ".join(found.problems) or found.where, fix)


def check_wiring() -> Finding:
    """Check the wiring of the plugins: every hook exists, every message has a handler."""
    fix = "the message names the plugin or module to fix"
    try:
        from ibc_module.plugin import Config, Pipeline
        from pyibc.default_plugins import plugins

        pipeline = Pipeline(plugins(Config(), transfer=False))
        found = f"{len(pipeline.messages())} messages, {len(pipeline.queries())} queries"
    except (ImportError, RuntimeError, ValueError) as error:
        return Finding("plugin wiring", False, str(error), fix)
    return Finding("plugin wiring", True, found, fix)


CHECKS: tuple[Callable[[], Finding], ...] = (
    check_python,
    check_protobuf,
    check_ed25519,
    check_native,
    check_native_tree,
    check_java,
    check_extras,
    check_files,
    check_wiring,
)


@click.command("doctor")
def command() -> None:
    """Check Python, Java, the installed files and the plugin wiring; show how to fix problems.

    Exit code 1 if any check fails.
    """
    with progress("checking this machine"):
        findings = [check() for check in CHECKS]
    for finding in findings:
        click.echo(f"{'ok  ' if finding.ok else 'BAD '} {finding.name}: {finding.found}")
        if not finding.ok:
            click.echo(f"     fix: {finding.fix}")
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)
