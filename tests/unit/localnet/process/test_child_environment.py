"""Environment of the processes of a localnet: they import this source, wherever they run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import localnet
from localnet.process.lifecycle import child_environment

ROOT = Path(localnet.__file__).parents[1]


@pytest.mark.parametrize("before", ["", "/elsewhere"])
def test_a_child_imports_the_same_packages(monkeypatch, tmp_path, before):
    monkeypatch.setenv("PYTHONPATH", before)
    program = "import importlib.util as u; print(u.find_spec('localnet').origin)"
    command = [sys.executable, "-c", program]
    done = subprocess.check_output(command, cwd=tmp_path, env=child_environment(), text=True)
    assert done.strip() == localnet.__file__
    assert child_environment()["PYTHONPATH"].split(os.pathsep) == [str(ROOT), *filter(None, [before])]
