import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def chain():
    """The module chain.py beside this file (tests are no package)."""
    spec = importlib.util.spec_from_file_location("iavl_kill_chain", Path(__file__).with_name("chain.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
