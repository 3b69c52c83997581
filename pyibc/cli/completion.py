"""`pyibc completion`: scripts by which a shell completes commands and options.

Importing a command takes ten times as long as `pyibc --help`. The table is completion.json, which
`UPDATE_GOLDEN=1 pytest tests/unit/pyibc/cli/test_completion.py` renews.
"""

import json
import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import get_completion_class

from pyibc.cli.reporting import reporting

FILE = Path(__file__).with_name("completion.json")


def known(name: str) -> click.Command | None:
    """Return a command of the table with its options and subcommands, which does nothing; None if unknown."""
    entry = json.loads(FILE.read_text(encoding="utf-8")).get(name)
    return None if entry is None else _command(name, entry)


def _command(name: str, entry: dict[str, Any]) -> click.Command:
    params = [_param(**each) for each in entry["params"]]
    if "commands" not in entry:
        return click.Command(name, params=params, short_help=entry["help"])
    below = {each: _command(each, found) for each, found in entry["commands"].items()}
    return _InOrder(name, commands=below, params=params, short_help=entry["help"])


class _InOrder(click.Group):
    """A group that lists its commands in the order of the table."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names of all subcommands."""
        return list(self.commands)


def _param(
    names: list[str],
    nargs: int = 1,
    choices: list[str] | None = None,
    path: list[bool] | None = None,
    **of_option: Any,
) -> click.Parameter:
    kind: click.ParamType[Any] | None = None
    if choices is not None:
        kind = click.Choice(choices)
    elif path is not None:
        kind = click.Path(file_okay=path[0], dir_okay=path[1])
    if not of_option:
        return click.Argument(names, nargs=nargs, type=kind, required=False)
    return click.Option(names, nargs=nargs, type=kind, **of_option)


# -- writing the table


def table_of(commands: dict[str, click.Command], parent: click.Context) -> dict[str, Any]:
    """Return the entries of commands, by name."""
    return {name: _entry(command, name, parent) for name, command in commands.items()}


def _entry(command: click.Command, name: str, parent: click.Context) -> dict[str, Any]:
    context = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    params = [_told(each) for each in command.params if not getattr(each, "hidden", False)]
    entry: dict[str, Any] = {"help": command.get_short_help_str(), "params": params}
    if isinstance(command, click.Group):
        below = {each: command.get_command(context, each) for each in command.list_commands(context)}
        entry["commands"] = table_of({each: found for each, found in below.items() if found}, context)
    return entry


def _told(param: click.Parameter) -> dict[str, Any]:
    kind = param.type.types[0] if isinstance(param.type, click.Tuple) else param.type
    told: dict[str, Any] = {"names": [*param.opts], "nargs": param.nargs}
    if isinstance(kind, click.Choice):
        told["choices"] = [str(each) for each in kind.choices]
    elif isinstance(kind, click.Path):
        told["path"] = [kind.file_okay, kind.dir_okay]
    if isinstance(param, click.Option):
        told |= {"is_flag": param.is_flag, "multiple": param.multiple, "help": param.help}
        if param.secondary_opts:
            told["names"] = ["/".join((param.opts[-1], param.secondary_opts[0]))]
    return told


SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_PYIBC_COMPLETE"
"""Variable by which click's script asks for completions."""


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Write the script to a file, instead of printing it.")
@reporting(OSError, wrong_use=ValueError)
def command(shell: str, install: bool) -> None:
    """Print the script by which SHELL completes the commands and options of `pyibc`.

    With --install it is written where bash (with bash-completion) and fish look for it; zsh needs the
    folder ~/.zfunc in its `fpath`. Open a new shell then.
    """
    script = _script(shell)
    if not install:
        click.echo(script, nl=False)
        return
    file = place_of(shell)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(script)
    click.echo(f"wrote {file}; open a new {shell}")
    if shell == "zsh":
        click.echo(f"~/.zshrc needs the line: fpath+={file.parent}; autoload -Uz compinit; compinit")


def _script(shell: str) -> str:
    from pyibc.cli import main

    found = get_completion_class(shell)
    if found is None:
        raise ValueError(f"there is no completion for {shell}: use {', '.join(SHELLS)}")
    return found(main, {}, "pyibc", _VARIABLE).source()


def place_of(shell: str) -> Path:
    """Return the file in which a shell looks for the completions of `pyibc`."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - a user may have no home directory
    data, config = (
        Path(os.environ.get(name) or home / default)
        for name, default in (("XDG_DATA_HOME", ".local/share"), ("XDG_CONFIG_HOME", ".config"))
    )
    places = {
        "bash": Path(os.environ.get("BASH_COMPLETION_USER_DIR") or data / "bash-completion")
        / "completions/pyibc",
        "zsh": home / ".zfunc/_pyibc",
        "fish": config / "fish/completions/pyibc.fish",
    }
    return places[shell]
