"""`pyibc doctor`: what is missing on this machine, and how to fix it."""

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

import click

from ibc_core.installation import DISTRIBUTION, DISTRIBUTIONS, has
from pyibc.cli.installed import look, versions

JAVA_NEEDED = 17


class Finding(NamedTuple):
    """The result of one check, and how to fix a failure."""

    name: str
    ok: bool
    found: str
    mend: str


def check_python() -> Finding:
    """Python 3.11 or newer."""
    ok = sys.version_info >= (3, 11)
    return Finding("Python", ok, platform.python_version(), "install Python 3.11 or newer")


def check_protobuf() -> Finding:
    """Protobuf with its C backend: the pure Python one is forty times slower and decodes differently."""
    from google.protobuf.internal import api_implementation

    backend = api_implementation.Type()
    mend = "unset PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION and install a protobuf wheel for this platform"
    return Finding("protobuf backend", backend == "upb", backend, mend)


def check_ed25519() -> Finding:
    """The fast Ed25519 verifier; without it PyNaCl and pure Python verify the same, slower."""
    found = find_spec("ed25519_zebra")
    mend = "pip install py-ed25519-zebra-bindings (without it, the light client is slower, not wrong)"
    return Finding("Ed25519 binding", found is not None, "present" if found else "absent", mend)


def check_native() -> Finding:
    """Whether native code is in use, and why it is not; wrong is only one of another version."""
    from ibc_core import native

    mend = "make native in a clone, or pip install 'pyibc[native]': Python decides all until then"
    return Finding("native part", not native.WHY.startswith("not used"), native.WHY, mend)


def check_native_tree() -> Finding:
    """Whether the tree's native engine is in use, and why it is not; wrong is only one of another version."""
    from iavl import engine

    mend = "make native in a clone, or pip install 'pyibc[native]': the tree is Python's until then"
    return Finding("native tree", not engine.WHY.startswith("not used"), engine.WHY, mend)


def check_distributions() -> Finding:
    """Our distributions are of one release; all but pyibc may be absent."""
    found = versions()
    absent = [
        name for name, packages in DISTRIBUTIONS.items() if name not in found and not any(map(has, packages))
    ]
    says = [f"{name} {version}" for name, version in found.items()] or [f"{DISTRIBUTION} from its sources"]
    text = ", ".join(says) + (f"; not installed: {', '.join(sorted(absent))}" if absent else "")
    mend = "pip install --upgrade " + " ".join(found)
    return Finding("distributions", len({*found.values()}) <= 1, text, mend)


def check_java() -> Finding:
    """Java 17 or newer, for Spark."""
    mend = "install a Java 17+ runtime (Debian: apt-get install default-jre-headless); only indexing needs it"
    if not has("ibc_indexer"):
        return Finding("Java", True, "not needed without pyibc-indexer", mend)
    java = shutil.which("java")
    if java is None:
        return Finding("Java", False, "absent", mend)
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr  # noqa: S603
    version = re.search(r'version "(\d+)', said)
    number = int(version.group(1)) if version else 0
    return Finding("Java", number >= JAVA_NEEDED, f"{number}", mend)


_BROUGHT = {
    "node": ("localnet", ("grpc", "grpc_reflection", "h2")),
    "relayer": ("ibc_relayer", ("prometheus_client",)),
    "indexer": ("ibc_indexer", ("pyspark", "pyarrow", "pandas", "duckdb", "deltalake", "matplotlib")),
}
"""Extra of pyibc -> the package of ours that uses it, what it brings."""


def check_extras() -> Finding:
    """What extras would bring for the distributions that are there: to do without is a choice."""
    lacking = {
        extra: [name for name in brought if not find_spec(name)]
        for extra, (package, brought) in _BROUGHT.items()
        if has(package)
    }
    found = [f"without {', '.join(names)}: pip install 'pyibc[{e}]'" for e, names in lacking.items() if names]
    return Finding("extras", True, "; ".join(found) or "all", "")


def check_files() -> Finding:
    """The files are those that were installed, and no other distribution claims any of them."""
    found = look()
    again = f"pip install --force-reinstall --no-deps {' '.join(versions()) or DISTRIBUTION}"
    mend = f"uninstall the other distribution, if one is named; {again}"
    return Finding("files", not found.problems, "; ".join(found.problems) or found.where, mend)


def check_wiring() -> Finding:
    """The plugins are wired: every hook exists, every message has a handler."""
    mend = "the message names the plugin or module to mend"
    try:
        from ibc_module.plugin import Config, Pipeline, plugins

        pipeline = Pipeline(plugins(Config(), transfer=False))
        found = f"{len(pipeline.messages())} messages, {len(pipeline.queries())} queries"
    except (ImportError, RuntimeError, ValueError) as error:
        return Finding("plugin wiring", False, str(error), mend)
    return Finding("plugin wiring", True, found, mend)


CHECKS: tuple[Callable[[], Finding], ...] = (
    check_python,
    check_protobuf,
    check_ed25519,
    check_native,
    check_native_tree,
    check_distributions,
    check_java,
    check_extras,
    check_files,
    check_wiring,
)


@click.command("doctor")
def command() -> None:
    """Check Python, Java, the installed files and the plugin wiring; name the mend of what is wrong.

    Exit code 1 if anything is wrong.
    """
    findings = [check() for check in CHECKS]
    for finding in findings:
        click.echo(f"{'ok  ' if finding.ok else 'BAD '} {finding.name}: {finding.found}")
        if not finding.ok:
            click.echo(f"     mend: {finding.mend}")
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)
