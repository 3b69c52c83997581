"""ibc-rs: texts that its types accept or refuse.

Where ibc-go differs, ibc-go is followed; the checks say where.
"""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from conformance.case import Cases, LeftOut, expect, nothing, refusal
from conformance.files import json_in
from conformance.vectors import ibc_rs_denoms, ibc_rs_paths
from conformance.vectors.rust_cases import arguments
from light_client.tendermint.states import (
    DEFAULT_TRUST_LEVEL,
    ClientState,
    decode_client_state,
    encode_client_state,
)
from pyibc.core.coin import is_denom, parse_amount
from pyibc.core.height import Height, revision_of
from pyibc.core.identifiers import parse_client_id, parse_numbered, validate_client_id
from pyibc.core.numbers import MAX_U64

_WASM = "08-wasm clients are not implemented"
_NFT = "non-fungible tokens (ICS-721) are not implemented"

LEFT_OUT = {
    "class.rs": _NFT,
    "data.rs": _NFT,
    "client_message.rs": _WASM,
    "client_state.rs": _WASM,
    "consensus_state.rs": _WASM,
    "migrate_contract.rs": _WASM,
    "remove_checksum.rs": _WASM,
    "store_code.rs": _WASM,
    "serializer.rs": _WASM,
    "events.rs": "Rust values, no data",
    "timestamp.rs": "Rust arithmetic, no data",
    "utils.rs": "the block delay is arithmetic inside a keeper, tested there",
    "specs.rs": "numbers without a verdict; ibc-go checks no more of a spec than that it is there",
    "test_failure_parsing": "paths are built here, never parsed",
    "test_valid_chain_id_json_deserialization": "a JSON form of ibc-rs's own",
    "test_invalid_chain_id_json_deserialization": "a JSON form of ibc-rs's own",
    "test_invalid_chain_id_borsh_deserialization": "a binary form of ibc-rs's own",
}
"""Skipped source files and functions, with the reason."""


def cases_of(path: Path) -> Cases | None:
    """Return the cases of a file of ibc-rs test data; None for any other file."""
    files = json_in(path)
    is_rust = isinstance(files, dict) and any(source.endswith(".rs") for source in files)
    return _of_files(files) if is_rust else None


def _of_files(files: dict[str, dict[str, list[str]]]) -> Cases:
    for source, functions in files.items():
        name = source.rpartition("/")[2]
        if name in LEFT_OUT:
            yield name, LeftOut(LEFT_OUT[name])
            continue
        if not functions:
            yield name, nothing
        for function, cases in functions.items():
            yield from _of_function(name, function, cases)


def _of_function(name: str, function: str, cases: list[str]) -> Cases:
    if function in LEFT_OUT:
        yield function, LeftOut(LEFT_OUT[function])
        return
    check = _FUNCTIONS.get(function)
    if check is None or not cases:
        yield f"{name} {function}", nothing if check else partial(expect, function, "a known function")
    else:
        yield from ((f"{name} {function}({case.strip()})", partial(check, case)) for case in cases)


# -- coins


def _coin(text: str) -> tuple[int, str] | None:
    """Parse a concatenated amount and denomination, as the SDK writes coins."""
    found = re.match(r"([0-9]+)(.+)\Z", text, re.DOTALL)
    amount = parse_amount(found[1].lstrip("0") or "0") if found else None
    return None if found is None or amount is None else (amount, found[2])


def _is_coin(parsed: tuple[int, str] | None) -> bool:
    """Check a coin. Denominations of one and two characters are lengthened, since the SDK requires three."""
    return parsed is not None and is_denom(parsed[1] + "xx" * (len(parsed[1]) < 3))


def _good_coin(case: str) -> None:
    (text, *_), _ = arguments(case)
    parsed = _coin(str(text))
    expect(_is_coin(parsed), True)
    expect(parsed, _expected_coin(case))


def _expected_coin(case: str) -> tuple[int, str]:
    values, rest = arguments(case.replace("U256::MAX", str(2**256 - 1)))
    expect(rest, "")
    return int(values[1]), str(values[2])


def _bad_coin(case: str) -> None:
    (text, *_), _ = arguments(case)
    expect(_is_coin(_coin(str(text))), False)


def _good_coins(case: str) -> None:
    (text, *_), rest = arguments(case)
    parsed = [_coin(part) for part in str(text).split(",")]
    expect([_is_coin(found) for found in parsed], [True] * len(parsed))
    expect(parsed, [(int(n), name) for n, name in re.findall(r'\((\d+), "([^"]*)"\)', rest)])


def _bad_coins(case: str) -> None:
    (text, *_), _ = arguments(case)
    expect(all(_is_coin(_coin(part)) for part in str(text).split(",")), False)


# -- chain ids


def _chain_id_with_revision(case: str) -> None:
    """Check a chain id with revision; ibc-go finds no revision after two dashes (`a--1`), unlike ibc-rs."""
    (chain_id, name, revision), _ = arguments(case)
    expect(chain_id, f"{name}-{revision}")
    expect(revision_of(str(chain_id)), 0 if str(name).endswith("-") else revision)


def _chain_id_without_revision(case: str) -> None:
    (chain_id, *_), _ = arguments(case)
    expect(revision_of(str(chain_id)), 0)


def _odd_chain_id(case: str) -> None:
    """Check an unusual chain id. ibc-go accepts any text, with revision 0 if its pattern does not match."""
    (chain_id, *_), _ = arguments(case)
    found = re.fullmatch(r"[^\n]*[^\n-]-([1-9][0-9]*)", str(chain_id), re.ASCII)
    revision = int(found[1]) if found else 0
    expect(revision_of(str(chain_id)), revision if revision <= MAX_U64 else 0)


# -- identifiers


def _is_client_type(text: str) -> bool:
    """Return whether a text is a client type, by the client ids with the smallest and the largest number."""
    ids = (f"{text}-0", f"{text}-{MAX_U64}")
    return not any(refusal(partial(check, i)) for i in ids for check in (validate_client_id, parse_client_id))


def _client_type(case: str) -> None:
    (text, *_), _ = arguments(case)
    expect(_is_client_type(str(text)), True)


def _bad_client_type(case: str) -> None:
    (text, *_), _ = arguments(case)
    short = 2 <= len(str(text)) < 7
    expect(_is_client_type(str(text)) and not short, False)


def _client_id(case: str) -> None:
    (client_type, counter, *_), _ = arguments(case)
    expect(parse_client_id(f"{client_type}-{counter}"), (client_type, counter))


def _frozen_client(case: str) -> None:
    """Check that a client state is frozen if its frozen height is not zero."""
    (revision, height, frozen), _ = arguments(case)
    at = Height(int(revision), int(height))
    state = ClientState("ibc-0", DEFAULT_TRUST_LEVEL, 2, 3, 1, Height(0, 5), frozen_height=at)
    expect(decode_client_state(encode_client_state(state)), state)
    expect(not at.is_zero, frozen)


def _wasm_client_id(case: str) -> None:
    (client_id, expected), _ = arguments(case)
    is_client_id = not refusal(lambda: parse_client_id(str(client_id)))
    expect(is_client_id and parse_client_id(str(client_id))[0] == "08-wasm", expected)


def _numbered(case: str) -> None:
    """Check a numbered identifier.

    ibc-go accepts leading zeros (`channel-001` is channel 1), unlike ibc-rs.
    """
    (name, number, expected), _ = arguments(case)
    if re.fullmatch(r"0[0-9]{1,19}", str(number)):
        expected = True
    expect(parse_numbered(f"{name}-{number}", f"{name}-") is not None, expected)


def _prefix_length(case: str) -> None:
    """Check a prefix by the length of the identifiers with the smallest and the largest number."""
    (prefix, low, high, expected), _ = arguments(case)
    lengths = [len(f"{prefix}-{number}") for number in (0, MAX_U64)]
    expect(bool(prefix) and all(int(low) <= length <= int(high) for length in lengths), expected)


_FUNCTIONS: dict[str, Callable[[str], None]] = {
    "test_parse_raw_coin": _good_coin,
    "test_failed_parse_raw_coin": _bad_coin,
    "test_parse_raw_coin_list": _good_coins,
    "test_failed_parse_raw_coin_list": _bad_coins,
    "test_valid_chain_id_with_rev": _chain_id_with_revision,
    "test_valid_chain_id_without_rev": _chain_id_without_revision,
    "test_invalid_chain_id_from_str": _odd_chain_id,
    "client_type_from_str": _client_type,
    "client_type_from_str_fails": _bad_client_type,
    "client_type_build_client_id": _client_id,
    "test_is_wasm_client_id": _wasm_client_id,
    "tm_client_state_conversions_healthy": _frozen_client,
    "test_named_index_validation": _numbered,
    "test_prefix_length_validation": _prefix_length,
    **ibc_rs_denoms.FUNCTIONS,
    **ibc_rs_paths.FUNCTIONS,
}
