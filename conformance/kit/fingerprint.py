"""A fingerprint of everything two chains did, to detect non-determinism.

python -c "from conformance.kit.fingerprint import fingerprint; print(fingerprint())"

The output must not depend on hash seed, `-O`, time zone or locale.
"""

from collections.abc import Iterator
from hashlib import sha256

from conformance.kit.refusal_rows import client_rows, packet_rows, proof_rows, signer_rows
from conformance.kit.refusals import check_row
from conformance.kit.scenario import Scenario
from localnet.chain import LocalChain
from pyibc.core.channel.types import Order
from pyibc.core.errors import IbcError
from pyibc.core.host.block import CommittedBlock
from pyibc.core.packet import acknowledgement as acks
from pyibc.testing.pair import SECOND, two_chains
from pyibc.testing.transfers import abroad, transfer


def fingerprint() -> str:
    """Return the SHA-256 over all app hashes, events and errors of a scenario, refusals and transfers."""
    digest = sha256()
    for line in (*_scene(), *_traffic()):
        digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _scene() -> Iterator[str]:
    scene = Scenario()
    for side in (scene.a, scene.b):
        yield from _chain(side.chain)
    rows = [
        *signer_rows(),
        *packet_rows(),
        *proof_rows("proof_commitment_on_a", "proof_height_on_a", "commitment"),
        *client_rows(),
    ]
    for row in rows:
        message = scene.to_b.recv(scene.packets[Order.UNORDERED].fresh)
        refusal: IbcError = check_row(scene.stage(scene.b), message, row)
        yield f"{row.name}: {refusal.codespace}/{refusal.code}"


def _traffic() -> Iterator[str]:
    net = two_chains()
    path = net.open("transfer", Order.UNORDERED, "ics20-1")
    for number in range(5):
        receiver = net.b.address("bob") if number else "nobody"
        net.a.execute("alice", transfer(net.a, "alice", path.a, "stake", 10 + number, receiver))
    net.a.execute(
        "alice", transfer(net.a, "alice", path.a, "stake", 9, "x", until=net.clock.now_ns + 60 * SECOND)
    )
    net.clock.advance(120 * SECOND)
    net.b.chain.make_block([])
    net.relay(path)
    voucher = abroad("stake", path.b).coin_denom
    net.b.execute("bob", transfer(net.b, "bob", path.b, voucher, 11, net.a.address("alice")))
    net.relay(path)
    for party in (net.a, net.b):
        yield from _chain(party.chain)
    yield acks.success().hex()
    net.close()


def _chain(chain: LocalChain) -> Iterator[str]:
    for height in range(1, chain.height + 1):
        yield from _block(chain.block(height))


def _block(block: CommittedBlock) -> Iterator[str]:
    yield f"{block.height} {block.time_ns} {block.app_hash.hex()} {block.block_events}"
    for outcome in block.txs:
        yield f"{outcome.code} {outcome.codespace} {outcome.gas_used} {outcome.data.hex()} {outcome.events}"
