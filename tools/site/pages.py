"""Links and pages of the site, without MkDocs."""

import re
from collections.abc import Sequence
from pathlib import Path

_FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")
NOT_ON_THE_SITE = "deploy"
"""Folder of docs/ that the site leaves out."""


class BrokenLink(Exception):
    """A page links to a file that does not exist."""


def lead_out(markdown: str, page: Path, root: Path, repository: str) -> str:
    """Return a page of docs/ with its links to other parts of the repository as links to the web.

    Raises:
        BrokenLink: a link's file does not exist.
    """
    parts = _FENCE.split(markdown)
    for number in range(0, len(parts), 2):
        parts[number] = _LINK.sub(lambda found: _led(found, page, root, repository), parts[number])
    return "".join(parts)


def _led(found: re.Match[str], page: Path, root: Path, repository: str) -> str:
    target = (page.parent / found[1]).resolve()
    docs = root / "docs"
    if target.is_relative_to(docs) and not target.is_relative_to(docs / NOT_ON_THE_SITE):
        return found[0]  # MkDocs checks it
    if not target.exists() or not target.is_relative_to(root):
        raise BrokenLink(f"{page.relative_to(root)} links to {found[1]}: there is no such file")
    kind = "tree" if target.is_dir() else "blob"
    path = target.relative_to(root).as_posix()
    return f"]({repository.rstrip('/')}/{kind}/main/{path}{found[2] or ''})"


def names_page(module: str, names: Sequence[str]) -> str:
    """Return a page with the full documentation of a module's public names."""
    parts = [f"# {module}", f"What `from {module} import ...` offers; [all modules](../api.md)."]
    parts += [f"::: {module}.{name}" for name in names]
    return "\n\n".join(parts) + "\n"
