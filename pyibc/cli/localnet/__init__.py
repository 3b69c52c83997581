"""`pyibc localnet`: chains on this machine, one process each."""

import json
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from localnet import applications
from localnet import network as network_module
from localnet.errors import LocalnetError, NetworkExists, OtherSettings
from localnet.network import Network, NetworkPlan, networks
from localnet.process.startup import NodeStatus, ValidatorStatus, last_lines, logs_of
from localnet.relayers import HermesConfig, of_network, relayer_key, write_hermes, write_relayer
from localnet.settings import NODE_FILE, read_plan
from localnet.verify import HomeProblems, verify_home
from pyibc.cli.localnet.attestor import attestor as attestor_command
from pyibc.cli.localnet.wallets import fund, keys
from pyibc.cli.one_chain import network_here, network_option
from pyibc.cli.progress import progress
from pyibc.cli.reporting import reporting
from pyibc.core.errors import IbcError, InvalidIdentifier
from pyibc.relayer.errors import KeyExposed, KeyRefused

_DURATION = re.compile(r"([0-9]{1,7})(ms|s)")


class Duration(click.ParamType[int]):
    """A time like `500ms` or `1s`, in milliseconds."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse the text; return milliseconds."""
        found = _DURATION.fullmatch(str(value))
        if found is None:
            self.fail(f"{value!r} is not a time like 500ms or 1s", param, ctx)
        return int(found[1]) * (1 if found[2] == "ms" else 1000)


_reports = reporting(
    (LocalnetError, IbcError, OSError), wrong_use=(ValueError, InvalidIdentifier, KeyExposed, KeyRefused)
)


_NAME = network_option("--name", "Name of the network.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group()
def command() -> None:
    """Chains on this machine, one process each; test money only.

    State is below PYIBC_LOCALNET if it is set, else in `.demo/localnet` of the clone, of this folder or of
    the nearest folder above that has it, else in `~/.pyibc/localnet`; `list` says where.
    """


@command.command()
@_NAME
@click.option("--chains", type=click.IntRange(1, 26), help="Number of chains (new network: 2).")
@click.option("--validators", type=click.IntRange(1, 200), help="Validators per chain (4).")
@click.option("--block-time", "block_time_ms", type=Duration(), help="Time between blocks (1s).")
@click.option("--plugin", "plugins", multiple=True, help="module:callable that returns plugins.")
@click.option(
    "--consensus",
    type=click.Choice(["local", "cometbft"]),
    help="Consensus: built into the chain's process (default), or real CometBFT, one process per validator.",
)
@click.option(
    "--abci",
    type=click.Choice(["socket", "grpc"]),
    help="Protocol between CometBFT and the application (socket); grpc for an unmodified CometBFT.",
)
@click.option("--export", is_flag=True, help="Export every block to `export` in the home, for pyibc index.")
@click.option("--legacy-events", is_flag=True, help="Add event attributes of ibc-go before v9.")
@click.option("--keep-blocks", type=click.IntRange(10), help="Blocks that each chain retains (all).")
@click.option("--keep-versions", type=click.IntRange(1), help="Heights whose state can be queried (1000).")
@click.option("--map-gib", type=click.IntRange(1), help="Maximum size of each database, GiB (256).")
@click.option("--queues", is_flag=True, help="Enable the queue protocol, and coins over it.")
@click.option(
    "--apps", is_flag=True, help="Add rate limits, forwarding, interchain accounts, GMP, attestations."
)
@_JSON
@_reports
def up(name: str, as_json: bool, **plan: Any) -> None:
    """Create a network if there is none, and start its chains.

    A new network is made as localnet.toml in the working directory says, and as the options say. If its
    chains do not start, it is removed again. A network that exists keeps its settings; options that ask for
    others are refused.
    """
    network = Network(name)
    if plan.pop("apps"):
        plan["plugins"] = (*plan["plugins"], applications.NAME)
    gib = plan.pop("map_gib")
    plan["map_bytes"] = gib and gib << 30
    planned = read_plan(Path())
    before = planned.plan() if planned and planned.name == name else {}
    is_new = _made(network, before, {key: value for key, value in plan.items() if value})
    try:
        with progress(f"starting the chains of {name}"):
            nodes = network.up()
    except BaseException:
        if is_new:  # settings that cannot run would prevent another attempt
            network.reset()
        raise
    _show(nodes, as_json)


def _made(network: Network, planned: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Create the network if absent; return whether.

    Raises:
        OtherSettings: there is one, and an option asks for something else.
    """
    plugins = (*planned.get("plugins", ()), *wanted.get("plugins", ()))
    if not network.exists:
        with suppress(NetworkExists):  # another process was faster
            network.create(NetworkPlan(**{**planned, **wanted, "plugins": plugins}))
            return True
    asked = {**wanted, "plugins": plugins} if "plugins" in wanted else wanted
    differ = network.differing(asked)
    if differ:
        each = (
            f"{_option(name, has)} instead of {_value(name, asked[name])}" for name, has in differ.items()
        )
        raise OtherSettings(network.name, ", ".join(each))
    click.echo(f"network {network.name!r} exists: starting those of its chains that do not run", err=True)
    return False


def _option(name: str, value: Any) -> str:
    """Return an option of `up` with a value that it may have."""
    flags = {"block_time_ms": "--block-time", "plugins": "--plugin", "map_bytes": "--map-gib"}
    return f"{flags.get(name) or '--' + name.replace('_', '-')} {_value(name, value)}"


def _value(name: str, value: Any) -> str:
    if name == "map_bytes":
        return f"{value / (1 << 30):g}"
    if name == "plugins":
        return ", ".join(value) or "(none)"
    if value is None or isinstance(value, bool):
        return {None: "(all)", True: "(on)", False: "(off)"}[value]
    return f"{value}ms" if name == "block_time_ms" else str(value)


command.add_command(up, "start")


@command.command(name="list")
@_JSON
@_reports
def list_networks(as_json: bool) -> None:
    """List networks with their running chains; exit code 1 if one cannot be read."""
    rows, broken = [], False
    for network in networks():
        try:
            nodes = network.status()
        except (LocalnetError, OSError) as error:
            click.echo(f"{network.name}: {error}", err=True)
            broken = True
            continue
        running = sum(1 for node in nodes if node.pid is not None)
        rows.append({"name": network.name, "chains": len(nodes), "running": running})
    if as_json:
        click.echo(json.dumps(rows))
    else:
        root = network_module.default_root()
        click.echo(f"networks in {root}" if rows else f"no networks in {root}", err=True)
        for row in rows:
            click.echo(f"{row['name']:<20} {row['running']} of {row['chains']} chains running")
    sys.exit(int(broken))


@command.command()
@_NAME
@_JSON
@_reports
def status(name: str, as_json: bool) -> None:
    """Show every chain of a network; exit code 1 if one does not run."""
    nodes = Network(name).status()
    _show(nodes, as_json)
    if any(node.height is None for node in nodes):
        sys.exit(1)


@command.command()
@_NAME
@_reports
def stop(name: str) -> None:
    """Stop a network's chains; their state remains."""
    with progress(f"stopping the chains of {name}"):
        stopped = Network(name).stop()
    click.echo(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")


@command.command()
@_NAME
@_reports
def reset(name: str) -> None:
    """Stop a network's chains and remove their state."""
    with progress(f"stopping the chains of {name}"):
        Network(name).reset()
    click.echo(f"removed {name}")


@command.command()
@_NAME
@click.option("--chain", "chain_id", help="Id of one chain.  [default: all]")
@click.option("--lines", type=click.IntRange(0), default=10, show_default=True, help="Lines of each log.")
@_reports
def logs(name: str, chain_id: str | None, lines: int) -> None:
    """Show the last lines of every log of a network, each below the log's path."""
    network = Network(name)
    homes = [network.folder / each for each in network.settings().chain_ids if chain_id in (None, each)]
    if not homes:
        raise ValueError(f"--chain: network {name!r} has no chain {chain_id!r}")
    for log in logs_of(homes):
        click.echo(f"== {log}")
        for line in last_lines(log, lines):
            click.echo(line)


@command.command()
@click.argument("what", default=network_here)
@_JSON
@_reports
def verify(what: str, as_json: bool) -> None:
    """Verify the homes of stopped chains: of a network, or one home; exit code 1 if there is a problem."""
    folder = Path(what)
    if (folder / NODE_FILE).exists():
        homes = [folder]
    else:
        network = Network(what)
        homes = [network.folder / each for each in network.settings().chain_ids]
    with progress("verifying") as step:
        found = {home: _verified(home, step) for home in homes}
    if as_json:
        rows = [
            {"home": str(home), "counts": each.counts, "problems": [of._asdict() for of in each.problems]}
            for home, each in found.items()
        ]
        click.echo(json.dumps(rows))
    else:
        for home, each in found.items():
            _tell(home, each)
    sys.exit(int(any(each.problems for each in found.values())))


def _verified(home: Path, step: Callable[[str], None]) -> HomeProblems:
    step(f"verifying {home}")
    return verify_home(home)


def _tell(home: Path, findings: HomeProblems) -> None:
    counts = ", ".join(f"{number:,} {name}" for name, number in sorted(findings.counts.items()))
    click.echo(f"{home.name}: {counts or 'nothing'} read, {len(findings.problems)} problems")
    for problem in findings.problems:
        click.echo(f"  {problem}")


@command.command()
@_NAME
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write to.  [default: the network's]")
@click.option("--pull", is_flag=True, help="Hermes polls for blocks, instead of a WebSocket subscription.")
@_reports
def hermes(name: str, out: Path | None, *, pull: bool) -> None:
    """Write config.toml and keys for Hermes 1.13, for a network with --consensus cometbft."""
    network = Network(name)
    chains, folder = of_network(network), out or network.folder / "hermes"
    config = write_hermes(folder.resolve(), chains, relayer_key(network), HermesConfig(pull=pull))
    click.echo(f"hermes --config {config} start")


@command.command()
@_NAME
@click.option("--out", type=click.Path(path_type=Path), help="Folder to write to.  [default: the network's]")
@click.option("--channel", default="channel-0", show_default=True, help="Channel on the first chain.")
@_reports
def relayer(name: str, out: Path | None, channel: str) -> None:
    """Write relayer.toml and the key for `pyibc relay start`, for the running network."""
    network = Network(name)
    prefix = network.settings().prefix
    chains = [(node.chain_id, node.rpc, prefix) for node in network.status()]
    folder = (out or network.folder / "relayer").resolve()
    config = write_relayer(folder, chains, relayer_key(network), channel)
    click.echo(f"pyibc relay start --config {config}")


for _each in (attestor_command, keys, fund):
    command.add_command(_each)


def _show(nodes: list[NodeStatus], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([_plain(node) for node in nodes]))
        return
    for node in nodes:
        state = "stopped" if node.pid is None else _height(node.height)
        click.echo(f"{node.chain_id:<24} {state:<14} {node.rpc:<24} {node.home}")
        for each in node.validators:
            where = f"{each.rpc:<24} gRPC {each.grpc:<17} {each.home}"
            click.echo(f"  {each.name:<22} {_height(each.height):<14} {where}")


def _height(height: int | None) -> str:
    return f"height {height}" if height else "no response"


def _plain(status: NodeStatus | ValidatorStatus) -> dict[str, Any]:
    """Return the status for JSON."""
    plain = {**status._asdict(), "home": str(status.home)}
    if isinstance(status, NodeStatus):
        plain["validators"] = [_plain(each) for each in status.validators]
    return plain
