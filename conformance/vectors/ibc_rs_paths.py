"""Paths of ibc-rs, built by our functions from their identifiers.

ibc-go has no `ports/{id}` since v10, and neither do we.
"""

import re
from collections.abc import Callable

from conformance.case import Mismatch, expect
from conformance.vectors.rust_cases import arguments
from light_client.tendermint.states import ClientState
from light_client.tendermint.upgrade import upgrade_path
from light_client.tendermint.verifier import TrustLevel
from pyibc.core import paths
from pyibc.core.height import Height

_CONSTANTS = {
    "NEXT_CLIENT_SEQUENCE": (paths.NEXT_CLIENT_SEQUENCE, b"nextClientSequence"),
    "NEXT_CONNECTION_SEQUENCE": (paths.NEXT_CONNECTION_SEQUENCE, b"nextConnectionSequence"),
    "NEXT_CHANNEL_SEQUENCE": (paths.NEXT_CHANNEL_SEQUENCE, b"nextChannelSequence"),
}
_CHANNEL = "ports/([^/]+)/channels/([^/]+)"
_PACKET = _CHANNEL + "/sequences/([0-9]+)"
_HEIGHT = "consensusStates/([0-9]+)-([0-9]+)"


def _at(build: Callable[[str, Height], bytes]) -> Callable[[str, str, str], bytes]:
    return lambda client_id, revision, height: build(client_id, Height(int(revision), int(height)))


def _numbered(build: Callable[[str, str, int], bytes]) -> Callable[[str, str, str], bytes]:
    return lambda port_id, channel_id, sequence: build(port_id, channel_id, int(sequence))


def _upgrade(key: str) -> Callable[[str], bytes]:
    """Return the key of the upgraded states that an upgrading chain commits, in its store `upgrade`."""

    def build(height: str) -> bytes:
        state = ClientState("chain-0", TrustLevel(1, 3), 1, 2, 1, Height(0, int(height)))
        return upgrade_path(state, key)[-1]

    return build


_BUILDERS: tuple[tuple[str, Callable[..., bytes]], ...] = (
    ("clients/([^/]+)/clientState", paths.client_state_path),
    ("clients/([^/]+)/connections", paths.client_connections_path),
    (f"clients/([^/]+)/{_HEIGHT}", _at(paths.consensus_state_path)),
    (f"clients/([^/]+)/{_HEIGHT}/processedTime", _at(paths.processed_time_path)),
    (f"clients/([^/]+)/{_HEIGHT}/processedHeight", _at(paths.processed_height_path)),
    ("connections/([^/]+)", paths.connection_path),
    (f"channelEnds/{_CHANNEL}", paths.channel_path),
    (f"nextSequenceSend/{_CHANNEL}", paths.next_sequence_send_path),
    (f"nextSequenceRecv/{_CHANNEL}", paths.next_sequence_recv_path),
    (f"nextSequenceAck/{_CHANNEL}", paths.next_sequence_ack_path),
    (f"commitments/{_PACKET}", _numbered(paths.packet_commitment_path)),
    (f"receipts/{_PACKET}", _numbered(paths.packet_receipt_path)),
    ("upgradedIBCState/([0-9]+)/upgradedClient", _upgrade("upgradedClient")),
    ("upgradedIBCState/([0-9]+)/upgradedConsState", _upgrade("upgradedConsState")),
    (f"acks/{_PACKET}", _numbered(paths.packet_acknowledgement_path)),
)


def _path(case: str) -> None:
    constant = _CONSTANTS.get(case.partition(",")[0].strip())
    if constant:
        expect(*constant)
        return
    (text, *_), _ = arguments(case)
    if re.fullmatch("ports/[^/]+", str(text)):
        return
    expect(_build(str(text)), str(text).encode())


def _build(text: str) -> bytes:
    for pattern, build in _BUILDERS:
        found = re.fullmatch(pattern, text)
        if found:
            return build(*found.groups())
    raise Mismatch(f"no path has the form {text!r}")


FUNCTIONS: dict[str, Callable[[str], None]] = {"test_successful_parsing": _path}
