"""What must not stand in code that every validator runs: the notes' pitfalls as rules over the AST.

Each rule is shown a planted line first, so that a rule that sees nothing is noticed.
"""

import ast
import re

from ibc_core import errors
from ibc_core.packet import acknowledgement

FORBIDDEN_MODULES = {
    "time", "random", "secrets", "uuid", "datetime", "calendar", "locale", "threading", "asyncio",
    "multiprocessing", "concurrent", "socket", "platform", "decimal", "fractions", "statistics", "json",
}  # fmt: skip

FORBIDDEN_CALLS = {"id", "eval", "exec", "input", "print", "open", "breakpoint", "globals"}


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


def test_d1_nothing_is_made_of_a_set_in_its_order(keeps):
    planted = (
        "for x in {1, 2}: pass",
        "y = list(set(a))",
        "s = {1}\nz = [x for x in s]",
        "','.join({a})",
    )
    fine = ("for x in sorted({1, 2}): pass", "y = sorted(set(a))", "z = {x for x in s}", "1 in {1}")
    keeps(unsorted_sets, planted, fine)


def test_d3_nothing_asks_for_addresses_or_seeds(keeps):
    planted = ("id(x)", "open('f')", "eval('1')")
    allowed = {
        "ibc_core/host/machine.py": {"id": "looks at each error of a chain once"},
    }
    keeps(calls, planted, ("x.id(1)",), allowed)
    keeps(hashes, ("x = hash(a)",), ("def __hash__(self): return hash(self.x)",))


def test_d4_no_floats(keeps):
    planted = ("x = 1.5", "x = a / b", "x /= 2", "x = float(a)", "round(x)")
    allowed = {
        "iavl/disk/": {"true division": "paths of files"},
        "iavl/sha.py": {"float()": "picks the faster of two equal hashes"},
        "iavl/precedence.py": {"a float literal": "how long readers wait"},
    }
    keeps(floats, planted, ("x = a // b", "x = a * 3"), allowed)


def test_d11_d12_no_pattern_means_more_than_it_says(keeps):
    planted = ("re.compile('^a$')", r"re.match('\\d+', x)", r"re.compile(b'\\w')", r"re.search('\\s', x)")
    keeps(patterns, planted, (r"re.compile('[0-9]+').fullmatch", "re.escape('$')"))


def test_d29_d30_no_clocks_chances_or_threads(keeps):
    planted = (
        "import time",
        "from random import choice",
        "from os import environ",
        "import json",
        "import asyncio",
    )
    allowed = {
        "iavl/engine.py": {"os": "a switch for what changes no hash"},
        "iavl/sha.py": {"time": "picks the faster of two equal hashes"},
        "iavl/multistore.py": {"threading": "a lock between blocks and queries"},
        "iavl/view.py": {"threading": "the same lock"},
        "iavl/collector.py": {"threading": "a lock for the count of those who paused it"},
        "iavl/precedence.py": {"threading": "readers of old versions wait for blocks"},
        "iavl/disk/data_file.py": {"os": "syncs a folder"},
        "iavl/disk/environment.py": {"threading": "a lock between readers of old versions"},
        "iavl/disk/history.py": {"threading": "readers of old versions wait for each other"},
        "localnet/host/app.py": {"threading": "a lock between CheckTx and simulations"},
        "ibc_core/native.py": {"os": "a switch for what changes no verdict"},
        "ibc_core/kept.py": {"threading": "a lock for what is added to a memory"},
        "ibc_core/host/machine.py": {"threading": "what each thread remembers while it is in an application"},
        "ibc_core/wire/godouble.py": {"fractions": "of whole numbers: exact"},
        "ibc_core/wire/goduration.py": {"fractions": "the same"},
        "ibc_core/host/depth.py": {"json": "knows Python's reader where an application calls it"},
    }
    keeps(imports, planted, ("import re",), allowed)


def test_d35_no_assertions(keeps):
    keeps(assertions, ("assert x",), ("if not x: raise Y",))


def test_h1_an_error_acknowledgement_holds_a_code_and_nothing_else(sources):
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
