"""The texts of the golden files: help of every command, and every error message of the source."""

import ast
import re
from pathlib import Path

import click

from pyibc.cli import COMMANDS, main

ROOT = Path(__file__).resolve().parents[4]
ERRORS = ("localnet/errors.py", "pyibc/relayer/errors.py", "pyibc/indexer/errors.py")
"""Classes of the errors that commands report."""
WIDTH = 100


def commands():
    """Iterate over every command with its words and context."""
    context = click.Context(main, info_name="pyibc", terminal_width=WIDTH, **main.context_settings)
    yield (), main, context
    for name in COMMANDS:
        yield from _below(name, main.get_command(context, name), context)


def _below(name, command, parent):
    context = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    yield tuple(context.command_path.split()[1:]), command, context
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            yield from _below(each, command.get_command(context, each), context)


def help_text():
    """The help of every command of this distribution."""
    texts = []
    for words, command, context in commands():
        command._help_option = None  # click's cache: other tests run commands without `pyibc` in front
        text = command.get_help(context)
        if not words:  # without the commands of other distributions
            text = "\n".join(line for line in text.splitlines() if not line.startswith("  conformance "))
        texts.append(f"$ {' '.join(['pyibc', *words])} --help\n{text}\n")
    return "\n".join(texts).replace(str(Path.home()), "~")


# -- messages of the source


def message_text():
    """Every message that a command raises or writes to stderr, and of every error it reports, by file."""
    files = [*sorted((ROOT / "pyibc/cli").rglob("*.py")), *(ROOT / each for each in ERRORS)]
    blocks = []
    for file in files:
        found = sorted({*_messages(ast.parse(file.read_text()))} - {""})
        if found:
            name = file.relative_to(ROOT)
            blocks.append("\n".join([f"# {name}", *found, ""]))
    return "\n".join(blocks)


def _messages(tree):
    constants = _assigned(tree.body)
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef):
            names = {**constants, **_assigned(ast.walk(scope))}
            if scope.name == "__str__":
                yield from (
                    _shown(each.value, names) for each in ast.walk(scope) if isinstance(each, ast.Return)
                )
            for node in ast.walk(scope):
                yield from _told(node, names)
        elif isinstance(scope, ast.ClassDef):
            yield from (_shown(each, {}) for each in _assigned(scope.body).get("text", []))


def _assigned(nodes):
    """The values that are assigned to each name."""
    found = {}
    for node in nodes:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name):
            found.setdefault(target.id, []).append(node.value)
    return found


def _told(node, names):
    """The messages of a `raise`, of `self.fail` of a type, and of what is echoed to stderr."""
    call = node.exc if isinstance(node, ast.Raise) else node
    if not isinstance(call, ast.Call):
        return
    name = getattr(call.func, "attr", "")
    to_stderr = any(each.arg == "err" and ast.unparse(each.value) != "False" for each in call.keywords)
    if isinstance(node, ast.Raise) or name == "fail" or (name == "echo" and to_stderr):
        for argument in call.args:
            for value in names.get(argument.id, []) if isinstance(argument, ast.Name) else [argument]:
                shown = _shown(value, names)
                if re.search("[a-z]{2}", re.sub(r"\{[^}]*\}", "", shown)):
                    yield shown


def _shown(value, names):
    """A text with its fields as the source has them; "" for what is no text."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value.replace("\n", "\\n")
    if isinstance(value, ast.JoinedStr):
        parts = (
            each.value if isinstance(each, ast.Constant) else _field(each, names) for each in value.values
        )
        return "".join(parts).replace("\n", "\\n")
    return ""


def _field(field, names):
    """A field of an f-string: the text of a constant, or the expression."""
    known = names.get(field.value.id, []) if isinstance(field.value, ast.Name) else []
    texts = [_shown(each, {}) for each in known]
    if len(texts) == 1 and texts[0]:
        return texts[0]
    conversion = f"!{chr(field.conversion)}" if field.conversion > 0 else ""
    return f"{{{ast.unparse(field.value)}{conversion}}}"
