"""Benchmark: UpdateClient with 100 validators, adjacent and skipping; Ed25519 by each implementation.

python -m benchmarks.bench_light_client  (PEERS_DIR=... for Go's figures)
"""

from collections.abc import Callable

from benchmarks.timing import GoOperation, Row, Work, beside, show
from conformance import memory
from conformance.vectors import synthetic_headers as make
from conformance.vectors.zip215 import implementations
from light_client.tendermint import codec, states
from light_client.tendermint.client import TendermintLightClient
from light_client.tendermint.hashing import header_hash
from light_client.tendermint.header_cache import VERIFIED_MESSAGES
from light_client.tendermint.states import DEFAULT_TRUST_LEVEL, ClientState
from light_client.tendermint.types import ADDRESSES, LEAVES, ValidatorSet, in_canonical_order
from light_client.tendermint.updates import consensus_state_of
from pyibc.codec.anys import AnyMessage
from pyibc.core import native
from pyibc.core.crypto.signatures import VERIFIED
from pyibc.core.height import Height

CLIENT = "07-tendermint-0"
CHAIN = "cosmoshub-4"
DAY_NS = 86_400 * 10**9
VALIDATORS = 100


def _forget() -> None:
    for kept in (VERIFIED, VERIFIED_MESSAGES, ADDRESSES, LEAVES):
        kept.clear()


def _forget_keys() -> None:
    if native.NATIVE is not None:
        native.NATIVE.forget_keys()


def _update_work(ring: make.Keyring) -> dict[str, Work]:
    ctx = memory.block(make.START_NS + 2000 * 10**9)
    client = TendermintLightClient()
    state = ClientState(CHAIN, DEFAULT_TRUST_LEVEL, 14 * DAY_NS, 21 * DAY_NS, 10**10, Height(4, 10))
    first = consensus_state_of(make.client_header(make.signed(CHAIN, 10, ring), ring, 0))
    client.initialize(ctx, CLIENT, states.encode_client_state(state), states.encode_consensus_state(first))

    def check(message: AnyMessage, *, fresh: bool, strange: bool = False) -> Callable[[], None]:
        def run() -> None:
            if strange:
                _forget_keys()
            if fresh:
                _forget()
            client.verify_client_message(ctx, CLIENT, message)

        return run

    found = {}
    for name, height in (("adjacent", 11), ("skipping", 1000)):
        message = codec.pack_client_header(make.client_header(make.signed(CHAIN, height, ring), ring, 10))
        found[f"{VALIDATORS} validators, {name}"] = Work(check(message, fresh=True), 1)
        found[f"{VALIDATORS} validators, {name}, again"] = Work(check(message, fresh=False), 1)
        if height == 11:
            found[_STRANGERS] = Work(check(message, fresh=True, strange=True), 1)
    changed = make.client_header(make.signed(CHAIN, 1000, _changed(ring)), _changed(ring), 10, ring)
    found[_CHANGED] = Work(check(codec.pack_client_header(changed), fresh=True), 1)
    return found


_STRANGERS = f"{VALIDATORS} validators, adjacent, keys never seen"
_CHANGED = f"{VALIDATORS} validators, skipping, a third of them new"


def _changed(ring: make.Keyring) -> make.Keyring:
    """Return a set with two thirds of the members and new ones."""
    stayed = ring.validators.validators[: VALIDATORS * 2 // 3]
    strangers = make.keyring([1000] * (VALIDATORS - len(stayed)), "strangers")
    members = in_canonical_order([*stayed, *strangers.validators.validators])
    return make.Keyring(ValidatorSet(members, members[0]), {**ring.keys, **strangers.keys})


def rows() -> list[Row]:
    """Measure updates from wire bytes to verdict, their parts, and single signatures."""
    ring = make.keyring([1000] * VALIDATORS)
    block = make.signed(CHAIN, 11, ring)
    member = ring.validators.validators[0]
    message = b"m" * 120
    signature = ring.keys[member.address].sign(message).signature
    raw = codec.encode_client_header(make.client_header(block, ring, 10))

    def set_hash() -> None:
        for _ in range(10):
            _ = ValidatorSet(ring.validators.validators).hash

    def decode() -> None:
        codec.decode_client_header(raw)

    def one_header_hash() -> None:
        for _ in range(100):
            header_hash(block.header)

    def signatures(verify: Callable[[bytes, bytes, bytes], bool], count: int) -> Work:
        def run() -> None:
            for _ in range(count):
                verify(member.public_key, message, signature)

        return Work(run, count)

    counts = {"zip215": 5, "sodium": 100, "zebra": 100, "native": 100}
    work = {f"Ed25519 by {name}": signatures(v, counts[name]) for name, v in implementations().items()}
    updates = _update_work(ring)
    work |= updates
    work["decode a header"] = Work(decode, 1)
    work["validator set, made and hashed"] = Work(set_hash, 10)
    work["header hash"] = Work(one_header_hash, 100)
    peers = {
        "100 validators, adjacent": GoOperation("update", "update/update adjacent"),
        "100 validators, skipping": GoOperation("update", "update/update non-adjacent"),
        _STRANGERS: GoOperation("update", "update/update adjacent"),
        _CHANGED: GoOperation("update", "update/update non-adjacent"),
        "validator set, made and hashed": GoOperation("light", "light/validator set hash"),
        "header hash": GoOperation("light", "light/header hash"),
        "Ed25519 by zebra": GoOperation("light", "light/ed25519 signature"),
    }
    return beside(work, "Ed25519 by sodium", peers, updates)


if __name__ == "__main__":
    show(rows())
