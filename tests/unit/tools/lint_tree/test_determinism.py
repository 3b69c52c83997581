"""Examples that rules about chain code complain about, and others that they do not."""

import ast

from tools.lint_tree import determinism


def finds(rule, planted, fine):
    """Check that a rule complains about each planted line and about none of the fine ones."""
    assert [line for line in planted if not list(rule(ast.parse(line)))] == []
    assert [line for line in fine if list(rule(ast.parse(line)))] == []


def test_d1_nothing_is_made_of_a_set_in_its_order():
    finds(
        determinism.unsorted_sets,
        ("for x in {1, 2}: pass", "y = list(set(a))", "s = {1}\nz = [x for x in s]", "','.join({a})"),
        ("for x in sorted({1, 2}): pass", "y = sorted(set(a))", "z = {x for x in s}", "1 in {1}"),
    )


def test_d3_nothing_asks_for_addresses_or_seeds():
    finds(determinism.calls, ("id(x)", "open('f')", "eval('1')"), ("x.id(1)",))
    finds(determinism.hashes, ("x = hash(a)",), ("def __hash__(self): return hash(self.x)",))


def test_d4_no_floats():
    finds(
        determinism.floats,
        ("x = 1.5", "x = a / b", "x /= 2", "x = float(a)", "round(x)"),
        ("x = a // b", "x = a * 3"),
    )


def test_d11_d12_no_pattern_means_more_than_it_says():
    finds(
        determinism.patterns,
        ("re.compile('^a$')", "re.match('\\\\d+', x)", "re.compile(b'\\\\w')", "re.search('\\\\s', x)"),
        ("re.compile('[0-9]+').fullmatch", "re.escape('$')"),
    )


def test_d29_d30_no_clocks_chances_or_threads():
    finds(
        determinism.imports,
        (
            "import time",
            "from random import choice",
            "from os import environ",
            "import json",
            "import asyncio",
        ),
        ("import re",),
    )


def test_d35_no_assertions():
    finds(determinism.assertions, ("assert x",), ("if not x: raise Y",))
