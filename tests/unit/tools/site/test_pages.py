"""Links of a page lead into the repository on the site, where they leave the folder of the pages."""

import pytest

from tools.site.pages import BrokenLink, lead_out, names_page

URL = "https://code.example/x/"


@pytest.fixture
def root(tmp_path):
    for name in ("docs/page.md", "docs/adr/0001.md", "docs/deploy/unit", "handlers/send.py", "SECURITY.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("../handlers/send.py", "https://code.example/x/blob/main/handlers/send.py"),
        ("../handlers/send.py#L3", "https://code.example/x/blob/main/handlers/send.py#L3"),
        ("../handlers", "https://code.example/x/tree/main/handlers"),
        ("deploy/unit", "https://code.example/x/blob/main/docs/deploy/unit"),
        ("adr/0001.md#why", "adr/0001.md#why"),
        ("#below", "#below"),
        ("https://other.example/a", "https://other.example/a"),
    ],
)
def test_a_link_leads_where_its_file_is_shown(root, link, shown):
    assert lead_out(f"see [it]({link}).", root / "docs" / "page.md", root, URL) == f"see [it]({shown})."


@pytest.mark.parametrize("link", ["../handlers/recv.py", "../../outside", "deploy/none"])
def test_a_link_to_no_file_of_the_repository_is_refused(root, link):
    with pytest.raises(BrokenLink, match=r"docs/page\.md links to "):
        lead_out(f"see [it]({link})", root / "docs" / "page.md", root, URL)


def test_code_is_left_alone(root):
    code = "```python\nnames[0](../x)\n```\n"
    assert lead_out(code, root / "docs" / "page.md", root, URL) == code


def test_a_page_of_names_has_each_of_them():
    page = names_page("pyibc.apps", ["RateLimit", "read_json"])
    assert "::: pyibc.apps.RateLimit\n\n::: pyibc.apps.read_json\n" in page
