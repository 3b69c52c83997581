"""Guards of results in a bucket: whose turn it is, what a fault is, what is told of a store."""

from tools.guards.mutant import Mutant

TESTS = "tests/unit/ibc_indexer/storage/"

H215 = (
    Mutant(
        "h215-a-fault-drags-the-client-s-along",
        "ibc_indexer/storage/client.py",
        (
            (
                """may not do this") from None\n    except faults.B""",
                """may not do this")\n    except faults.B""",
            ),
        ),
        (f"{TESTS}test_client.py::test_h215_refused_credentials_are_named_and_never_shown",),
    ),
)

H216 = (
    Mutant(
        "h216-a-lease-that-is-not-sure-is-believed",
        "ibc_indexer/storage/lease.py",
        (
            (
                "        if time.monotonic() - self._alive > LOST_S:\n            raise",
                "        if False:\n            raise",
            ),
        ),
        (f"{TESTS}test_lease.py::test_h216_an_owner_that_slept_too_long_changes_nothing",),
    ),
    Mutant(
        "h216-a-commit-goes-over-another",
        "ibc_indexer/storage/client.py",
        (("if found.st_size == len(data) and self", "if found.st_size or self"),),
        (f"{TESTS}test_lease.py::test_h216_what_commits_a_run_is_replaced_only_as_it_was_found",),
    ),
)

H217 = (
    Mutant(
        "h217-a-fault-is-an-input-that-cannot-be-read",
        "ibc_indexer/inputs.py",
        (("        except StorageFault:\n            raise\n", ""),),
        (f"{TESTS}test_index.py::test_h217_a_fault_while_an_input_is_looked_at_ends_the_run",),
    ),
)

H219 = (
    Mutant(
        "h219-any-jar-will-do",
        "ibc_indexer/storage/jars.py",
        ((".hexdigest() == jar.sha256", ".hexdigest() != ''"),),
        (f"{TESTS}test_jars.py::test_h219_a_jar_that_is_another_one_is_thrown_away",),
    ),
)
