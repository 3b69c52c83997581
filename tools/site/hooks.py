"""Hooks of MkDocs (tools/site/mkdocs.yml), which builds the site of the pages in docs/.

The pages also stand in the repository, where they link to source files and to the README; on the site these
links lead into the repository. A link to a file that does not exist fails the build.
"""

import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from tools.api import PUBLIC, listed, modules  # noqa: E402
from tools.site.pages import BrokenLink, lead_out, names_page  # noqa: E402

DOCS = ROOT / "docs"
ERRORS = "errors"
"""The module whose names docs/errors.md lists."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add the pages of decisions and of public names to the navigation."""
    decisions = [f"adr/{path.name}" for path in sorted((DOCS / "adr").glob("0*.md"))]
    names = [_page_of(module) for module in _public()]
    _fill(config.nav, {"Decisions": decisions, "Public names": names})
    return config


def _fill(entries: list, parts: dict[str, list[str]]) -> None:
    """Add parts to the sections of these titles, which may be below others."""
    for entry in entries:
        for title, below in entry.items() if isinstance(entry, dict) else ():
            if title in parts:
                below.extend(parts[title])
            elif isinstance(below, list):
                _fill(below, parts)  # as deep as mkdocs.yml


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each public module."""
    for module, path in _public().items():
        files.append(File.generated(config, _page_of(module), content=names_page(module, listed(path))))
    return files


def _public() -> dict[str, Path]:
    found = {f"pyibc.{name}": path for name, path in sorted(modules().items()) if name != ERRORS}
    return {"pyibc": PUBLIC / "__init__.pyi", **found}


def _page_of(module: str) -> str:
    return f"names/{module}.md"


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Lead links that leave the folder of the pages into the repository.

    Raises:
        PluginError: a link's file does not exist.
    """
    if page.file.src_uri.startswith("names/"):
        return markdown
    try:
        return lead_out(markdown, DOCS / page.file.src_uri, ROOT, config.repo_url or "")
    except BrokenLink as problem:
        raise PluginError(str(problem)) from problem
