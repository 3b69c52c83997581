"""What real CometBFT nodes printed, read and printed again: nothing is lost, nothing is added."""

import gzip
import json

import pytest

from light_client.tendermint import comet_json as headers
from pyibc.core.comet import read_block, write_block_results

pytestmark = pytest.mark.vectors


@pytest.fixture(scope="module", params=["ibc-0", "ibc-1"])
def blocks(request, live_dir):
    with gzip.open(live_dir / "dump" / f"chain-{request.param}.json.gz") as file:
        found = json.load(file)["blocks"]
    assert len(found) > 220
    return found.values()


def test_headers_commits_and_validators_are_printed_as_they_were_read(blocks):
    for each in blocks:
        block, signed = each["block"]["block"], each["commit"]["signed_header"]
        members, block_id = each["validators"]["validators"], each["block"]["block_id"]
        assert headers.write_header(headers.read_header(block["header"])) == block["header"]
        assert headers.write_commit(headers.read_commit(block["last_commit"])) == block["last_commit"]
        assert headers.write_signed_header(headers.read_signed_header(signed)) == signed
        assert headers.write_block_id(headers.read_block_id(block_id)) == block_id
        assert [headers.write_validator(member) for member in headers.read_validators(members)] == members


def test_results_are_printed_as_they_were_read(blocks):
    succeeded = 0
    for each in blocks:
        results = each["block_results"]
        block = read_block(each["block"], results)
        # We print no changes of the parameters: blocks of ours make none.
        assert write_block_results(block) == {**results, "consensus_param_updates": None}
        succeeded += sum(outcome.code == 0 for outcome in block.txs)
    assert succeeded > 10
