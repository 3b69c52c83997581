"""`pyibc completion`: scripts by which a shell completes commands and options."""

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from pyibc.cli.reporting import reporting

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
