"""No text stands three times: what is said once is changed once."""

import ast
import io
import re
import tokenize
from collections import defaultdict

FEW = 6
"""Words below which a text is a phrase."""
SECTIONS = re.compile(r"\n\s*(?:Args|Raises|Returns|Yields|Runs on|Proves|Writes|Emits):")
"""Where a docstring's contract begins: one error means the same everywhere."""

PROTOCOL = {
    "what the proof leaves to write": "the field of every message that brings a proof",
    "REPLAY: a packet without a commitment was acknowledged or timed out": "a section of ICS-4",
    "STATE: before the application is called, so that it cannot be refunded twice (H5)": "the same",
    "Chain A goes OPEN, proving B's TRYOPEN.": "a handshake's step, with names given or chosen",
    "Chain B goes OPEN, proving A's OPEN.": "the same",
}
"""Words of the protocol: text -> why it stands where it does."""


def comments(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield re.sub(r"^[#: ]*(noqa(: [A-Z0-9, ]+)?)?[- ]*", "", token.string)


def documented(tree):
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return [node for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node)]


def sentences(tree):
    """Of docstrings, up to their sections."""
    for node in documented(tree):
        for paragraph in SECTIONS.split(ast.get_docstring(node))[0].split("\n\n"):
            yield from re.split(r"(?<=[.;:])\s+", paragraph)


def strings(tree):
    """Every other string: errors, help, logs."""
    docs = {id(node.body[0].value) for node in documented(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def repeated(sources):
    """Text -> where it stands, of those that stand three times."""
    found = defaultdict(list)
    for name, text in sources.items():
        tree = ast.parse(text)
        for each in (*comments(text), *sentences(tree), *strings(tree)):
            words = " ".join(each.split())
            if len(re.findall(r"[\w']+", words)) >= FEW:
                found[words].append(name)
    return {words: names for words, names in found.items() if len(names) > 2}


def test_no_text_stands_three_times(sources):
    found = repeated(sources)
    assert {words: names for words, names in found.items() if words not in PROTOCOL} == {}
    assert set(PROTOCOL) <= set(found)


def test_it_finds_each_kind():
    said = "one two three four five six"
    planted = {
        "a.py": f"x = 1  # {said}",
        "b.py": f'def f():\n    """Short. {said}\n\n    Raises:\n        E: {said} seven\n    """',
        "c.py": f"raise ValueError('{said}')",
        "d.py": f"y = 2  # noqa: E501 - {said}\n# one two three four five",
    }
    assert repeated(planted) == {said: ["a.py", "b.py", "c.py", "d.py"]}
    assert repeated({name: planted[name] for name in ("a.py", "b.py")}) == {}
    thrice = {f"{n}.py": planted["b.py"].replace(said, f"{said} {n}") for n in range(3)}
    assert repeated(thrice) == {}
