"""Completion by a table of all commands and options: no command is imported for it.

Importing a command takes ten times as long as `pyibc --help`. The table is completion.json, which
`UPDATE_GOLDEN=1 pytest tests/unit/pyibc/cli/test_completion.py` renews.
"""

import json
from pathlib import Path
from typing import Any

import click

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
