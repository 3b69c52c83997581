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


OPTIONS = ("pyibc.queues", "pyibc.direct")


def loaded(root, *options):
    """The modules of each option, after blocks of a host with `options` in a new process."""
    program = PROGRAM.format(
        imports="\n".join(first for first, _ in options), options=", ".join(second for _, second in options)
    )
    environment = {**os.environ, "PYTHONPATH": str(root)}
    ran = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=root, capture_output=True, text=True, check=True
    )
    modules = json.loads(ran.stdout)
    assert {"handlers.packet.recv", "ibc_module.wiring"} <= {*modules}
    return [{name for name in modules if f"{name}.".startswith(f"{option}.")} for option in OPTIONS]


@pytest.mark.parametrize("listed", [(), (QUEUE,), (DIRECT,)], ids=["none", "queues", "direct"])
def test_only_the_options_that_a_host_lists_are_loaded(root, listed):
    for option, own, found in zip(OPTIONS, (QUEUE, DIRECT), loaded(root, *listed), strict=True):
        if own in listed:
            assert {f"{option}.plugin", f"{option}.errors", f"{option}.handlers"} <= found
        else:
            assert found == set()
