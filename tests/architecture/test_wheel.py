"""The wheel: exactly our packages, their data, and it works where the sources are not."""

import subprocess
import sys
import zipfile

import pytest

pytestmark = pytest.mark.slow

DATA = {
    "ibc_proto/descriptors.binpb",
    "ibc_core/py.typed",
    "ibc_proto/py.typed",
    "pyibc/py.typed",
}


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*build, "--wheel-dir", str(folder), str(root)], check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def names(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_the_packages_and_nothing_else(wheel, packages):
    tops = {name.split("/")[0] for name in names(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(packages)


def test_every_module_is_in_it(wheel, sources):
    assert set(sources) - set(names(wheel)) == set()


def test_data_is_in_it(wheel):
    assert DATA - set(names(wheel)) == set()


def test_no_rubbish_is_in_it(wheel):
    assert [name for name in names(wheel) if "__pycache__" in name or name.endswith((".pyc", ".orig"))] == []


def test_it_works_outside_the_clone(wheel, tmp_path):
    target = tmp_path / "site"
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
    ]
    subprocess.run([*install, str(wheel)], check=True, capture_output=True)
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import ibc_module, handlers\n"
        "assert ibc_module.__file__.startswith(sys.argv[1]), ibc_module.__file__\n"
        "from ibc_testing import two_chains\n"
        "chains = two_chains()\n"
        "print(chains.a.chain.block(chains.a.chain.height).app_hash.hex())\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(target)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={"PATH": "", "HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.strip()) == 64
