"""The commands that pages show are commands, with options that exist."""

import re
import shlex
from pathlib import Path

import click

from pyibc.cli import main

ROOT = Path(__file__).parents[3]
TEMPLATE = ROOT / "pyibc" / "cli" / "init" / "project" / "README.md.tmpl"
PAGES = [ROOT / "README.md", TEMPLATE, *(ROOT / "docs").rglob("*.md"), *(ROOT / "pyibc").rglob("README.md")]
OF_THE_SHELL = {"|", "<", ">", "&", "&&", ";"}
NO_FILE = " does not exist"
"""What click says about an argument that names a file, which readers have and this test has not."""


def shown(page):
    text = page.read_text(encoding="utf-8").replace("{{name}}", "mychain")
    for found in re.finditer(r"^    (?:\$ )?pyibc (.+)$", text, re.MULTILINE):
        words = shlex.split(found[1], comments=True)
        end = next((at for at, word in enumerate(words) if word in OF_THE_SHELL), len(words))
        if "..." not in words[:end]:
            yield found[1], words[:end]


def parse(words):
    """Parse the words of a command as the program does, and execute nothing."""
    command, name, parent = main, "pyibc", None
    while True:
        context = command.make_context(name, list(words), parent=parent)
        rest = [*context._protected_args, *context.args]
        if not isinstance(command, click.Group) or not rest:
            return
        name, command, words = command.resolve_command(context, rest)
        parent = context


def test_every_command_on_a_page_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wrong, count = [], 0
    for page in PAGES:
        for text, words in shown(page):
            count += 1
            try:
                parse(words)
            except click.exceptions.Exit:
                pass  # --help
            except click.ClickException as error:
                if NO_FILE not in error.message:
                    wrong.append((page.name, text, error.message))
    assert wrong == []
    assert count > 100
