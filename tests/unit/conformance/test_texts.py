import pytest

from conformance.case import run_files
from conformance.vectors import bech32, chain_registry, iavl_trees, ibc_literals, json_test_suite

HASH = "27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2"


def test_bech32(family, verdicts):
    lists = {
        "VALID_BECH32": ["A12UEL5L", "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"],
        "INVALID_BECH32": ["pzry9x0s0muk"],
        "VALID_BECH32M": ["A1LQFN3A"],
        "INVALID_BECH32M": ["qyrz8wqd2c9m"],
    }
    assert verdicts(run_files(family("bech32", lists=lists), bech32.cases_of)) == [True] * 5
    swapped = {"INVALID_BECH32": [lists["VALID_BECH32"][1]], "SEGWIT": ["x"], "VALID_BECH32M": ["x"]}
    assert verdicts(run_files(family("bech32", lists=swapped), bech32.cases_of)) == [False, False, True]


@pytest.mark.parametrize(
    ("name", "passed"), [(f"ibc/{HASH}", True), (f"ibc/{HASH.lower()}", False), ("uatom", False)]
)
def test_chain_registry(family, verdicts, name, passed):
    folder = family("chain-registry", d={"pairs": [{"path": "transfer/channel-0/uatom", "denom": name}]})
    assert verdicts(run_files(folder, chain_registry.cases_of)) == [passed]


def test_json_test_suite(tmp_path, verdicts):
    folder = tmp_path / "JSONTestSuite"
    for name, raw in {
        "test_parsing/y_good.json": b"[]",
        "test_parsing/y_bad.json": b"[",
        "test_parsing/n_good.json": b"[NaN]",
        "test_parsing/n_bad.json": b"[1]",
        "test_parsing/i_yes.json": b"[1e999]",
        "test_parsing/i_no.json": b"\xef\xbb\xbf{}",
        "test_transform/number_1.0.json": b"[1.0]",
        "test_parsing/x.json": b"1",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)
    failed = {result.file for result in run_files(folder, json_test_suite.cases_of) if not result.passed}
    assert failed == {"test_parsing/y_bad.json", "test_parsing/n_bad.json", "test_parsing/x.json"}


LITERALS = {
    "v1_packet_commitment": {
        "data_hex": "7061636b65742064617461",
        "timeout_timestamp": 66,
        "timeout_height": {"revision_number": 42, "revision_height": 24},
        "commitment": "a928b51f62bd540091ec451f4ef345794f059e65910816866126dc364f84cc15",
    },
    "v1_ack_commitment": {
        "ack_hex": "00010203",
        "commitment": "054edec1d0211f624fed0cbca9d4f9400b0e491c43742af2c5b0abebf0c990d8",
    },
    "v1_ack_bytes": {"result_hex": "01", "bytes": '{"result":"AQ=="}'},
    "escrow": {
        "port": "transfer",
        "channel": "channel-141",
        "bech32": "cosmos1x54ltnyg88k0ejmk8ytwrhd3ltm84xehrnlslf",
    },
    "module_accounts_from_memory_verified_by_hash": {
        "name": "transfer",
        "bech32": "cosmos1yl6hdjhmkf37639730gffanpzndzdpmhwlkfhr",
    },
    "denom": {"path": "transfer/channel-0/uatom", "ibc": f"ibc/{HASH}"},
    "v2_ack_commitment": {
        "app_acks_hex": ["736f6d65206279746573"],
        "commitment": "f03b4667413e56aaf086663267913e525c442b56fa1af4fa3f3dab9f37044c5b",
    },
    "v2_keys": {
        "id": "channel-0",
        "sequence": 1,
        "commitment_key": "6368616e6e656c2d30010000000000000001",
        "receipt_key": "6368616e6e656c2d30020000000000000001",
        "ack_key": "6368616e6e656c2d30030000000000000001",
    },
}
CHANGES = {
    "v1_packet_commitment": {"timeout_timestamp": 67},
    "v1_ack_commitment": {"ack_hex": "00"},
    "v1_ack_bytes": {"result_hex": "02"},
    "escrow": {"channel": "channel-14"},
    "module_accounts_from_memory_verified_by_hash": {"name": "Transfer"},
    "denom": {"path": "uatom"},
    "v2_ack_commitment": {"app_acks_hex": ["00"]},
    "v2_keys": {"sequence": 2},
}


@pytest.mark.parametrize("table", LITERALS)
def test_literals(family, verdicts, table):
    row = LITERALS[table]
    folder = family("ibc-literals", ibc={table: [row, row | CHANGES[table]], "odd": [{}]})
    assert verdicts(run_files(folder, ibc_literals.cases_of)) == [True, False, False]


def test_v2_packets_in_json_and_abi(family, verdicts):
    payload = {
        "source_port": "transfer",
        "destination_port": "transfer",
        "version": "ics20-1",
        "encoding": "application/json",
        "value_utf8": '{"denom":"uatom","amount":"1000000",'
        '"sender":"sender","receiver":"receiver","memo":"memo"}',
    }
    packet = {
        "sequence": 1,
        "source_client": "07-tendermint-0",
        "destination_client": "07-tendermint-1",
        "timeout_timestamp": 100,
        "payloads": [payload],
    }
    rows = [
        {
            "packet": packet,
            "commitment": "a096722aa6534040a0efbdae05765132a7b223ad306d6512f3734821bd046505",
        },
        {
            "same_packet_abi_encoding": "application/x-solidity-abi",
            "commitment": "d408dca5088b9b375edb3c4df6bae0e18084fc0dbd90fcd0d028506553c81b25",
        },
        {
            "packet": packet | {"timeout_timestamp": 101},
            "commitment": "a096722aa6534040a0efbdae05765132a7b223ad306d6512f3734821bd046505",
        },
    ]
    folder = family("ibc-literals", ibc={"v2_packet_commitment": rows})
    assert verdicts(run_files(folder, ibc_literals.cases_of)) == [True, True, False]


def test_error_acknowledgements_among_the_literals(family, verdicts):
    text = "error handling packet: see events for details"
    rows = [
        {"error_abci_code": 5, "bytes": f'{{"error":"ABCI code: 5: {text}"}}'},
        {"error_abci_code": 6, "bytes": f'{{"error":"ABCI code: 5: {text}"}}'},
        {"codespace_error": ["ibc", 3], "bytes": f'{{"error":"ABCI error: ibc/3: {text}"}}'},
        {"codespace_error": ["ibc", 4], "bytes": f'{{"error":"ABCI error: ibc/3: {text}"}}'},
    ]
    folder = family("ibc-literals", ibc={"v1_ack_bytes": rows})
    assert verdicts(run_files(folder, ibc_literals.cases_of)) == [True, False, True, False]


def test_iavl(family, verdicts):
    root = "6032661AB0D201132DB7A8FA1DA6A0AFE427E6278BD122C301197680AB79CA02"
    version = {"version": 1, "ops": [["set", "hello", "world"]], "root_hash": root, "orphans": 0}
    folder = family(
        "iavl", a=[version], b=[version | {"orphans": 1}], c=[version | {"root_hash": "00"}], d={}
    )
    assert verdicts(run_files(folder, iavl_trees.cases_of)) == [True, False, False, False]


def test_iavl_of_go(family, verdicts):
    root = "6032661ab0d201132db7a8fa1da6a0afe427e6278bd122c301197680ab79ca02"
    ops = [["s", b"hello".hex(), b"world".hex()]]
    proofs = [{"key": b"hello".hex(), "commitment_proof": "00"}]
    cases = [{"name": "one", "versions": [{"ops": ops, "root": root}], "final_proofs": proofs}]
    assert verdicts(run_files(family("iavl", go={"cases": cases}), iavl_trees.cases_of)) == [True, False]
