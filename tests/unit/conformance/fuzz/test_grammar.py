"""Cases come from the grammars: every message, query and field has some, without a line for any of them."""

import pytest

from conformance.fuzz.all_cases import all_cases
from conformance.fuzz.grammar import written
from conformance.fuzz.messages import proofs
from conformance.fuzz.types import messages
from conformance.fuzz.worlds import short_name
from pyibc.proto.ibc.core.channel.v1.tx_pb2 import MsgRecvPacket
from pyibc.proto.ibc.core.client.v1.tx_pb2 import MsgUpdateClient
from pyibc.proto.pool import descriptor_of, message_class
from tests.missing import nothing_missing


@pytest.fixture(scope="module")
def names(made):
    return [case.name for case in all_cases(made)]


@pytest.mark.registry
def test_every_message_of_the_chain_has_cases(made, names):
    firsts = {name.split(" ")[0] for name in names}
    nothing_missing(
        f"{url}: conformance/fuzz makes no cases of it"
        for url in made.last.chain.app.pipeline.messages()
        if short_name(url) not in firsts
    )


@pytest.mark.registry
def test_every_query_of_the_chain_has_cases(made, names):
    asked = {name.split(" ")[1] for name in names if name.startswith("query ")}
    nothing_missing(
        f"{path}: conformance/fuzz makes no cases of it"
        for path in made.last.chain.app.grpc_paths()
        if path not in asked
    )


@pytest.mark.parametrize("cls", [MsgRecvPacket, MsgUpdateClient])
def test_every_field_has_shapes(cls):
    places = {each.name.partition(":")[0] for each in written(cls)}
    assert {field.name for field in descriptor_of(cls).fields} <= places
    assert "*" in places


def test_messages_in_messages_in_anys_and_in_bytes_are_looked_into():
    places = {each.name.partition(":")[0] for each in written(MsgUpdateClient)}
    assert "client_message(tendermint.Header).signed_header.commit.signatures.validator_address" in places
    hidden = {each.name.partition(":")[0] for each in written(MsgRecvPacket, hidden=proofs())}
    assert "proof_commitment.proofs.exist.path.prefix" in hidden


@pytest.mark.parametrize("name", ["ibc.core.client.v1.MsgCreateClient", "cosmos.tx.v1beta1.AuthInfo"])
def test_inputs_have_the_size_that_was_asked_for(name):
    for each in written(message_class(name)):
        assert 0.9 * 20_000 < len(each.write(20_000)) < 21_000, each.name


def test_every_message_of_the_wire_can_be_written():
    for name in messages():
        for each in written(message_class(name)):
            assert each.write(64), f"{name} {each.name}"
