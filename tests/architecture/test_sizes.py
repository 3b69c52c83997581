"""Functions and files stay small."""

import ast

from tools.mutants.marks import without_marks

MAX_FUNCTION = 40
MAX_FILE = 400
MEDIAN = 12

LONGER = {}
"""`file:function` -> why it may be longer."""


def functions(sources):
    for name, text in sources.items():
        for node in ast.walk(ast.parse(without_marks(text))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{name}:{node.name}", node.end_lineno - node.lineno + 1


def test_no_function_is_long_without_a_reason(sources):
    long = {name for name, lines in functions(sources) if lines > MAX_FUNCTION}
    assert long == set(LONGER)


def test_the_median_function_is_short(sources):
    lengths = sorted(lines for _, lines in functions(sources))
    assert lengths[len(lengths) // 2] <= MEDIAN


def test_no_file_is_long(sources):
    lines = {name: without_marks(text).count("\n") for name, text in sources.items()}
    assert {name: count for name, count in lines.items() if count > MAX_FILE} == {}


def test_every_module_says_what_it_is(sources):
    assert [name for name, text in sources.items() if not ast.get_docstring(ast.parse(text))] == []
