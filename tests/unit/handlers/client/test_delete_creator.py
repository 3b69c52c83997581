"""Forgetting who created a client."""

import pytest

from conformance.kit.refusal_rows import signer_rows
from conformance.kit.refusals import Row, check_row, expect_refusal, setting
from conformance.kit.sides import CLIENT_ON_A
from pyibc.core import paths
from pyibc.core.client.messages import MsgDeleteClientCreator
from pyibc.core.errors import InvalidIdentifier, NotFound, Unauthorized

RECORD = ("ibc", paths.client_creator_path(CLIENT_ON_A))


@pytest.mark.parametrize("who", ["relayer", "authority"])
def test_the_creator_and_the_authority_may(governed, who):
    stage = governed.stage()
    assert stage.ctx.ibc.has(RECORD[1])
    message = MsgDeleteClientCreator(CLIENT_ON_A, getattr(governed, who))
    attempt = stage.attempt(message)
    assert (attempt.error, attempt.response, attempt.events) == (None, b"", ())
    assert stage.writes() == {RECORD: None}
    expect_refusal(stage, message, NotFound)


ROWS = [
    *signer_rows(),
    Row("somebody else", setting(signer="cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu"), Unauthorized),
    Row("no such client", setting(client_id="07-tendermint-99"), NotFound),
    Row("a malformed id", setting(client_id="07/tendermint-0"), InvalidIdentifier),
    Row("an id without a number", setting(client_id="tendermint"), InvalidIdentifier),
]


@pytest.mark.parametrize("row", ROWS, ids=repr)
def test_h39b_refusals(governed, row):
    check_row(governed.stage(), MsgDeleteClientCreator(CLIENT_ON_A, governed.relayer), row)
