import pytest

from conformance.case import run_files
from conformance.vectors import ibc_rs
from conformance.vectors.rust_cases import arguments, some


@pytest.mark.parametrize(
    ("source", "values", "rest"),
    [
        ('"a", 1, true', ["a", 1, True], ""),
        (' "a\\"b\\\\c" ', ['a"b\\c'], ""),
        ('r#"{"id":1}"#, false', ['{"id":1}', False], ""),
        ('"x", U256::MAX, "y"', ["x"], 'U256::MAX, "y"'),
        ('"\\u{e9}\\x41\\n\\t\\0", 18446744073709551615', ["éA\n\t\0", 2**64 - 1], ""),
        ('"a", 1_000u64', ["a", 1000], ""),
        ('&"A".repeat(3)', ["AAA"], ""),
        ('&("A".repeat(2) + "-3"), &("A".repeat(2)), 3', ["AA-3", "AA", 3], ""),
        ("NEXT_CLIENT_SEQUENCE, x", [], "NEXT_CLIENT_SEQUENCE, x"),
        ("", [], ""),
    ],
)
def test_rust_literals(source, values, rest):
    assert arguments(source) == (values, rest)


def test_rust_options():
    assert some('TracePath::empty(), Some("a/b")') == "a/b"
    assert some("TracePath::empty(), None") is None


CASES = {
    "test_parse_raw_coin": ('"1a1", 1, "a1"', '"1a1", 2, "a1"'),
    "test_failed_parse_raw_coin": ('"+1stake"', '"1stake"'),
    "test_parse_raw_coin_list": ('"1aaa,2bbb", &[(1, "aaa"), (2, "bbb")]', '"1aaa", &[(2, "aaa")]'),
    "test_failed_parse_raw_coin_list": ('"1aaa;2bbb"', '"1aaa,2bbb"'),
    "test_valid_chain_id_with_rev": ('"a-7", "a", 7', '"a-07", "a", 7'),
    "test_valid_chain_id_without_rev": ('"chain"', '"chain-1"'),
    "client_type_from_str": ('"07-tendermint"', '"-tendermint"'),
    "client_type_from_str_fails": ('"<7Char"', '"07-tendermint"'),
    "client_type_build_client_id": ('"07-tendermint", 3', '"-", 3'),
    "test_is_wasm_client_id": ('"08-wasm-0", true', '"08-wasm", true'),
    "tm_client_state_conversions_healthy": ("0, 1, true", "0, 0, true"),
    "test_named_index_validation": ('"channel", "7", true', '"channel", "7", false'),
    "test_prefix_length_validation": ('"chainA", 1, 32, true', '"a", 4, 22, true'),
    "test_accepted_denom": ('"a/b"', '"  "'),
    "test_rejected_denom": ('""', '"a"'),
    "test_strange_but_accepted_prefixed_denom": (
        '"transfer/channel-0", "a/b/c"',
        '"transfer/channel-0/x", "a"',
    ),
    "test_prefixed_empty_base_denom": ('"transfer/channel-0/"', '"a/b/c"'),
    "test_invalid_raw_demon_trace_parsing": ('"transfer/uatom"', '"transfer/channel-0"'),
    "test_trace_path_cases": (
        '"transfer/channel-0/a", TracePath::x(), Some("a")',
        '"a/b/c", TracePath::x(), Some("c")',
    ),
    "test_successful_parsing": (
        '"connections/connection-0", Path::x()',
        '"connection/connection-0", Path::x()',
    ),
}


@pytest.mark.parametrize("function", CASES)
def test_each_function_can_fail(family, verdicts, function):
    folder = family("ibc-rs", cases={"a/b.rs": {function: list(CASES[function])}})
    assert verdicts(run_files(folder, ibc_rs.cases_of)) == [True, False]


@pytest.mark.parametrize(
    ("function", "case"),
    [
        ("test_named_index_validation", '"channel", "001", false'),
        ("test_valid_chain_id_with_rev", '"a--1", "a-", 1'),
        ("test_prefixed_empty_base_denom", '"transfer/channel-1"'),
        ("test_strange_but_accepted_prefixed_denom", '"", "transfer/08-wasm-3/a"'),
        ("test_trace_path_cases", '"a/channel-1/b", TracePath::empty(), Some("a/channel-1/b")'),
        ("test_invalid_chain_id_from_str", '"-"'),
        ("test_successful_parsing", '"ports/transfer", Path::Ports(x)'),
        ("test_successful_parsing", "NEXT_CLIENT_SEQUENCE, Path::x()"),
        ("test_successful_parsing", '"upgradedIBCState/7/upgradedClient", Path::x()'),
        ("client_type_from_str_fails", '"abcdef"'),
    ],
)
def test_where_ibc_go_wins(family, verdicts, function, case):
    assert verdicts(run_files(family("ibc-rs", cases={"b.rs": {function: [case]}}), ibc_rs.cases_of)) == [
        True
    ]


def test_what_is_left_out_is_named_and_what_is_unknown_fails(family, verdicts):
    files = {"x/specs.rs": {"test_leaf_op_try_from": ["1"]}, "x/path.rs": {"test_failure_parsing": ["1"]}}
    folder = family("ibc-rs", cases=files | {"x/new.rs": {"test_new": ["1"]}})
    assert [(r.passed, r.left_out) for r in run_files(folder, ibc_rs.cases_of)] == [
        (True, True),
        (True, True),
        (False, False),
    ]
