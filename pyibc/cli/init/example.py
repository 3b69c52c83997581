"""Examples that `pyibc init --example` writes: the code of `pyibc.examples`, a test, a README."""

from collections.abc import Iterator
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

_CODE = "pyibc.examples"


class Example(NamedTuple):
    """An example, by the name of its module or package below `pyibc.examples`."""

    module: str
    summary: str
    run: str = ""  # commands of its README, after the tests


EXAMPLES = {
    "ping": Example(
        "ping_app",
        "an application: a message sends a ping, the other chain answers",
        """
Two chains in processes of their own, by `localnet.toml`, and a ping from the first to the second:

    pyibc localnet up
    pyibc relay create path --port ping --version ping-1
    pyibc tx json /examples.Ping '{"channel": "channel-0", "until_ns": 9000000000000000000}'
    pyibc relay --port ping --version ping-1
    pyibc query packet ping/channel-0 1
""",
    ),
    "ift": Example("ift", "a token that a contract on another chain mints by GMP"),
    "attestor": Example("attestor", "a light client: attestors sign the roots of a chain"),
    "tinychain": Example("tinychain", "a host of its own for IBC, with a bank and its own transactions"),
    "kvchain": Example(
        "kvchain",
        "a key-value chain under CometBFT, without IBC",
        """
Under CometBFT (`pyibc cometbft install` prints its path), in two shells:

    python -m {{name}} . unix://app.sock
    cometbft init --home .comet && cometbft start --home .comet --proxy_app unix://app.sock
    curl 'localhost:26657/broadcast_tx_commit?tx="a=b"'
""",
    ),
}


def example_of(name: str) -> Example:
    """Return an example; raise ValueError if there is none of this name."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    close = get_close_matches(name, EXAMPLES, 1)
    meant = f", did you mean {close[0]}?" if close else ":"
    raise ValueError(f"there is no example {name!a:.64}{meant} there are {', '.join(EXAMPLES)}")


def example_files(example: Example, name: str) -> Iterator[tuple[str, str]]:
    """Iterate over the places and texts of an example's code, as the package `name`."""
    old = f"{_CODE}.{example.module}"
    source = files(_CODE)
    module = source / f"{example.module}.py"
    found = [("__init__.py", module)] if module.is_file() else _modules(source / example.module)
    for place, file in found:
        yield f"{name}/{place}", file.read_text("utf-8").replace(old, name)


def _modules(folder: Traversable) -> list[tuple[str, Traversable]]:
    """Return the modules of a package, which has no packages inside."""
    return sorted((each.name, each) for each in folder.iterdir() if each.name.endswith(".py"))
