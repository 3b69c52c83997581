"""What a host does not list, it does not load: queues and direct calls are plugins of their own."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
from examples.tinychain.bank import TinyBank
from examples.tinychain.chain import TinyChain
from ibc_core.address import AddressCodec
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config, plugins
{imports}
parts = [TinyBank(AddressCodec("tiny")), *plugins(Config(account_prefix="tiny")), {options}]
chain = TinyChain("tiny-1", parts, {{}}, [b"v" * 32], lambda: 1_700_000_000 * 10**9)
chain.make_block()
assert chain.last.height == 2
print(json.dumps(sorted(sys.modules)))
"""
QUEUE = ("from ibc_module.queue.plugin import QueuePlugin", "QueuePlugin()")
DIRECT = ("from ibc_module.direct.plugin import DirectPlugin", "DirectPlugin()")
PACKAGES = ("ibc_core", "ibc_module", "handlers", "keepers", "light_client")


def loaded(root, word, *options):
    """Our modules with `word` in their names, after blocks of a host with `options` in a new process."""
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
    return [name for name in modules if name.startswith(PACKAGES) and word in name]


@pytest.mark.parametrize(("word", "other"), [("queue", DIRECT), ("direct", QUEUE)])
def test_an_option_that_no_host_lists_is_not_loaded(root, word, other):
    assert loaded(root, word) == []
    assert loaded(root, word, other) == []


@pytest.mark.parametrize(("word", "option"), [("queue", QUEUE), ("direct", DIRECT)])
def test_an_option_that_is_listed_is_found(root, word, option):
    """The test above would see it."""
    for folder in ("handlers", "keepers", "ibc_core", "ibc_module"):
        assert f"{folder}.{word}" in loaded(root, word, option)
