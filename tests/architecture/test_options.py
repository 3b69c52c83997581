"""What a host does not list, it does not load: queues and direct calls are plugins of their own."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
from pyibc.examples.tinychain.bank import TinyBank
from pyibc.examples.tinychain.chain import TinyChain
from pyibc.core.address import AddressCodec
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config
from pyibc.default_plugins import plugins
{imports}
parts = [TinyBank(AddressCodec("tiny")), *plugins(Config(account_prefix="tiny")), {options}]
chain = TinyChain("tiny-1", parts, {{}}, [b"v" * 32], lambda: 1_700_000_000 * 10**9)
chain.make_block()
assert chain.last.height == 2
print(json.dumps(sorted(sys.modules)))
"""
QUEUE = ("from pyibc.queues.plugin import QueuePlugin", "QueuePlugin()")
DIRECT = ("from pyibc.direct.plugin import DirectPlugin", "DirectPlugin()")


def loaded(root, package, *options):
    """The modules of a package, after blocks of a host with `options` in a new process."""
    program = PROGRAM.format(
        imports="\n".join(first for first, _ in options), options=", ".join(second for _, second in options)
    )
    environment = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=root, capture_output=True, text=True, check=True
    )
    modules = json.loads(ran.stdout)
    assert "handlers.packet.recv" in modules
    assert "ibc_module.wiring" in modules
    return [name for name in modules if name == package or name.startswith(f"{package}.")]


QUEUES, DIRECTLY = "pyibc.queues", "pyibc.direct"


@pytest.mark.parametrize(("package", "other"), [(QUEUES, DIRECT), (DIRECTLY, QUEUE)])
def test_an_option_that_no_host_lists_is_not_loaded(root, package, other):
    assert loaded(root, package) == []
    assert loaded(root, package, other) == []


@pytest.mark.parametrize(("package", "option"), [(QUEUES, QUEUE), (DIRECTLY, DIRECT)])
def test_an_option_that_is_listed_is_found(root, package, option):
    """The test above would see it."""
    found = loaded(root, package, option)
    assert {f"{package}.plugin", f"{package}.errors", f"{package}.handlers"} <= {*found}
