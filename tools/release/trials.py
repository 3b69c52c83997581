"""Trials of a wheel: each extra in an empty environment, on every Python that is found."""

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.release.commands import run
from tools.release.errors import ReleaseError, TrialFailed

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
CHAIN = """
from pyibc.testing import two_chains
chains = two_chains()
assert len(chains.a.chain.block(chains.a.chain.height).app_hash) == 32
"""
STORE = """
from pyibc import MultiStore, plugins, Config
import sys, tempfile
assert plugins(Config(account_prefix="tried"))
with tempfile.TemporaryDirectory() as folder:
    tree = MultiStore(folder, ("ibc",))
    tree.apply({"ibc": [(b"k", b"v")]})
    assert len(tree.commit()[1]) == 32
"""
NEEDED = "from pyibc.installation import need; need({extra!r})"
USES = {
    "": (STORE,),
    "relayer": ("from pyibc import relay", NEEDED),
    "arrow": ("from pyibc.indexer import read", NEEDED),
    "indexer": ("from pyibc import index", NEEDED),
    "localnet": (CHAIN, "from pyibc import localnet", NEEDED),
    "node": (CHAIN, "from pyibc import node", NEEDED),
    "testing": (CHAIN, NEEDED),
}
"""Extra -> programs that use it. `native` is tried where its own wheel is built (`make native-test`)."""
CORE_PACKAGES = 20
CORE_BYTES = 90_000_000


@dataclass(frozen=True)
class Trial:
    """An extra that was installed and used."""

    python: str  # the whole version
    extra: str
    packages: int
    bytes: int


def find_pythons(wanted: Sequence[str] = PYTHONS) -> dict[str, Path]:
    """Return the minor versions that are found and run, with their interpreters."""
    found = {}
    for version in wanted:
        for candidate in _candidates(version):
            path = _runs(candidate, version)
            if path is not None:
                found[version] = path
                break
    return found


def _candidates(version: str) -> Iterator[Path]:
    on_path = shutil.which(f"python{version}")
    if on_path:
        yield Path(on_path)
    yield from sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)


def _runs(candidate: Path, version: str) -> Path | None:
    """Return the interpreter itself if `candidate`, perhaps a version manager's shim, runs `version`."""
    asked = "sys.version_info[:2] == tuple(map(int, sys.argv[1].split('.')))"
    code = f"import sys, venv; print({asked}, sys.executable)"
    try:
        fits, _, path = run(candidate, "-c", code, version).strip().partition(" ")
    except ReleaseError:
        return None
    return Path(path) if fits == "True" else None


def try_extra(wheel: Path, base: Path, extras: Sequence[str], folder: Path) -> Trial:
    """Install a wheel with extras in an empty environment, check what was installed, and use it.

    Raises:
        TrialFailed: pip finds no versions that fit together, or a program fails.
    """
    run(base, "-m", "venv", "--clear", "--without-pip", folder, error=TrialFailed)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    asked = f"{wheel}[{','.join(extras)}]" if any(extras) else str(wheel)
    run(*pip, "install", "--quiet", "--no-compile", asked, error=TrialFailed)
    run(*pip, "check", error=TrialFailed)
    for extra in extras:
        for program in USES[extra]:
            run(python, "-P", "-c", program.replace("{extra!r}", repr(extra)), cwd=folder, error=TrialFailed)
    run(folder / "bin" / "pyibc", "--help", cwd=folder, error=TrialFailed)
    version = run(python, "-c", "import platform; print(platform.python_version())").strip()
    (site,) = folder.glob("lib/python3*/site-packages")
    packages = sum(1 for _ in site.glob("*.dist-info"))
    size = sum(path.stat().st_size for path in site.rglob("*") if path.is_file() and path.suffix != ".pyc")
    trial = Trial(version, "+".join(extras), packages, size)
    if trial.extra == "" and (trial.packages > CORE_PACKAGES or trial.bytes > CORE_BYTES):
        raise TrialFailed(
            f"pyibc without extras installs {packages} packages of {size} bytes; at most {CORE_PACKAGES} "
            f"packages and {CORE_BYTES} bytes: move a dependency to an extra"
        )
    return trial


def shown(trial: Trial) -> str:
    """Return a trial as a line."""
    name = f"pyibc[{trial.extra.replace('+', ',')}]" if trial.extra else "pyibc"
    return f"Python {trial.python}: {name}: {trial.packages} packages, {trial.bytes / 1e6:.0f} MB"


def as_json(trial: Trial) -> dict[str, object]:
    """Return a trial for a JSON file, with a size that small changes leave alone."""
    return {**asdict(trial), "bytes": round(trial.bytes, -6)}
