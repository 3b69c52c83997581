"""Messages of clients, connections and channels as values (ICS-2, ICS-3, ICS-4).

A message here has passed nothing but decoding; `ibc_core/basic_checks.py` holds the stateless checks.
`signer` is an address as text. Proofs are MerkleProof bytes.
"""

from ibc_core.channel.types import ChannelEnd
from ibc_core.connection.types import ConnectionCounterparty, Version
from ibc_core.height import Height
from ibc_core.packet.types import Packet
from ibc_core.value import value


@value
class AnyMessage:
    """A protobuf Any: type URL and bytes."""

    type_url: str
    value: bytes


@value
class MsgCreateClient:
    """Creates a light client of another chain."""

    client_state: AnyMessage
    consensus_state: AnyMessage
    signer: str


@value
class MsgUpdateClient:
    """Hands a client a header, or evidence of misbehaviour."""

    client_id: str
    client_message: AnyMessage
    signer: str


@value
class MsgUpgradeClient:
    """Moves a client to its chain's next revision, proving what the chain committed to before it halted."""

    client_id: str
    client_state: AnyMessage
    consensus_state: AnyMessage
    client_proof: bytes
    consensus_proof: bytes
    signer: str


@value
class MsgRecoverClient:
    """The authority brings a frozen or expired client back by an active one that follows the same chain."""

    subject_client_id: str
    substitute_client_id: str
    signer: str


@value
class UpgradePlan:
    """When this chain halts for its next revision (Cosmos SDK x/upgrade)."""

    name: str
    time_ns: int  # deprecated on the wire: must be Go's zero time
    height: int  # the first height that this chain does not commit
    info: str
    has_client_state: bool  # deprecated on the wire: must be False


@value
class MsgIbcSoftwareUpgrade:
    """The authority plans an upgrade and commits to the client state of the next revision."""

    plan: UpgradePlan
    upgraded_client_state: AnyMessage
    signer: str


@value
class MsgUpdateClientParams:
    """The authority sets the client parameters, whole."""

    allowed_clients: tuple[str, ...]
    signer: str


@value
class MsgDeleteClientCreator:
    """A client's creator, or the authority, has the chain forget who created it."""

    client_id: str
    signer: str


@value
class MsgUpdateConnectionParams:
    """The authority sets the connection parameters, whole."""

    max_expected_time_per_block_ns: int
    signer: str


@value
class MsgConnectionOpenInit:
    """Chain A starts a connection."""

    client_id_on_a: str
    counterparty: ConnectionCounterparty
    version: Version | None
    delay_period_ns: int
    signer: str
    connection_id_on_a: str = ""  # chosen; "": generated


@value
class MsgConnectionOpenTry:
    """Chain B answers, proving A's INIT."""

    client_id_on_b: str
    counterparty: ConnectionCounterparty
    delay_period_ns: int
    versions_on_a: tuple[Version, ...]
    proof_init: bytes
    proof_height: Height
    signer: str
    connection_id_on_b: str = ""  # chosen; "": generated
    named_on_a: bool = False  # whether A's end names connection_id_on_b


@value
class MsgConnectionOpenAck:
    """Chain A goes OPEN, proving B's TRYOPEN."""

    connection_id_on_a: str
    connection_id_on_b: str
    version: Version | None
    proof_try: bytes
    proof_height: Height
    signer: str


@value
class MsgConnectionOpenConfirm:
    """Chain B goes OPEN, proving A's OPEN."""

    connection_id_on_b: str
    proof_ack: bytes
    proof_height: Height
    signer: str


@value
class MsgChannelOpenInit:
    """Chain A starts a channel."""

    port_id_on_a: str
    channel: ChannelEnd
    signer: str
    channel_id_on_a: str = ""  # chosen; "": generated


@value
class MsgChannelOpenTry:
    """Chain B answers, proving A's INIT."""

    port_id_on_b: str
    previous_channel_id: str  # deprecated on the wire: must be empty
    channel: ChannelEnd
    version_on_a: str
    proof_init: bytes
    proof_height: Height
    signer: str
    channel_id_on_b: str = ""  # chosen, perhaps that of an own INIT end; "": generated
    named_on_a: bool = False  # whether A's end names channel_id_on_b


@value
class MsgChannelOpenAck:
    """Chain A goes OPEN, proving B's TRYOPEN."""

    port_id_on_a: str
    channel_id_on_a: str
    channel_id_on_b: str
    version_on_b: str
    proof_try: bytes
    proof_height: Height
    signer: str


@value
class MsgChannelOpenConfirm:
    """Chain B goes OPEN, proving A's OPEN."""

    port_id_on_b: str
    channel_id_on_b: str
    proof_ack: bytes
    proof_height: Height
    signer: str


@value
class MsgChannelCloseInit:
    """Either chain closes its end."""

    port_id: str
    channel_id: str
    signer: str


@value
class MsgChannelCloseConfirm:
    """The other chain follows, proving CLOSED."""

    port_id: str
    channel_id: str
    proof_init: bytes
    proof_height: Height
    signer: str


@value
class MsgRecvPacket:
    """Chain B receives a packet, proving A's commitment."""

    packet: Packet
    proof_commitment_on_a: bytes
    proof_height_on_a: Height
    signer: str


@value
class MsgAcknowledgement:
    """Chain A learns what B answered, proving B's acknowledgement."""

    packet: Packet
    acknowledgement: bytes
    proof_ack_on_b: bytes
    proof_height_on_b: Height
    signer: str


@value
class MsgTimeout:
    """Chain A takes a packet back, proving that B had not received it when it timed out."""

    packet: Packet
    proof_unreceived_on_b: bytes
    proof_height_on_b: Height
    next_sequence_recv_on_b: int
    signer: str


@value
class MsgCleanupPacket:
    """Chain A forgets a packet, proving that B received it (ICS-4 cleanupPacket)."""

    packet: Packet
    proof_received_on_b: bytes
    proof_height_on_b: Height
    next_sequence_recv_on_b: int  # ordered channels; 0 on others
    acknowledgement: bytes  # unordered channels; b"" on others
    signer: str


@value
class MsgTimeoutOnClose:
    """Chain A takes a packet back, proving that B closed the channel without receiving it."""

    packet: Packet
    proof_unreceived_on_b: bytes
    proof_close_on_b: bytes
    proof_height_on_b: Height
    next_sequence_recv_on_b: int
    signer: str
