"""The list of rules."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tools.lint_tree import (
    chain,
    determinism,
    errors,
    guards,
    pages,
    programs,
    prose,
    recursion,
    shape,
    values,
    worlds,
)
from tools.lint_tree.tree import Complaint, Tree


class Rule(NamedTuple):
    """A rule: its name, its description, and a function that yields violations."""

    name: str
    says: str
    check: Callable[[Tree], Iterator[Complaint]]


def _of(name: str, check: Callable[[Tree], Iterator[Complaint]]) -> Rule:
    return Rule(name, (check.__doc__ or "").partition("\n")[0], check)


RULES: Sequence[Rule] = (
    *(Rule(rule.name, rule.why, rule) for rule in (*determinism.RULES, *values.RULES)),
    _of("error-texts-in-state", chain.texts_of_errors_in_state),
    _of("store-keys", chain.store_keys),
    _of("acknowledgements", chain.acknowledgements_are_read_in_one_form),
    _of("maps-on-the-wire", chain.maps_on_the_wire),
    _of("recursion", recursion.recursion),
    _of("sizes", shape.sizes),
    _of("handler-sections", shape.handler_sections),
    _of("large-files", shape.large_files),
    _of("test-folders", shape.test_folders),
    _of("architecture", shape.architecture),
    _of("errors", errors.errors),
    _of("security-page", pages.security_page),
    _of("coverage-page", pages.coverage_page),
    _of("public-imports", programs.public_imports),
    _of("programs-in-tests", programs.programs_in_tests),
    _of("worlds-at-import", worlds.worlds_at_import),
    _of("heavy-imports", worlds.heavy_imports),
    _of("docstrings", prose.docstrings),
    _of("guards", guards.guards),
)
