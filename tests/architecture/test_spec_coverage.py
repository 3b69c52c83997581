"""docs/spec-coverage.md: each sentence of the source documents has code and a test, and they are there."""

import ast
import re
from functools import cache

import pytest

from tools import collected as collecting
from tools.mutants.emptied import NoSuchCode, emptied
from tools.mutants.page import ADR, CELL, PLACE, ROW, TEST, unprovable

SECTIONS = {
    "000": [
        "3.1 Background",
        "3.2.1 Packet",
        "3.2.2 Receipt",
        "3.2.3 Queue",
        "3.2.4 Channel",
        "3.3 Requirements",
        "3.4 Sending a packet",
        "3.5 Receiving a packet",
        "3.6 Handling a receipt",
        "3.7 Packet relayer",
    ],
    "001": [
        "3 Packets",
        "3.1 Definitions",
        "3.2 Requirements",
        "3.3 Sending a packet",
        "3.4 Receiving a packet",
        "3.5 Packet relayer",
    ],
    "002": [
        "Motivation",
        "Desired Properties",
        "Definitions",
        "Sending Packets",
        "Receiving Packets",
        "Handling receipts",
        "Timeouts",
        "Forwards Compatibility",
    ],
    "003": [
        "Synopsis",
        "Motivation",
        "Definitions",
        "Efficiency",
        "Exactly-once delivery",
        "Ordering",
        "Permissioning",
        "Store paths",
        "Versioning",
        "Sub-protocols",
        "Identifier validation",
        "Channel lifecycle management",
        "Opening handshake",
        "Closing handshake",
        "A day in the life of a packet",
        "Sending packets",
        "Receiving packets",
        "Acknowledgements",
        "Timeouts",
        "Sending end",
        "Timing-out on close",
        "Cleaning up state",
        "Simultaneous handshake attempts",
        "Identifier allocation",
        "Timeouts / packet confirmation",
        "Man-in-the-middle attacks during handshakes",
        "Connection / channel closure with in-flight packets",
        "Querying channels",
        "Properties & Invariants",
        "Forwards Compatibility",
    ],
    "004": [
        "3 Messaging Queue",
        "3.1 Merkle Proofs for Queues",
        "3.2 Naming Queues",
        "3.3 Message Contents",
        "3.4 Sending a Message",
        "3.5 Receipts",
        "3.6 Relay Process",
    ],
}
"""Document -> its sections that ask something, in its order."""


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs/spec-coverage.md").read_text(encoding="utf-8")


def parted(text):
    """Document -> section -> its rows: id and cells."""
    found = {}
    for part in re.split(r"^## (?=00\d )", text, flags=re.MULTILINE)[1:]:
        sections = re.split(r"^### (.+)$", part, flags=re.MULTILINE)[1:]
        found[part[:3]] = {
            name: [(number, CELL.split(cells)) for number, cells in ROW.findall(body)]
            for name, body in zip(sections[::2], sections[1::2], strict=True)
        }
    return found


def rows(text):
    return [row for sections in parted(text).values() for found in sections.values() for row in found]


@cache
def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def names(body, prefix=""):
    """What a module defines: functions, classes, `Class.method`, assigned names."""
    found = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(prefix + node.name)
        if isinstance(node, ast.ClassDef):
            found |= names(node.body, f"{node.name}.")
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {prefix + target.id for target in targets if isinstance(target, ast.Name)}
    return found


@cache
def collected(root, files):
    """(file, test, id) of every case in the files, as pytest names it."""
    nodes = "\n".join(collecting.collected(root, files))
    return re.findall(r"^([\w/]+\.py)::(\w+)\[(.+)\]$", nodes, re.MULTILINE)


def faults(root, text):
    """Everything that is not as the page says."""
    found = [f"{number}: {fault}" for number, cells in rows(text) for fault in faults_of(root, cells, text)]
    numbers = [number for number, _ in rows(text)]
    found += [f"{number}: twice" for number in sorted(set(numbers)) if numbers.count(number) > 1]
    return found + unknown_cases(root, text)


def faults_of(root, cells, text):
    if len(cells) == 2:
        known = {number for number, other in rows(text) if len(other) == 3}
        return [f"as {number}" for number in cells[1].split(", ") if number not in known]
    if len(cells) != 3:
        return [f"{len(cells) + 1} columns"]
    _, code, shown = cells
    places, tests, adrs = PLACE.findall(code), TEST.findall(shown), ADR.findall(shown)
    parts = [part for cell in (code, shown) for part in cell.split("<br>") if part.strip()]
    unread = [p for p in parts if not any(r.fullmatch(p.strip()) for r in (PLACE, TEST, ADR))]
    wrong = [f"unreadable: {part}" for part in unread]
    if not adrs and not (places and tests):
        wrong.append("open")
    wrong += [f"no {path}" for path in adrs if not (root / "docs" / path).is_file()]
    wrong += [f"no {path}:{name}" for path, name, _ in places if not is_there(root / path, name)]
    wrong += [
        f"no {path}:{name}@{what}"
        for path, name, what in places
        if what and not has_part(root / path, name, what)
    ]
    return wrong + [f"no {path}::{name}" for path, name, _ in tests if not is_test(root / path, name)]


def is_there(path, name):
    return path.is_file() and name in names(tree(path).body)


def has_part(path, name, what):
    try:
        return is_there(path, name) and bool(emptied(path.read_text(encoding="utf-8"), name, what))
    except NoSuchCode:
        return False


def is_test(path, name):
    return name.startswith("test_") and is_there(path, name)


def unknown_cases(root, text):
    """Named cases that pytest does not run; of a fixture's case and a test's own, either may be named."""
    named = {(path, name, case) for path, name, case in TEST.findall(text) if case}
    files = tuple(sorted({path for path, *_ in named if (root / path).is_file()}))
    there = set()
    for path, name, number in collected(root, files) if files else ():
        there |= {(path, name, number), *((path, name, part) for part in number.split("-"))}
    return [f"no case {path}::{name}[{case}]" for path, name, case in sorted(named - there)]


def test_no_row_is_open_and_every_place_and_test_is_there(root, page):
    assert faults(root, page) == []


def test_rows_that_no_mutant_proves_are_rows_and_say_why(page):
    known = {number for number, cells in rows(page) if len(cells) == 3}
    aside = unprovable(page)
    assert aside.keys() <= known
    assert all(len(why) > 20 for why in aside.values())


def test_every_section_of_the_documents_has_rows_in_their_order(page):
    found = parted(page)
    assert {document: list(sections) for document, sections in found.items()} == SECTIONS
    empty = [(document, name) for document, each in found.items() for name, rows in each.items() if not rows]
    assert empty == []


def test_no_table_row_is_passed_over(page):
    body = page[page.index("## 000 ") : page.index("## What no mutant proves")]
    lines = [
        line for line in body.splitlines() if line.startswith("|") and not line.startswith(("| id |", "|---"))
    ]
    assert len(lines) == len(rows(page))


def test_rows_are_numbered_in_order(page):
    for document, sections in parted(page).items():
        for found in sections.values():
            prefixes = {number.rpartition("-")[0] for number, _ in found}
            assert len(prefixes) == 1
            assert prefixes.pop().startswith(f"{document}-")
            assert [int(number.rpartition("-")[2]) for number, _ in found] == [*range(1, len(found) + 1)]


SHOWN = "`tests/unit/keepers/queue/test_keeper.py::test_an_index_beyond_64_bits_is_refused`"
GOOD = f"| 000-3.1-1 | a sentence | `keepers/queue/keeper.py:QueueKeeper.push` | {SHOWN} |"
CHECKS = "`tests/road/direct/test_checks.py::test_abort_transaction_unless"
SPOILT = {
    "a file that is not there": ("keepers/queue/keeper.py", "keepers/queues.py"),
    "a class that is not there": ("QueueKeeper.push", "QueueKeepers.push"),
    "a method that is not there": ("QueueKeeper.push", "QueueKeeper.shove"),
    "a test that is not there": ("64_bits", "63_bits"),
    "a test of another file": ("unit/keepers/queue/test_keeper", "unit/keepers/test_port"),
    "a helper that is no test": ("test_an_index_beyond_64_bits_is_refused", "keeper"),
    "a part that is not there": ("QueueKeeper.push`", "QueueKeeper.push@NoSuchError`"),
    "no code": ("`keepers/queue/keeper.py:QueueKeeper.push`", ""),
    "no test": (SHOWN, ""),
    "an ADR that is not there": (" |\n", " | [ADR 0099](adr/0099-nothing.md) |\n"),
    "words where a name should be": ("`keepers/queue/keeper.py:QueueKeeper.push`", "somewhere"),
    "a case that is not there": (SHOWN, f"{CHECKS}[chanOpenInit: two hop]`"),
    "a number that is given twice": (GOOD, f"{GOOD}\n{GOOD}"),
    "a row that it is as and that there is not": (GOOD, f"{GOOD}\n| 000-3.1-2 | again | 000-3.1-7 |"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_wrong_page_would_be_noticed(root, name):
    heads = "## 000 Title\n\n### 3.1 Background\n\n"
    assert faults(root, f"{heads}{GOOD}\n") == []
    case = f"{CHECKS}[chanOpenInit: two hops]`"
    fine = GOOD.replace(SHOWN, case)
    assert faults(root, f"{heads}{fine}\n") == []
    assert len(faults(root, f"{heads}{GOOD}\n".replace(*SPOILT[name]))) >= 1
