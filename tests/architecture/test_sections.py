"""Handlers say what each part of them does, in one order of parts: where it differs, ibc-go's does."""

import ast
import io
import tokenize

VALIDATE = ("CHANNEL", "CONNECTION", "CLIENT", "TIMEOUT", "REPLAY", "PROOF", "APP")
"""What is named, in time, not done yet, true; and whether an application takes it."""

EXECUTE = {
    ("STATE", "EVENTS", "APP"): "the application is told of what has happened",
    ("STATE", "APP", "EVENTS"): "the application answers, and the answer is announced",
    ("APP", "STATE", "EVENTS"): "the application decides whether anything happens",
}

BEFORE_REPLAY = {
    "handlers/packet/recv.py:verify": "ibc-go proves a packet before it asks whether it came before",
}


def sections(text):
    """Function -> its section comments, in order."""
    functions = [
        (node.lineno, node.end_lineno, node.name)
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef)
    ]
    found = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        word = token.string.removeprefix("# ").partition(":")[0].strip()
        if token.type == tokenize.COMMENT and word.isupper() and word.isalpha() and len(word) > 2:
            line = token.start[0]
            (name,) = (name for first, last, name in functions if first <= line <= last)
            found.setdefault(name, []).append(word)
    return found


def in_order(words, order):
    """Whether `words` is a part of `order` with nothing twice."""
    places = [order.index(word) for word in words if word in order]
    return len(places) == len(words) and places == sorted(set(places))


def kept(where, words):
    """Whether a function's sections come as CONTRIBUTING says."""
    if where in BEFORE_REPLAY:
        return words == ["CHANNEL", "TIMEOUT", "PROOF", "REPLAY"]
    whole = [VALIDATE, *((*VALIDATE[:-1], *order) for order in EXECUTE)]  # a direct call does both
    return any(in_order(words, order) for order in whole)


def handlers(sources):
    return {name: text for name, text in sources.items() if name.startswith("handlers/")}


def test_every_handler_keeps_the_order(sources):
    found = {
        f"{name}:{function}": words
        for name, text in handlers(sources).items()
        for function, words in sections(text).items()
    }
    assert len(found) > 50
    assert {where: words for where, words in found.items() if not kept(where, words)} == {}
    assert set(BEFORE_REPLAY) - set(found) == set()


def test_what_is_out_of_order_is_seen():
    assert sections("def execute():\n    # EVENTS: first\n    # STATE\n    pass\n") == {
        "execute": ["EVENTS", "STATE"]
    }
    assert not kept("handlers/x.py:execute", ["EVENTS", "STATE"])
    assert not kept("handlers/x.py:validate", ["PROOF", "TIMEOUT"])
    assert not kept("handlers/x.py:validate", ["CHANNEL", "CHANNEL"])
    assert not kept("handlers/x.py:validate", ["STATE", "PROOF"])


def test_every_message_that_proves_says_where(sources):
    unmarked = []
    for name, text in handlers(sources).items():
        marked = {word for words in sections(text).values() for word in words}
        functions = {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        if {"validate", "execute"} <= functions and "verify_" in text and "PROOF" not in marked:
            unmarked.append(name)
    assert unmarked == []
