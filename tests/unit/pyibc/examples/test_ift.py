"""A token's mint, written by Solidity's constructor, attested, relayed and executed here."""

import json

import pytest

from ibc_module.plugin import AttestationsPlugin
from light_client.attestations.states import AttestedEntry, attest_packets, attest_state, encode_proof
from pyibc.apps.gmp.packet_data import (
    PORT_ID,
    VERSION,
    AccountIdentifier,
    GmpPacketData,
    decode_acknowledgement,
    encode,
)
from pyibc.apps.gmp.plugin import GmpPlugin
from pyibc.codec.anys import pack
from pyibc.core import paths
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.client_v2 import MsgRegisterCounterparty
from pyibc.core.crypto import ethereum
from pyibc.core.errors import NotFound, UnknownAccount
from pyibc.core.height import Height
from pyibc.core.packet_v2.messages import MsgRecvPacketV2
from pyibc.core.packet_v2.types import ABI, SENTINEL, PacketV2, Payload, packet_commitment
from pyibc.core.wire.message import pack_msg
from pyibc.examples.ift import Bridge, IftPlugin, MsgIFTMint
from pyibc.proto.cosmos.base.abci.v1beta1.abci_pb2 import TxMsgData
from pyibc.proto.ibc.lightclients.attestations.v1 import attestations_pb2 as pb
from pyibc.testing.pair import ibc_plugins, two_chains

KEYS = [number.to_bytes(32, "big") for number in (0xA11CE, 0xB0B, 0xC0C)]
CONTRACT = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
CLIENT, FAR_CLIENT = "attestations-0", "cosmos-3"
HEIGHT, DENOM = 500, "ift"
BRIDGE = Bridge(CLIENT, CONTRACT)


def mint_call(signer, receiver, amount, denom=DENOM):
    """What solidity-ibc-eureka's CosmosIFTSendCallConstructor returns: its pieces, packed."""
    return (
        '{"messages":[{"@type":"'
        "/examples.ift.v1.MsgIFTMint"
        '","signer":"' + signer + '","denom":"' + denom + '","receiver":"' + receiver + '","amount":"'
        f"{amount}"
        '"}]}'
    ).encode()


class Net:
    """A chain of ours that follows Ethereum by what is attested of it."""

    def __init__(self):
        plugins = lambda: [*ibc_plugins(), AttestationsPlugin(), GmpPlugin(), IftPlugin(DENOM, BRIDGE)]  # noqa: E731
        self.chains = two_chains(plugins=plugins)
        self.party = self.chains.a
        self.endpoint, self.app = self.party.endpoint, self.party.chain.app
        self.raw = AccountIdentifier(CLIENT, CONTRACT, b"").address
        self.account = self.app.addresses.encode(self.raw).text
        self.seconds = self.endpoint.tip().time_ns // 10**9
        self.sequence = 0
        state = pb.ClientState(
            attestor_addresses=[f"0x{ethereum.own_address(key).hex()}" for key in KEYS],
            min_required_sigs=2,
            latest_height=HEIGHT - 1,
        )
        consensus = pb.ConsensusState(timestamp=(self.seconds - 1) * 10**9)
        signer = self.endpoint.signer
        self.must(MsgCreateClient(pack(state), pack(consensus), signer))
        self.must(MsgRegisterCounterparty(CLIENT, (b"",), FAR_CLIENT, signer))
        update = attest_state(KEYS[:2], HEIGHT, self.seconds * 10**9)
        self.must(MsgUpdateClient(CLIENT, pack(update), signer))

    def must(self, msg):
        outcome = self.endpoint.submit([pack_msg(msg)])
        assert outcome.code == 0, outcome
        return outcome

    def receive(self, payload, sender=CONTRACT):
        """The acknowledgement of a call from Ethereum."""
        self.sequence += 1
        data = encode(GmpPacketData(sender, "", b"", payload, ""), ABI)
        until = self.seconds + 3600
        packet = PacketV2(
            self.sequence, FAR_CLIENT, CLIENT, until, (Payload(PORT_ID, PORT_ID, VERSION, ABI, data),)
        )
        path = paths.packet_commitment_v2_path(FAR_CLIENT, self.sequence)
        proof = attest_packets(KEYS[1:], HEIGHT, [AttestedEntry(path, packet_commitment(packet))])
        height = Height(0, HEIGHT)
        outcome = self.must(MsgRecvPacketV2(packet, encode_proof(proof), height, self.endpoint.signer))
        return [dict(pairs) for kind, pairs in outcome.events if kind == "write_acknowledgement"]

    def minted(self):
        return self.app.bank.supply(self.app.query_context(), DENOM)


@pytest.fixture
def net():
    made = Net()
    yield made
    made.chains.close()


def test_the_bytes_are_those_of_solidity(net):
    call = mint_call(net.account, net.party.address("bob"), 1_000_000)
    said = json.loads(call)["messages"][0]
    assert list(said) == ["@type", "signer", "denom", "receiver", "amount"]
    assert said["@type"] == MsgIFTMint.TYPE_URL


def test_a_mint_that_solidity_wrote_is_executed(net):
    (written,) = net.receive(mint_call(net.account, net.party.address("bob"), 10**18))
    answer = bytes.fromhex(written["encoded_acknowledgement_hex"])
    entry = answer[3:] if answer[1] & 0x80 else answer[2:]
    responses = TxMsgData.FromString(decode_acknowledgement(entry, ABI)).msg_responses
    assert [each.type_url for each in responses] == ["/examples.ift.v1.MsgIFTMintResponse"]
    assert net.party.balance("bob", DENOM) == net.minted() == 10**18


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda net: net.receive(mint_call(net.account, net.party.address("bob"), 5), CONTRACT.lower()),
        lambda net: net.receive(mint_call(net.party.address("alice"), net.party.address("bob"), 5)),
        lambda net: net.receive(mint_call(net.account, net.party.address("bob"), 5, denom="stake")),
        lambda net: net.receive(mint_call(net.account, "nobody", 5)),
        lambda net: net.receive(mint_call(net.account, net.party.address("bob"), "05")),
        lambda net: net.receive(mint_call(net.account, net.party.address("bob"), '5","memo":"')),
        lambda net: net.receive(
            mint_call(net.account, net.party.address("bob"), 5).replace(b'"denom"', b'"Denom"')
        ),
    ],
    ids=[
        "another contract",
        "another account",
        "another token",
        "no receiver",
        "05",
        "a field more",
        "another name",
    ],
)
def test_nothing_else_mints(net, spoilt):
    (written,) = spoilt(net)
    assert SENTINEL.hex() in written["encoded_acknowledgement_hex"]
    assert net.minted() == 0
    assert net.app.accounts.get(net.app.query_context(), net.raw) is None


def test_a_user_does_not_mint(net):
    bob = net.party.address("bob")
    cases = ((net.party.address("alice"), NotFound), (net.account, UnknownAccount))
    for signer, error in cases:
        outcome = net.party.execute("alice", pack_msg(MsgIFTMint(signer, DENOM, bob, "5")))
        assert (outcome.codespace, outcome.code) == (error.codespace, error.code)
    assert net.minted() == 0


def test_an_account_that_calls_for_another_contract_does_not_mint(net):
    other = AccountIdentifier(CLIENT, "0xother", b"").address
    call = mint_call(net.app.addresses.encode(other).text, net.party.address("bob"), 5)
    (written,) = net.receive(call, "0xother")
    assert SENTINEL.hex() in written["encoded_acknowledgement_hex"]
    assert net.minted() == 0
