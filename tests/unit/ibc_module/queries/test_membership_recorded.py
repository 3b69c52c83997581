"""VerifyMembership over a real 07-tendermint client, with proofs that an ibc-go chain gave."""

import base64
import gzip
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibc_core.height import Height
from ibc_module.queries import membership
from ibc_proto.cosmos.ics23.v1 import proofs_pb2
from ibc_proto.ibc.core.client.v1 import query_pb2 as pb
from ibc_proto.ibc.core.commitment.v1 import commitment_pb2
from keepers.client.keeper import ClientKeeper
from light_client.registry import Registry
from light_client.tendermint import store
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.states import ClientState, ConsensusState
from light_client.tendermint.store import Processed
from light_client.tendermint.voting import TrustLevel

pytestmark = pytest.mark.vectors

CLIENT = "07-tendermint-0"
DAY = 86_400 * 10**9
PATH = "/ibc.core.client.v1.Query/VerifyMembership"


def merkle_proof(ops):
    proofs = [proofs_pb2.CommitmentProof.FromString(base64.b64decode(each["data"])) for each in ops]
    return commitment_pb2.MerkleProof(proofs=proofs).SerializeToString()


@pytest.fixture(scope="session")
def proven(make_chain, live_dump):
    """A chain with a client of ibc-0, and a request for each value proven there."""
    recorded = json.loads(gzip.decompress((live_dump / "chain-ibc-0.json.gz").read_bytes()))
    chain = make_chain()
    clients = ClientKeeper(Registry([TendermintLightClient()]))
    chain.routes = membership.routes(chain.keepers._replace(clients=clients))
    now, requests = chain.ctx.time_ns, []
    newest = ClientState("ibc-0", TrustLevel(1, 3), 14 * DAY, 21 * DAY, 10**10, Height(0, 225))
    for each in recorded["proofs"]:
        answer, header = each["answer"]["response"], each["commit"]["signed_header"]["header"]
        height = Height(0, int(header["height"]))
        trusted = ConsensusState(now - 10**9, bytes.fromhex(header["app_hash"]), bytes(32))
        store.set_consensus_state(chain.ctx, CLIENT, height, trusted, Processed(Height(1, 70), now - 10**9))
        if answer.get("value"):
            request = pb.QueryVerifyMembershipRequest(
                client_id=CLIENT,
                proof=merkle_proof(answer["proofOps"]["ops"]),
                value=base64.b64decode(answer["value"]),
            )
            request.proof_height.revision_height = height.revision_height
            request.merkle_path.key_path.extend([b"ibc", base64.b64decode(answer["key"])])
            requests.append(request)
    store.set_client_state(chain.ctx, CLIENT, newest)
    return chain, requests


def ask(chain, request):
    return chain.ask(PATH, request, pb.QueryVerifyMembershipResponse).success


def test_every_recorded_proof_is_good(proven):
    chain, requests = proven
    assert len(requests) >= 12
    assert all(ask(chain, request) for request in requests)


def test_another_value_path_height_or_delay_is_not(proven):
    chain, requests = proven
    for change in (
        lambda r: setattr(r, "value", r.value + b"x"),
        lambda r: r.merkle_path.key_path.append(b"more"),
        lambda r: setattr(r.proof_height, "revision_height", 1),
        lambda r: setattr(r.proof_height, "revision_height", 2**64 - 1),
        lambda r: setattr(r, "time_delay", 2**64 - 1),
        lambda r: setattr(r, "block_delay", 2**64 - 1),
    ):
        request = pb.QueryVerifyMembershipRequest.FromString(requests[0].SerializeToString())
        change(request)
        assert not ask(chain, request)


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32), number=st.integers(0, 11), cut=st.booleans())
def test_a_damaged_proof_gets_a_verdict(proven, seed, number, cut):
    chain, requests = proven
    request = pb.QueryVerifyMembershipRequest.FromString(requests[number].SerializeToString())
    dice, proof = random.Random(seed), bytearray(request.proof)
    at = dice.randrange(1, len(proof))
    proof[at] ^= 1 << dice.randrange(8)
    request.proof = bytes(proof[:at] if cut else proof)
    verdict = ask(chain, request)
    assert not (verdict and cut)
