"""Unit tests mirror the sources, and no test folder hides a package."""


def test_every_folder_of_unit_tests_is_one_of_the_sources(root):
    for folder in sorted((root / "tests/unit").rglob("*")):
        if folder.is_dir() and folder.name != "__pycache__":
            part = folder.relative_to(root / "tests/unit").as_posix()
            assert (root / part).is_dir(), part


def test_no_test_folder_is_a_package(root):
    assert list((root / "tests").rglob("__init__.py")) == []
