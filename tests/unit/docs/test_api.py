"""The list of public names is read out of the sources, and wants a docstring of each."""

import pytest

from tools import api


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of one public package over one inner module."""
    (tmp_path / "pyibc").mkdir()
    (tmp_path / "pyibc" / "_own.py").write_text("")
    (tmp_path / "inner.py").write_text(
        'LIMIT: int = 3\n"""How many."""\nBARE = 4\n\n'
        'def call(a, *, b=1):\n    """Calls | twice.\n\n    Much more.\n    """\n'
    )
    monkeypatch.setattr(api, "ROOT", tmp_path)
    monkeypatch.setattr(api, "PUBLIC", tmp_path / "pyibc")

    def write(*lines, name="__init__"):
        listed = "__init__.pyi" if name == "__init__" else f"{name}.py"
        (tmp_path / "pyibc" / listed).write_text("\n".join([f'"""The {name}."""', *lines, ""]))
        (tmp_path / "pyibc" / "__init__.py").write_text('"""The __init__."""\n')

    write()
    return write


def test_names_are_followed_to_where_they_are_defined(project):
    own = ("from inner import call as call", "from inner import LIMIT as LIMIT")
    project(*own, "from pyibc import relayer as relayer")
    project("from inner import BARE", "from inner import call as call", name="relayer")
    page = api.api_page()
    assert page.startswith("# Public names")
    table = "\n\n| name | |\n|---|---|\n"
    call = "| `call(a, *, b)` | Calls \\| twice. |"
    assert f"## `pyibc`\n\nThe __init__.{table}| `LIMIT` | How many. |\n{call}\n" in page
    assert page.endswith(f"## `pyibc.relayer`\n\nThe relayer.{table}{call}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("BARE", r"pyibc/__init__.pyi: BARE has no docstring"),
        ("absent", "inner.py: absent is defined nowhere"),
    ],
)
def test_a_name_needs_a_definition_and_a_docstring(project, name, words):
    project(f"from inner import {name} as {name}")
    with pytest.raises(api.Undocumented, match=f"^{words}$"):
        api.api_page()
