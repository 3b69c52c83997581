"""What must not stand in code that every validator runs: the notes' pitfalls as rules over the AST.

Each rule is shown a planted line first, so that a rule that sees nothing is noticed.
"""

import ast
import re

import pytest

from ibc_module import errors
from ibc_module.core import acknowledgement

CHAIN = (
    "handlers/",
    "keepers/",
    "light_client/",
    "iavl/",
    "ibc_module/core/",
    "ibc_module/errors/",
    "ibc_module/proofs/",
    "ibc_module/wire/",
    "ibc_module/apps/",
    "ibc_module/queries/",
    "ibc_module/wiring.py",
    "ibc_module/genesis.py",
    "ibc_module/pipeline.py",
    "localnet/host/",
)
"""Where the state is computed."""

FORBIDDEN_MODULES = {
    "time", "random", "secrets", "uuid", "datetime", "calendar", "locale", "threading", "asyncio",
    "multiprocessing", "concurrent", "socket", "platform", "decimal", "fractions", "statistics", "json",
}  # fmt: skip

FORBIDDEN_CALLS = {"float", "round", "id", "eval", "exec", "input", "print", "open", "breakpoint", "globals"}

IMPURE = {
    "iavl/disk/": {"true division": "paths of files", "id": "finds a node in memory again", "open": "files"},
    "iavl/sha.py": {
        "float()": "picks the faster of two equal hashes",
        "float": "the same",
        "time": "the same",
    },
    "iavl/multistore.py": {"threading": "a lock between blocks and queries"},
    "iavl/view.py": {"threading": "the same lock"},
    "ibc_module/core/value.py": {"os": "a switch for debugging"},
}
"""Files or folders -> what they may use, and why that does not reach the state."""

BUILDERS = {"list", "tuple", "enumerate", "iter", "next"}


def parents(tree):
    found = {}
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            found[child] = node
    return found


def called(node):
    """Name of the function that a plain call calls."""
    plain = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return node.func.id if plain else ""


def floats(tree):
    """D4: literals, division, and what makes floats."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, (float, complex)):
            yield node, "a float literal"
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            yield node, "true division"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"float", "round"}
        ):
            yield node, f"{node.func.id}()"


def is_set(node, names):
    if isinstance(node, (ast.Set, ast.SetComp)):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in {"set", "frozenset"}
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)):
        return is_set(node.left, names) or is_set(node.right, names)
    return isinstance(node, ast.Name) and node.id in names


def sets_in_order(tree):
    """D1: iterating a set, or making something ordered of one; sorted() and membership are fine."""
    names = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_set(node.value, ())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        iterated = []
        if isinstance(node, (ast.For, ast.comprehension)):
            iterated = [node.iter]
        elif isinstance(node, ast.Call):
            ordered = isinstance(node.func, ast.Name) and node.func.id in {
                "list",
                "tuple",
                "enumerate",
                "iter",
                "next",
            }
            joined = isinstance(node.func, ast.Attribute) and node.func.attr in {"join", "extend"}
            iterated = node.args if ordered or joined else []
        for each in iterated:
            if is_set(each, names):
                yield each, "a set in order"


def unsorted_sets(tree):
    """What `sorted`, `sum`, `any`, `all`, `max`, `min`, or another set make of a set has no order."""
    up = parents(tree)
    orderless = {"sorted", "set", "frozenset", "sum", "any", "all", "max", "min", "len"}

    def harmless(node):
        holder = up.get(node)
        if isinstance(holder, ast.SetComp):
            return True
        if isinstance(node, ast.comprehension):
            return harmless(holder)
        if isinstance(holder, (ast.GeneratorExp, ast.ListComp)):
            return harmless(holder)
        if isinstance(holder, ast.Call) and isinstance(holder.func, ast.Name):
            return holder.func.id in orderless
        return isinstance(holder, ast.comprehension) and harmless(holder)

    return [(node, what) for node, what in sets_in_order(tree) if not harmless(node)]


def imports(tree):
    """D29, D30: clocks, randomness, threads, locales."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        for name in names:
            if name.split(".")[0] in FORBIDDEN_MODULES | {"os"}:
                yield node, name.split(".")[0]


def calls(tree):
    """D3 and worse."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FORBIDDEN_CALLS:
            yield node, node.func.id


def hashes(tree):
    """D3: hash() outside __hash__."""
    up = parents(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hash":
            around = node
            while around in up and not isinstance(around, ast.FunctionDef):
                around = up[around]
            if getattr(around, "name", "") != "__hash__":
                yield node, "hash()"


def assertions(tree):
    """D35: assert vanishes under -O."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield node, "assert"


def patterns(tree):
    r"""D11, D12, D37: `$`, `\d`, `\w`, `\s` in a regular expression."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        first = node.args[0]
        if of_re and node.func.attr != "escape" and isinstance(first, ast.Constant):
            text = first.value if isinstance(first.value, str) else first.value.decode("latin-1")
            if re.search(r"(?<!\\)\$|\\[dws]", text):
                yield node, f"pattern {text!r}"


RULES = {
    floats: ["x = 1.5", "x = a / b", "x /= 2", "x = float(a)"],
    unsorted_sets: [
        "for x in {1, 2}: pass",
        "y = list(set(a))",
        "s = {1}\nz = [x for x in s]",
        "','.join({a})",
    ],
    imports: ["import time", "from random import choice", "from os import environ", "import json"],
    calls: ["id(x)", "open('f')", "eval('1')"],
    hashes: ["x = hash(a)"],
    assertions: ["assert x"],
    patterns: ["re.compile('^a$')", r"re.match('\\d+', x)", r"re.compile(b'\\w')"],
}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_a_rule_sees_what_it_is_for(rule):
    assert [line for line in RULES[rule] if not list(rule(ast.parse(line)))] == []


@pytest.mark.parametrize(
    "line",
    ["for x in sorted({1, 2}): pass", "y = sorted(set(a))", "z = {x for x in s}", "x = a // b", "1 in {1}"],
)
def test_what_is_allowed_is_seen_as_such(line):
    assert [rule.__name__ for rule in RULES if list(rule(ast.parse(line)))] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_chain_code_keeps_the_rule(rule, sources):
    chain = {name: text for name, text in sources.items() if name.startswith(CHAIN)}
    assert len(chain) > 100
    found = [
        f"{name}:{node.lineno if hasattr(node, 'lineno') else '?'}: {what}"
        for name, text in chain.items()
        for node, what in rule(ast.parse(text))
        if not any(name.startswith(place) and what in allowed for place, allowed in IMPURE.items())
    ]
    assert found == []


def test_an_error_acknowledgement_holds_a_code_and_nothing_else(sources):
    """H1: what is hashed holds no text of an error, which differs between versions of anything."""

    class Loud(errors.IbcError):
        text = "secret"
        code = 42

    assert acknowledgement.failure(Loud()) == (
        b'{"error":"ABCI code: 42: error handling packet: see events for details"}'
    )
    texts = [
        name
        for name, text in sources.items()
        if name.startswith(("handlers/", "keepers/", "light_client/"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"str", "repr"}
        and any(
            isinstance(argument, ast.Name) and argument.id in {"error", "exc", "e"} for argument in node.args
        )
    ]
    # errors made of an error's text: what is raised is seen by people, never hashed
    proofs = "handlers/queue/proof.py"
    raising = ["handlers/packet_v2/send.py", proofs, "light_client/solomachine/client.py"]
    assert sorted(texts) == [*raising, "light_client/tendermint/updates.py"]


def test_store_keys_are_spelled_in_one_file(sources):
    """Beside it stand only the module's own other stores."""
    words = (
        "channelEnds/",
        "nextSequence",
        "commitments/ports",
        "receipts/ports",
        "acks/ports",
        'clientState"',
    )
    spelled = [
        f"{name}: {word}"
        for name, text in sources.items()
        if name.startswith(
            ("handlers/", "keepers/", "light_client/", "ibc_module/apps/", "ibc_module/queries/")
        )
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
        for word in words
        if not is_docstring(node, text)
        and word in (node.value if isinstance(node.value, str) else node.value.decode("latin-1"))
    ]
    assert spelled == []


def is_docstring(node, text):
    return isinstance(node.value, str) and (text.count(f'"""{node.value}"""') > 0 or "\n" in node.value)
