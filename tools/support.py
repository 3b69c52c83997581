"""Generator of docs/support.md: the versions that are tried, by pins and by the record of the last release.

`docs/trials.json` is the record of the last release's trials (`make release` writes it to dist/about).
"""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INTRO = """\
# Supported versions

The versions of other software that pyibc is tested with, read from the files that pin them for the tests and
from the record of the last release. Other versions may work; a report about them is welcome, a fix is not
promised ([versioning.md](versioning.md)).

    pyibc doctor    # checks this machine
"""
LOCKED = "tools/requirements/dev.lock"
INTEROP = "docs/interop.md"
TRIALS = "docs/trials.json"


class PinMissing(Exception):
    """A file does not name the version that the table takes from it, or two files name different ones."""


def support_page() -> str:
    """Return the page.

    Raises:
        PinMissing: a version is not found, or a page tells another one than the tests use.
    """
    rows = ["| software | versions | tried by | pinned in |", "|---|---|---|---|"]
    rows += [f"| {name} | {versions} | {by} | {where} |" for name, versions, by, where in _rows()]
    return f"{INTRO}\n" + "\n".join(rows) + f"\n\n{_trials()}"


def _rows() -> list[tuple[str, str, str, str]]:
    interop, live = "`make interop`", "[interop.md](interop.md)"
    spark = ", ".join(re.findall(r'"([\d.]+)"', _find("tools/spark_range.py", r"VERSIONS = \((.+)\)")))
    older, newer = _find(INTEROP, r"ibc-go v(10[\d.]+\d)"), _ibc_go()
    comet = _find("tools/cometbft.sh", r"^version=([\d.]+)")
    hermes = _find("tools/live.sh", r"HERMES:-([\d.]+)")
    cosmpy, cosmjs = _find("Makefile", r"cosmpy==([\d.]+)"), _find("Makefile", r"stargate@([\d.]+)")
    _check_named(
        {"CometBFT ": comet, "Hermes ": hermes, "cosmpy ": cosmpy, "CosmJS ": cosmjs, "ibc-go v": newer}
    )
    oracle = f"{live}, `conformance/oracle/go/go.mod`"
    sparks = f"{spark}; by default {_locked('pyspark')}"
    return [
        ("Python", _pythons(), "`make release`, CI", "`pyproject.toml`"),
        ("PySpark", sparks, "`make spark-range`", "`tools/spark_range.py`"),
        ("DuckDB, delta-rs", f"{_locked('duckdb')}, {_locked('deltalake')}", "`make test`", f"`{LOCKED}`"),
        ("ibc-go", f"{older}, {newer}", f"{interop}, `make oracle`", oracle),
        ("CometBFT", comet, interop, "`tools/cometbft.sh`"),
        ("Hermes", hermes, interop, "`tools/live.sh`"),
        ("cosmpy", cosmpy, interop, "`Makefile`"),
        ("CosmJS", cosmjs, interop, "`Makefile`"),
    ]


def _ibc_go() -> str:
    """Return the version of ibc-go of the oracle and the walks; raise PinMissing if they differ."""
    found = _find("conformance/oracle/go/go.mod", r"ibc-go/v11 v([\d.]+)")
    if found != _find("conformance/walks/go/go.mod", r"ibc-go/v11 v([\d.]+)"):
        raise PinMissing("the oracle and the walks use different versions of ibc-go")
    return found


def _check_named(versions: Mapping[str, str]) -> None:
    """Check that the page on interoperability names these versions; raise PinMissing."""
    told = _text(INTEROP)
    for name, version in versions.items():
        if not re.search(rf"{name}{re.escape(version)}(?![\d.]*\d)", told):
            raise PinMissing(f"{INTEROP} does not name {name}{version}, with which the tests run")


def _pythons() -> str:
    project = tomllib.loads(_text("pyproject.toml"))["project"]
    declared = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d+$", line)]
    tried = {trial["python"].rpartition(".")[0] for trial in _recorded()}
    untried = [version for version in declared if version not in tried]
    if untried:
        raise PinMissing(
            f"Python {', '.join(untried)} is declared, and {TRIALS} has no trial: run make release"
        )
    return ", ".join(declared)


def _trials() -> str:
    """Return the table of packages and sizes of each extra, by Python."""
    cells: dict[str, dict[str, str]] = defaultdict(dict)
    for trial in _recorded():
        name = f"pyibc[{trial['extra'].replace('+', ',')}]" if trial["extra"] else "pyibc"
        cells[name][trial["python"]] = f"{trial['packages']}, {trial['bytes'] / 1e6:.0f} MB"
    pythons = list(dict.fromkeys(version for row in cells.values() for version in row))
    head = [f"| | {' | '.join(f'Python {each}' for each in pythons)} |", "|---|" + "---:|" * len(pythons)]
    rows = [
        f"| `{name}` | {' | '.join(row.get(each, '') for each in pythons)} |" for name, row in cells.items()
    ]
    title = "## Installed and used in an empty environment\n\n"
    title += "Packages and size, those of pyibc included; an empty cell was not tried.\n\n"
    return title + "\n".join([*head, *rows]) + "\n"


def _recorded() -> list[dict[str, str | int]]:
    return json.loads(_text(TRIALS))


def _locked(name: str) -> str:
    return _find(LOCKED, rf"^{name}==([\w.]+)")


def _find(path: str, pattern: str) -> str:
    found = re.search(pattern, _text(path), re.MULTILINE)
    if found is None:
        raise PinMissing(f"{path} has no {pattern}")
    return found[1]


def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
