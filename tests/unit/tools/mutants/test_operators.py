"""What each operator makes of a statement."""

import ast

import pytest

from tools.mutants.operators import DoesNotApply, changed


def applied(source, operator, index=0):
    tree = ast.parse(source)
    before = ast.unparse(tree)
    after = ast.Module(changed(tree.body, index, operator, tree), [])
    assert ast.unparse(tree) == before
    return ast.unparse(ast.fix_missing_locations(after))


@pytest.mark.parametrize(
    ("source", "operator", "expected"),
    [
        ("if a:\n    raise B", "drop", "if False:\n    raise B"),
        ("while a:\n    b()", "drop", "while False:\n    b()"),
        ("for a in b:\n    c()", "drop", "for a in ():\n    c()"),
        ("raise A", "drop", "pass"),
        ("a.b = c", "drop", "pass"),
        ("a = b", "drop", "a = None"),
        ("a = b\na = c", "drop", "pass\na = c"),
        ("return a", "drop", "return None"),
        ("return a", "pass", "pass"),
        ("if a:\n    b()", "pass", "pass"),
        ("if a:\n    b()", "always", "if True:\n    b()"),
        ("return a", "always", "return True"),
        ("if a == b:\n    c == d", "negate", "if a != b:\n    c == d"),
        ("x = a and (not b)", "negate:b", "x = a and b"),
        ("if a or b < 3:\n    c()", "always:b", "if a or True:\n    c()"),
        ("return a.port_id_on_b", "other:port_id_on_b", "return a.port_id_on_a"),
        ("a()\nb()\nc()", "swap", "b()\na()\nc()"),
        ("a()\nb()\nc()", "swap:c", "b()\nc()\na()"),
    ],
)
def test_a_statement(source, operator, expected):
    assert applied(source, operator) == expected


@pytest.mark.parametrize(
    ("source", "part", "expected"),
    [
        ("x = a and b.c", "c", "x = a"),
        ("f(a, b=c)", "b", "f(a)"),
        ("f(max(0, g), 1)", "max", "f(g, 1)"),
        ("f(a.b(), 1)", "b", "f(a, 1)"),
        ("x = [*a(c), *b(c)]", "b", "x = [*a(c)]"),
        ("x = {'a': b, 'c': d}", "d", "x = {'a': b}"),
        ("return 0 <= a < 9", "9", "return 0 <= a"),
        ("return a - b", "b", "return a"),
        ("x = a[:b]", "b", "x = a[:]"),
        ("x = a if b else c", "b", "x = c"),
        ("x = {a for a in b if c}", "c", "x = {a for a in b}"),
        ("with a(), b:\n    c()", "a", "with b:\n    c()"),
        ("with a():\n    c()", "a", "if True:\n    c()"),
        ("raise A from None", "None", "raise A"),
        ("class A(B, c=True):\n    pass", "c", "class A(B):\n    pass"),
        ("@a\n@b\ndef f():\n    pass", "a", "@b\ndef f():\n    pass"),
    ],
)
def test_the_smallest_part_is_left_out(source, part, expected):
    assert applied(source, f"drop:{part}") == expected


@pytest.mark.parametrize(
    ("source", "operator", "expected"),
    [
        ("if a < b:\n    c < d", "{< => <=}", "if a <= b:\n    c < d"),
        ("x = f(a.b, c)", "{a.b => d}", "x = f(d, c)"),
        ("x = f(b'[a-z]*+')", "{b'*+' => b'*'}", "x = f(b'[a-z]*')"),
        ("raise A", "{=> return}", "return"),
    ],
)
def test_a_replacement(source, operator, expected):
    assert applied(source, operator) == expected


def test_an_except_that_catches_nothing_and_an_elif():
    tree = ast.parse("try:\n    a()\nexcept B:\n    c()").body[0]
    assert ast.unparse(changed(tree.handlers, 0, "drop")[0]) == "except ():\n    c()"
    chain = ast.parse("if a:\n    b()\nelif c:\n    d()").body[0]
    assert ast.unparse(changed(chain.orelse, 0, "always")[0]) == "if True:\n    d()"


@pytest.mark.parametrize(
    ("source", "operator"),
    [
        ("f(a)", "drop:b"),
        ("f(a)", "negate:a"),
        ("raise A", "negate"),
        ("f(a)", "swap"),
        ("f(a)\nb()", "swap:c"),
        ("f(a, a)", "{a => b}"),
        ("f(a)", "{b => c}"),
        ("f(a)", "{a + => c}"),
        ("f(a.b)", "other:b"),
        ("with a:\n    b()", "drop"),
        ("f(a)", "nothing"),
    ],
)
def test_what_does_not_apply(source, operator):
    with pytest.raises(DoesNotApply):
        applied(source, operator)
