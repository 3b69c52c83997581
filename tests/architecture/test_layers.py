"""import-linter's contracts hold, and each catches what it is for."""

import re
import shutil
import subprocess
import sys
import tomllib

import pytest

PLANTED = {
    "Imports go down only": ("keepers/port.py", "import handlers.dispatch"),
    "What is shipped imports nothing that is not": (
        "localnet/process/lifecycle.py",
        "import conformance.case",
    ),
    "A chain of one's own needs no localnet": ("pyibc/chain/config.py", "import localnet.settings"),
    "The plugin asks the host for a provable store": ("keepers/channel.py", "import iavl"),
    "The tree and the servers serve any chain": (
        "abci_server/messages/decode.py",
        "import pyibc.proto.ibc.core.client.v1.client_pb2",
    ),
    "Off-chain programs read a chain as any outsider does": (
        "pyibc/relayer/packets/plan.py",
        "import keepers.port",
    ),
    "Channels, IBC v2, direct calls and queues": (
        "handlers/packet/send.py",
        "import pyibc.direct.handlers.plain",
    ),
    "Queues and direct calls are options": ("ibc_module/senders.py", "import pyibc.queues.types"),
    "gRPC's library is needed by the gRPC server alone": ("localnet/rpc/server.py", "import grpc"),
    "Native code is met in two modules": ("pyibc/core/proofs/chain.py", "import pyibc_native"),
    "Off-chain programs know an application's messages": (
        "pyibc/relayer/paths/path.py",
        "import pyibc.apps.transfer.state",
    ),
    "The indexer's folders import down only": (
        "pyibc/indexer/chains/ends.py",
        "import pyibc.indexer.pipeline.lake",
    ),
    "Verification is pure": ("light_client/tendermint/verifier.py", "import time"),
}
"""HomeCreation of a contract's name -> (file, line that breaks it)."""


def lint(folder):
    """Contract -> whether it is kept."""
    code = "from importlinter.cli import lint_imports_command as main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache"], capture_output=True, text=True, cwd=folder, check=False
    )
    verdicts = {}
    for said in done.stdout.splitlines():
        line = re.sub(r" \([0-9]+ ignored imports?\)$", "", said)
        for verdict in ("KEPT", "BROKEN"):
            if line.endswith(verdict):
                verdicts[line.removesuffix(verdict).strip()] = verdict == "KEPT"
    assert verdicts, done.stdout + done.stderr
    return verdicts


@pytest.fixture(scope="module")
def contracts(root):
    document = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    return [contract["name"] for contract in document["tool"]["importlinter"]["contracts"]]


@pytest.fixture(scope="module")
def layers(root):
    """Each module that the contract of layers names -> its place, counted from the top."""
    document = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    (found,) = [each for each in document["tool"]["importlinter"]["contracts"] if each["id"] == "folders"]
    return {name: at for at, line in enumerate(found["layers"]) for name in re.split(r" [:|] ", line)}


def layer_of(module, layers):
    """The place of the longest name in `layers` that `module` is, or is below."""
    parts = module.split(".")
    names = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((layers[name] for name in names if name in layers), len(layers))


@pytest.mark.exhaustive
def test_every_contract_catches_a_violation(root, packages, contracts, tmp_path):
    for package in packages:
        shutil.copytree(root / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    for file, line in PLANTED.values():
        path = tmp_path / file
        path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + f"\n{line}\n")
    assert lint(tmp_path) == dict.fromkeys(contracts, False)
    assert [name for name in contracts if not any(map(name.startswith, PLANTED))] == []


def test_public_names_come_from_no_higher_layer(root, layers):
    """Public names are imported lazily, by what `__init__.pyi` says: import-linter does not see them."""
    upwards = []
    for stub in root.glob("pyibc/**/__init__.pyi"):
        package = ".".join(stub.parent.relative_to(root).parts)
        homes = set(re.findall(r"^from ([\w.]+) import", stub.read_text(), re.MULTILINE))
        own = layer_of(package, layers)
        upwards += [(package, home) for home in homes if package != "pyibc" and layer_of(home, layers) < own]
    assert upwards == []
