"""The public names: listed once, found when asked for, typed, documented."""

import importlib
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import pyibc

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "pyibc"


def public(module):
    """What a module offers: all that it imports or defines, if it does not list them."""
    return getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])


@pytest.fixture(scope="module")
def listings():
    return {name: public(importlib.import_module(f"pyibc.{name}")) for name in pyibc.MODULES}


def modules_of_other_packages():
    """Public names that are modules of another package than the one that offers them."""
    for stub in sorted(FOLDER.rglob("__init__.pyi")):
        package = ".".join(stub.parent.relative_to(ROOT).parts)
        for home, name in re.findall(r"^from ([\w.]+) import (\w+) as", stub.read_text(), re.MULTILINE):
            if home != package and ROOT.joinpath(*home.split("."), f"{name}.py").exists():
                yield package, name


@pytest.mark.parametrize(("package", "name"), list(modules_of_other_packages()))
def test_a_module_is_found_before_anything_else_has_loaded_it(package, name):
    code = f"from {package} import {name}; print({name}.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout.endswith(f".{name}\n"), done.stderr


def test_importing_it_imports_nothing_else():
    code = (
        "import sys; before = set(sys.modules); import pyibc; dir(pyibc)\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    names = set(done.stdout.split())
    assert names - set(sys.stdlib_module_names) == {"pyibc"}
    assert names & {"pathlib", "typing", "email", "inspect"} == set()  # longer to import than all of `pyibc`


def test_a_name_brings_what_it_needs_and_no_more():
    code = "import sys; from pyibc import Coin"
    code += "; print({'pyspark', 'grpc', 'lmdb', 'localnet', 'pyibc.relayer'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "set()\n"


def test_every_name_resolves(listings):
    values = {name: getattr(pyibc, name) for name in pyibc.__all__}
    assert values["Pipeline"].__module__ == "ibc_module.pipeline"
    assert {name for name, value in values.items() if value is None} == set()
    for module, names in listings.items():
        found = getattr(pyibc, module)
        assert found is sys.modules[f"pyibc.{module}"]
        assert [name for name in names if not hasattr(found, name)] == []
    assert set(dir(pyibc)) >= {*pyibc.__all__, *pyibc.MODULES}


INTERNAL = {
    "examples",
    "cli",
    "codec",
    "core",
    "default_plugins",
    "http",
    "installation",
    "isolation",
    "proto",
}
"""What is below pyibc and not public."""


def test_the_modules_are_those_of_the_folder():
    found = {
        path.stem for path in FOLDER.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert {name for name in found if not name.startswith("_")} - INTERNAL == set(pyibc.MODULES)


@pytest.mark.parametrize("package", ["", *sorted(path.parent.name for path in FOLDER.glob("*/__init__.pyi"))])
def test_no_name_is_that_of_an_internal_module(package):
    """Importing the module would put it in the name's place."""
    folder = FOLDER / package
    inner = {path.stem for path in folder.iterdir() if path.suffix == ".py" or path.is_dir()}
    dotted = f"pyibc.{package}".rstrip(".")
    names = {*importlib.import_module(dotted).__all__}
    assert names & inner - {*pyibc.MODULES} == set()


def test_a_name_has_one_public_home(listings):
    """But the head of all errors, and what is set at each of the two relayers."""
    homes = Counter(pyibc.__all__)
    for module in set(listings) - {"abci"}:  # ABCI's values have names of their own world
        homes.update(listings[module])
    assert {name for name, number in homes.items() if number > 1} == {"IbcError", "Options"}


@pytest.mark.parametrize("name", ["Pipelines", "_nothing", "Stage"])
def test_what_is_not_public_is_not_there(name):
    with pytest.raises(AttributeError, match=f"^module 'pyibc' has no attribute '{name}'$") as caught:
        pyibc.__getattr__(name)
    assert caught.value.name == name


@pytest.mark.exhaustive
def test_every_name_has_a_type(listings, tmp_path):
    names = [f"pyibc.{name}" for name in pyibc.__all__]
    names += [f"pyibc.{module}.{name}" for module, listed in listings.items() for name in listed]
    program = tmp_path / "program.py"
    lines = ["import pyibc", *(f"reveal_type({name})" for name in names), "pyibc.Pipelines", ""]
    program.write_text("\n".join(lines))
    options = ("--strict", "--no-error-summary", "--config-file", str(ROOT / "pyproject.toml"))
    env = {"PATH": "", "HOME": str(tmp_path), "MYPYPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(program)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        env=env,
    )
    # After the name alone: mypy's cache may tell of an equal program in an earlier run's folder.
    said = [line.partition(f"{program.name}:")[2] for line in done.stdout.splitlines()]
    types = [line.partition("Revealed type is ")[2] for line in said if "Revealed type is" in line]
    assert len(types) == len(names)
    assert [name for name, kind in zip(names, types, strict=True) if kind == '"Any"'] == []
    errors = [line for line in said if ": error: " in line]
    assert len(errors) == 1
    assert errors[0].startswith(f'{len(names) + 2}: error: Module has no attribute "Pipelines"')


def test_the_errors_of_options_are_public():
    """docs/errors.md lists them, and docs/api.md says that all of it is here."""
    from pyibc import errors
    from pyibc.direct import errors as direct
    from pyibc.queues import errors as queue

    for module in (direct, queue):
        classes = {name for name, each in vars(module).items() if isinstance(each, type)}
        assert classes <= set(public(errors))
