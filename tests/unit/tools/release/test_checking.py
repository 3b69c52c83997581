"""What must not be published is refused before it is."""

import zipfile

import pytest

from tools.release import checking
from tools.release.checking import check, metadata
from tools.release.errors import CheckFailed

WHEEL = "tiny-1.2-py3-none-any.whl"
GOOD = "[a](https://x.example/a) and [b](#b)"


@pytest.fixture
def release(tmp_path, monkeypatch):
    """The files of a release with this description, on which twine and check-wheel-contents find no fault."""

    def make(description=GOOD, licensed=("LICENSE",)):
        text = f"Metadata-Version: 2.4\nName: tiny\nVersion: 1.2\n\n{description}\n"
        with zipfile.ZipFile(tmp_path / WHEEL, "w") as archive:
            archive.writestr("tiny-1.2.dist-info/METADATA", text)
        (tmp_path / "tiny-1.2.tar.gz").write_bytes(b"sdist")
        monkeypatch.setattr(checking, "run", lambda *command, **options: "")
        monkeypatch.setattr(checking, "members", lambda path: list(licensed))
        return [tmp_path / "tiny-1.2.tar.gz", tmp_path / WHEEL]

    return make


def test_a_good_release_tells_its_version(release, tmp_path):
    assert check(tmp_path, release(), None) == "1.2"
    assert check(tmp_path, release(), "v1.2") == "1.2"


@pytest.mark.parametrize("link", ["docs/a.md", "../LICENSE", "LICENSE#top"])
def test_a_relative_link_in_the_description_is_refused(release, tmp_path, link):
    with pytest.raises(CheckFailed, match=f"relative link {link}"):
        check(tmp_path, release(f"see [it]({link})"), None)


def test_a_tag_of_another_version_is_refused(release, tmp_path):
    with pytest.raises(CheckFailed, match=r"the tag is v1\.3 and the version 1\.2"):
        check(tmp_path, release(), "v1.3")


def test_a_sdist_without_licence_is_refused(release, tmp_path):
    with pytest.raises(CheckFailed, match="has no LICENSE"):
        check(tmp_path, release(licensed=()), None)


def test_a_large_file_is_refused(release, tmp_path, monkeypatch):
    monkeypatch.setattr(checking, "LARGEST", 4)
    with pytest.raises(CheckFailed, match="5 bytes, at most 4"):
        check(tmp_path, release(), None)


def test_a_wheel_without_metadata_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / WHEEL, "w") as archive:
        archive.writestr("tiny.py", "")
    with pytest.raises(CheckFailed, match="has 0 files METADATA"):
        metadata(tmp_path / WHEEL)
