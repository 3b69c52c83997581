"""Queries of interchain accounts, and what middleware is told of their packets."""

import pytest

from pyibc.apps.interchain_accounts.packet_data import EXECUTE_TX, InterchainAccountPacketData
from pyibc.apps.interchain_accounts.queries import CONTROLLER_SERVICE, HOST_SERVICE
from pyibc.apps.interchain_accounts.state import key_of
from pyibc.core.errors import InvalidRequest, InvalidType, NotFound
from pyibc.proto.ibc.applications.interchain_accounts.controller.v1 import query_pb2 as controller
from pyibc.proto.ibc.applications.interchain_accounts.host.v1 import query_pb2 as host
from tests.accounts_block import HERE, OWNER, PORT


def ask(chain, path, request):
    return chain.queries[path](chain.ctx, request.SerializeToString())


def test_an_owner_s_account(chain):
    path = f"{CONTROLLER_SERVICE}InterchainAccount"
    request = controller.QueryInterchainAccountRequest(owner=OWNER, connection_id=HERE)
    with pytest.raises(NotFound):
        ask(chain, path, request)
    chain.ctx.store("icacontroller").set(key_of(b"owner/", PORT, HERE), b"cosmos1x")
    answer = controller.QueryInterchainAccountResponse.FromString(ask(chain, path, request))
    assert answer.address == "cosmos1x"
    with pytest.raises(InvalidRequest):
        ask(chain, path, controller.QueryInterchainAccountRequest(owner=" ", connection_id=HERE))


def test_parameters(chain):
    found = ask(chain, f"{CONTROLLER_SERVICE}Params", controller.QueryParamsRequest())
    assert controller.QueryParamsResponse.FromString(found).params.controller_enabled
    found = ask(chain, f"{HOST_SERVICE}Params", host.QueryParamsRequest())
    assert list(host.QueryParamsResponse.FromString(found).params.allow_messages) == ["*"]


@pytest.mark.parametrize("port_id", [PORT, "icahost"])
def test_middleware_is_told_of_a_packet(chain, port_id):
    decode = chain.app(port_id).decode_packet_data
    told = decode(b'{"type":1,"data":"AQ==","memo":"{\\"src_callback\\":{\\"address\\":\\"x\\"}}"}', "")
    assert told.value == InterchainAccountPacketData(EXECUTE_TX, b"\x01", told.memo)
    assert told.custom("src_callback").get("address") == "x"
    assert (told.sender_at(PORT), told.sender_at("transfer"), told.receiver) == (OWNER, "", "")
    with pytest.raises(InvalidType):
        decode(b"[]", "")
