"""The table of differences: what it explains, what it does not, and that its page says the same."""

from pathlib import Path

import pytest

from conformance.transcripts import compare
from conformance.transcripts.differences import DIFFERENCES, explain
from conformance.transcripts.document import Refusal
from pyibc.core.errors import ClientNotFound, InvalidRequest, InvalidRoute, TxDecode, WrongSignature

PAGE = Path(__file__).parents[3] / "docs" / "adr" / "0010-differences-to-ibc-go.md"
TEXT = "failed to verify header: wrong signature (#0)"


def test_the_page_has_the_same_rows():
    recorded, _ = PAGE.read_text(encoding="utf-8").split("What no recording shows")
    rows = [line.split(" | ") for line in recorded.splitlines() if line.startswith("| ")][1:]
    assert [(row[0].removeprefix("| "), row[2].removesuffix(" |")) for row in rows] == [
        (each.text or "(anything)", each.reason) for each in DIFFERENCES
    ]
    for row, each in zip(rows, DIFFERENCES, strict=True):
        assert row[1] == ", ".join(
            f"`{kind.codespace}/{kind.code if 'code' in vars(kind) else '*'}`" for kind in each.ours
        )


def test_only_an_error_without_a_code_is_explained():
    ours = WrongSignature(0)
    assert explain("undefined", 1, TEXT, type(ours), "")
    assert explain("undefined", 111222, TEXT, type(ours), "") is None
    assert explain("undefined", 1, "recovered: no route for x", InvalidRoute, "") is None
    assert explain("undefined", 111222, "recovered: no route for x", InvalidRoute, "")
    assert explain("client", 1, TEXT, type(ours), "") is None
    assert explain("undefined", 1, "another text", type(ours), "") is None
    assert explain("undefined", 1, TEXT, ClientNotFound, "") is None


def test_any_code_explains_text_that_is_not_utf8_and_nothing_else():
    assert explain("host", 2, "invalid port", TxDecode, "field 1 is not UTF-8")
    assert explain("host", 2, "invalid port", TxDecode, "field 1 is cut off") is None
    assert explain("host", 2, "invalid port", ClientNotFound, "it is not UTF-8") is None


@pytest.mark.parametrize(
    ("recorded", "text", "ours", "same"),
    [
        (("ibc", 8), "", InvalidRequest("x"), True),
        (("ibc", 9), "", InvalidRequest("x"), False),
        (("undefined", 1), TEXT, WrongSignature(0), True),
        (("undefined", 1), None, WrongSignature(0), True),
        (("undefined", 1), TEXT, InvalidRequest("x"), False),
        (("undefined", 1), None, ClientNotFound("x"), False),
        (("undefined", 1), TEXT, None, False),
        (("", 9), None, InvalidRequest("x"), True),
        (("", 9), None, None, False),
    ],
)
def test_refusals_are_compared_through_it(recorded, text, ours, same):
    assert (list(compare.refusals(Refusal(*recorded, text), ours)) == []) is same


def test_what_was_accepted_is_not_to_be_refused():
    assert list(compare.refusals(None, None)) == []
    assert list(compare.refusals(None, InvalidRequest("x"))) == ["refused here: ibc/8 invalid request: x"]


def callback(error):
    return ("ibc_src_callback", (("callback_type", "timeout_packet"), ("callback_error", error)))


PANICKED = "ibc timeout_packet callback panicked with: a Go error's text: callback panic"


def test_what_a_contract_s_panic_said_is_not_compared():
    ours = callback("ibc timeout_packet callback panicked with: ValueError: callback panic")
    assert list(compare.events([callback(PANICKED)], [ours])) == []


@pytest.mark.parametrize(
    "error",
    [
        "ibc receive_packet callback panicked with: ValueError: callback panic",
        "ibc timeout_packet callback panicked with: ValueError: callback out of gas",
        "ibc timeout_packet callback out of gas: callback out of gas",
        "",
    ],
)
def test_all_else_that_is_said_of_a_callback_is(error):
    for theirs, ours in ((PANICKED, error), (error, PANICKED)):
        assert list(compare.events([callback(theirs)], [callback(ours)]))
