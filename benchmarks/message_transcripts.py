"""Transcripts of messages that both pyibc and ibc-go execute: updates with changing validators, handshakes.

They have the format of the conformance replayer, with only the fields that a replay needs.
"""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from nacl.signing import SigningKey

from benchmarks.packets_world import Past, StepClock
from conformance.vectors import synthetic_headers as make
from ibc_module.plugin import Config
from light_client.tendermint import codec, states
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL, ClientState
from light_client.tendermint.types import ED25519, ValidatorSet, in_canonical_order, validator
from light_client.tendermint.updates import consensus_state_of
from localnet.chain import LocalChain
from localnet.endpoint import LocalEndpoint
from localnet.settings import Genesis, funded
from pyibc.codec.anys import AnyMessage
from pyibc.core.channel.types import Order
from pyibc.core.client.messages import MsgCreateClient, MsgUpdateClient
from pyibc.core.coin import coin
from pyibc.core.height import Height
from pyibc.core.host.block import TxOutcome
from pyibc.core.wire.message import pack_msg
from pyibc.default_plugins import plugins
from pyibc.relayer.money.wallet import Wallet
from pyibc.relayer.paths.open_path import make_path

FOLLOWED = "cosmoshub-4"
CLIENT = "07-tendermint-0"
FIRST = 10
DAY_NS = 86_400 * 10**9
UPDATES = 40
HANDSHAKES = 15
KEYS = 100_000

Document = dict[str, Any]


def step(chain: str, height: int, time_ns: int, messages: Sequence[AnyMessage]) -> Document:
    """Return one block with one transaction."""
    packed = [{"type_url": m.type_url, "value_b64": b64encode(m.value).decode()} for m in messages]
    return {"chain": chain, "height": height, "time_ns": time_ns, "txs": [{"msgs": packed, "code": 0}]}


# -- updates


class Rings:
    """Validators of every height: a window over an endless sequence of keys. A tenth is new in each block.

    All powers change with the height.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._keys: dict[int, SigningKey] = {}
        self._made: dict[int, make.Keyring] = {}

    def at(self, height: int) -> make.Keyring:
        """Return the validators of a block."""
        if height not in self._made:
            self._made[height] = self._ring(height)
        return self._made[height]

    def _ring(self, height: int) -> make.Keyring:
        first = height * self._size // 10
        members, keys = [], {}
        for number in range(first, first + self._size):
            key = self._keys.setdefault(number, SigningKey(sha256(b"member %d" % number).digest()))
            member = validator(ED25519, bytes(key.verify_key), 1000 + number * 37 % 101 + height)
            members.append(member)
            keys[member.address] = key
        ordered = in_canonical_order(members)
        return make.Keyring(ValidatorSet(ordered, ordered[0]), keys)


def updates(validators: int, stride: int) -> Document:
    """Return updates with every `stride`th header of a chain whose validators change in each block."""
    rings, signer = Rings(validators), Wallet.from_seed("relayer", "cosmos").address.text
    trusted = make.signed(FOLLOWED, FIRST, rings.at(FIRST), rings.at(FIRST + 1))
    first = consensus_state_of(make.client_header(trusted, rings.at(FIRST), 0))
    state = ClientState(FOLLOWED, DEFAULT_TRUST_LEVEL, 14 * DAY_NS, 21 * DAY_NS, 10**10, Height(4, FIRST))
    created = MsgCreateClient(
        AnyMessage(states.CLIENT_STATE_TYPE_URL, states.encode_client_state(state)),
        AnyMessage(states.CONSENSUS_STATE_TYPE_URL, states.encode_consensus_state(first)),
        signer,
    )
    steps = [step("host-1", 2, make.START_NS + DAY_NS, [pack_msg(created)])]
    for number in range(1, UPDATES + 1):
        height = FIRST + number * stride
        block = make.signed(FOLLOWED, height, rings.at(height), rings.at(height + 1))
        base = height - stride
        header = make.client_header(block, rings.at(height), base, rings.at(base + 1))
        told = MsgUpdateClient(CLIENT, codec.pack_client_header(header), signer)
        steps.append(step("host-1", 2 + number, make.START_NS + DAY_NS + number, [pack_msg(told)]))
    return {"steps": steps}


# -- handshakes


class Recorder(LocalEndpoint):
    """A chain whose transactions are recorded."""

    def __init__(self, chain: LocalChain, wallet: Wallet, steps: list[Document]) -> None:
        super().__init__(chain, wallet)
        self._steps = steps

    def submit(self, messages: Sequence[AnyMessage]) -> TxOutcome:
        """Submit messages, and record the block."""
        outcome = super().submit(messages)
        tip = self.tip()
        self._steps.append(step(self.chain_id, tip.height, tip.time_ns, messages))
        return outcome


def handshakes() -> Document:
    """Return channels opened one after another over one connection, between chains with a past."""
    steps: list[Document] = []
    wallet, clock = Wallet.from_seed("relayer", "cosmos"), StepClock()
    genesis = Genesis(funded([(wallet.address.text, [coin("stake", 10**15)])]))
    ends = [
        Recorder(
            LocalChain(name, plugins=[*plugins(Config()), Past(KEYS)], genesis=genesis, clock=clock),
            wallet,
            steps,
        )
        for name in ("alpha-1", "beta-1")
    ]
    for number in range(HANDSHAKES):
        make_path(*ends, "transfer", Order.UNORDERED, "ics20-1", new_channel=number > 0)
    return {"steps": steps}
