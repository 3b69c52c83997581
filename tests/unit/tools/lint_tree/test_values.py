"""Examples that rules about chain code complain about, and others that they do not."""

import ast

from tools.lint_tree import values


def finds(rule, planted, fine):
    """Check that a rule complains about each planted line and about none of the fine ones."""
    assert [line for line in planted if not list(rule(ast.parse(line)))] == []
    assert [line for line in fine if list(rule(ast.parse(line)))] == []


def test_d3_no_text_is_a_repr():
    finds(
        values.reprs,
        ("f'{x!r}'", "repr(x)", "text = 'bad {value!r}'"),
        ("f'{x!a}'", "text = 'bad {value!a}'", "def __repr__(self): return f'{self.x!r}'"),
    )


def test_d31_the_text_of_an_error_goes_into_no_result():
    finds(
        values.texts_of_errors,
        (
            "try: f()\nexcept E as e: store.set(b'k', str(e).encode())",
            "try: f()\nexcept E as error: return Ack(f'{error}')",
        ),
        (
            "try: f()\nexcept E as e: raise X(str(e)) from e",
            "try: f()\nexcept E as e: return failure(e)",
            "try: f()\nexcept E as e: return TxDecode(e.reason)",
        ),
    )


def test_d7_nothing_negative_is_divided():
    finds(values.divisions, ("a // b", "a % 3", "divmod(a, b)", "a //= 2"), ("b'%d' % n", "7 // 2"))


def test_d8_d9_texts_become_numbers_in_few_places():
    finds(values.ints, ("int(text)", "int(x, 16)"), ("x.int(1)", "int.from_bytes(raw)"))


def test_d12_characters_are_asked_for_by_name():
    finds(values.kind_tests, ("x.isdigit()", "if a and x.isalnum(): pass"), ("x.isascii() and x.isdigit()",))


def test_d14_what_is_trimmed_is_named():
    finds(values.trims, ("x.strip()", "x.split()", "x.splitlines()"), ("x.strip(GO_SPACES)", "x.split('/')"))


def test_d15_no_text_is_normalised():
    finds(
        values.letter_cases,
        ("x.lower()", "x.casefold()", "unicodedata.normalize('NFC', x)", "import unicodedata"),
        ("x.replace('a', 'b')",),
    )


def test_d23_bytes_in_texts_are_read_strictly():
    finds(
        values.loose_decoders,
        ("b64decode(x)", "b64decode(x, validate=False)", "bytes.fromhex(x)", "unhexlify(x)"),
        ("b64decode(x, validate=True)", "bytes.fromhex('00ff')"),
    )


def test_h9_d17_d18_d21_there_is_one_reader_of_each_kind_of_json():
    finds(
        values.json_readers, ("import json", "from json import loads", "import msgspec.json"), ("import re",)
    )


def test_d30_nothing_runs_beside_a_block():
    finds(
        values.concurrency,
        ("async def f(): pass", "Thread(target=f)", "weakref.finalize(x, f)", "def __del__(self): pass"),
        ("def f(): pass",),
    )


def test_h62_caches_are_bounded_by_weight_or_say_why_their_entries_are_small():
    finds(
        values.counted_caches,
        ("lru_cache(5)(f)", "@functools.cache\ndef f(x): pass"),
        ("@memoize(5)\ndef f(x): pass",),
    )


def test_d33_nothing_is_kept_between_transactions_or_chains():
    finds(
        values.shared_state,
        (
            "def f(x=[]): pass",
            "@lru_cache(5)\ndef f(ctx, x): pass",
            "@cache\ndef f(self): pass",
            "@memoize(5)\ndef f(ctx): pass",
            "class A:\n    seen = {}",
            "class A:\n    seen: dict = {}",
        ),
        ("def f(x=()): pass", "@lru_cache(5)\ndef f(raw): pass", "class A:\n    x = 1"),
    )


def test_d32_nothing_is_sorted_by_what_a_value_looks_like():
    finds(
        values.loose_sorts,
        ("sorted(x, key=str)", "x.sort(key=lambda y: hash(y))", "max(x, key=repr)"),
        ("sorted(x)", "sorted(x, key=lambda y: (-y.power, y.address))"),
    )


def test_h41_applications_are_called_by_the_router_alone():
    finds(values.calls_of_callbacks, ("app.on_recv_packet(ctx, p)",), ("def on_recv_packet(self): pass",))
