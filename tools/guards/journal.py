"""Guards of the relayer's journal."""

from tools.guards.mutant import Mutant

H195 = (
    Mutant(
        "h195-what-the-machine-refuses-is-called-a-foreign-file",
        "ibc_relayer/journal.py",
        (("if isinstance(error, sqlite3.OperationalError) else", "if False else"),),
        ("tests/unit/ibc_relayer/test_link.py::test_h195_a_disk_that_is_full_is_no_foreign_journal",),
    ),
)
