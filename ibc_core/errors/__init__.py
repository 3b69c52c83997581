"""The error tree: every error by which a chain, a proof or a light client refuses its input.

    IbcError
    HostError                host            ICS-24: identifiers and paths
    SharedError              ibc             ibc-go's shared errors, used by every module
    ClientError              client          ICS-2: light clients
    ClientV2Error            clientv2        IBC v2: counterparties of clients
    ConnectionFault          connection      ICS-3: connections
    ChannelError             channel         ICS-4: channels and packets
    ChannelV2Error           channelv2       IBC v2: packets between clients
    PortError                port            ICS-5: ports
    AppError                 app             ICS-26: applications that leave something out
    ApplicationFault         undefined       an application's own bug: what the SDK calls a panic
    Ics4Error                ics4            ICS-4's text where ibc-go has no code: owners, direct calls
    CommitmentError          commitment      ICS-23: proofs
    TendermintError          07-tendermint   ICS-7: the tendermint light client
    HeaderVerificationError  cometbft        CometBFT's header verifier (undefined/1 in ibc-go)
    SolomachineError         06-solomachine  ICS-6: the solo machine client
    TransferError            transfer        ICS-20: token transfer
    RateLimitError           ratelimit       the rate-limiting middleware
    QueueError               queue           the queue protocol: provable queues and receipts
    SdkError                 sdk             the host chain's transactions, with the Cosmos SDK's codes

Each class has the details as fields, a `codespace` and a `code` (ibc-go's where ibc-go has one); its
docstring says when it is raised and why. An exception outside this tree is a bug: its transaction fails with
`ApplicationFault`, unless the machine is at fault, which stops the node (docs/adr/0005).
Error texts are for people: nothing that is hashed or stored contains them. The errors of direct calls and of
queues are in `.direct` and `.queue` of this package: a host without those options loads neither.
"""

from ibc_core.errors.app import (
    AppError,
    ApplicationFault,
    CallbackNotImplemented,
    InvalidCallbackAnswer,
    InvalidEvent,
)
from ibc_core.errors.base import IbcError
from ibc_core.errors.channel import (
    AcknowledgementExists,
    ChannelError,
    ChannelExists,
    ChannelNotFound,
    InvalidAcknowledgement,
    InvalidChannel,
    InvalidChannelCounterparty,
    InvalidChannelIdentifier,
    InvalidChannelOrdering,
    InvalidChannelState,
    InvalidChannelVersion,
    InvalidPacket,
    InvalidTimeout,
    PacketCommitmentNotFound,
    PacketNotSent,
    PacketReceived,
    PacketSequenceOutOfOrder,
    RedundantTx,
    SequenceAckNotFound,
    SequenceReceiveNotFound,
    SequenceSendNotFound,
    TimeoutElapsed,
    TimeoutNotReached,
    TooManyConnectionHops,
)
from ibc_core.errors.channelv2 import (
    AcknowledgementExistsV2,
    ChannelV2Error,
    InvalidAcknowledgementV2,
    InvalidPacketV2,
    InvalidPayload,
    InvalidTimeoutV2,
    SequenceSendNotFoundV2,
    TimeoutElapsedV2,
    TimeoutNotReachedV2,
)
from ibc_core.errors.client import (
    ClientError,
    ClientExists,
    ClientFrozen,
    ClientNotActive,
    ClientNotFound,
    ClientRouteNotFound,
    ClientTypeNotFound,
    ClientTypeNotSupported,
    ConsensusStateNotFound,
    FailedMembershipVerification,
    FailedNonMembershipVerification,
    InvalidClient,
    InvalidClientHeader,
    InvalidClientHeight,
    InvalidClientMetadata,
    InvalidClientType,
    InvalidConsensus,
    InvalidMisbehaviour,
    InvalidRecoveryClient,
    InvalidSubstitute,
    InvalidUpgradeClient,
    InvalidUpgradeProposal,
    UpdateClientFailed,
)
from ibc_core.errors.clientv2 import ClientCounterpartyNotFound, ClientV2Error, InvalidClientCounterparty
from ibc_core.errors.commitment import CommitmentError, InvalidMerkleProof, InvalidPrefix, InvalidProof
from ibc_core.errors.connection import (
    ClientConnectionPathsNotFound,
    ConnectionExists,
    ConnectionFault,
    ConnectionNotFound,
    InvalidConnection,
    InvalidConnectionCounterparty,
    InvalidConnectionIdentifier,
    InvalidConnectionPath,
    InvalidConnectionState,
    InvalidConnectionVersion,
    VersionNegotiationFailed,
)
from ibc_core.errors.host import HostError, InvalidIdentifier, InvalidPath
from ibc_core.errors.ics4 import CounterpartyUnknown, Ics4Error, NotPortOwner, TooManyOptimisticPackets
from ibc_core.errors.port import InvalidRoute, PortError, PortExists
from ibc_core.errors.ratelimit import QuotaExceeded, RateLimitError, RateLimitNotFound
from ibc_core.errors.sdk import (
    InsufficientBalance,
    InsufficientFee,
    InvalidGasLimit,
    InvalidPubKey,
    InvalidSdkAddress,
    InvalidSdkCoins,
    InvalidSdkRequest,
    InvalidSdkSequence,
    MemoTooLarge,
    NoSignatures,
    NotSupported,
    OutOfGas,
    SdkError,
    TooManySignatures,
    TxDecode,
    TxInMempool,
    TxTimeout,
    TxTimeoutHeight,
    TxTooLarge,
    UnauthorizedTx,
    UnknownAccount,
    UnknownMessage,
    WrongSequence,
)
from ibc_core.errors.shared import (
    InsufficientFunds,
    InvalidAddress,
    InvalidChainId,
    InvalidCoins,
    InvalidHeight,
    InvalidRequest,
    InvalidSequence,
    InvalidType,
    InvalidVersion,
    LogicFault,
    NotFound,
    PackAny,
    SharedError,
    TooLarge,
    Unauthorized,
    UnknownRequest,
    UnpackAny,
)
from ibc_core.errors.solomachine import (
    InvalidSignatureAndData,
    InvalidSolomachineHeader,
    InvalidSolomachineProof,
    SignatureVerificationFailed,
    SolomachineError,
)
from ibc_core.errors.tendermint import (
    DelayPeriodNotPassed,
    InvalidHeader,
    InvalidHeaderHeight,
    InvalidMaxClockDrift,
    InvalidProofSpecs,
    InvalidTendermintChainId,
    InvalidTrustingPeriod,
    InvalidTrustLevel,
    InvalidUnbondingPeriod,
    InvalidValidatorSet,
    ProcessedHeightNotFound,
    ProcessedTimeNotFound,
    TendermintError,
    TrustingPeriodExpired,
    UnbondingPeriodExpired,
)
from ibc_core.errors.transfer import (
    DenomNotFound,
    InvalidAmount,
    InvalidAuthorization,
    InvalidDenomForTransfer,
    InvalidMemo,
    InvalidPacketTimeout,
    InvalidTransferVersion,
    MaxTransferChannels,
    ReceiveDisabled,
    ReceiveFailed,
    SendDisabled,
    TransferError,
)
from ibc_core.errors.verifier import (
    DuplicateVote,
    HeaderExpired,
    HeaderFromFuture,
    HeaderVerificationError,
    MalformedCommit,
    MalformedHeader,
    MalformedValidatorSet,
    NextValidatorsHashMismatch,
    NonMonotonicHeight,
    NonMonotonicTime,
    NotEnoughPower,
    NotEnoughTrust,
    ValidatorsHashMismatch,
    WrongBlockId,
    WrongChainId,
    WrongCommitHeight,
    WrongCommitSize,
    WrongSignature,
    WrongValidatorAddress,
)

__all__ = [
    "AcknowledgementExists", "AcknowledgementExistsV2", "AppError", "ApplicationFault",
    "CallbackNotImplemented",
    "ChannelError", "ChannelExists",
    "ChannelNotFound", "ChannelV2Error", "ClientConnectionPathsNotFound", "ClientCounterpartyNotFound",
    "ClientError", "ClientExists", "ClientFrozen", "ClientNotActive", "ClientNotFound",
    "ClientRouteNotFound", "ClientTypeNotFound", "ClientTypeNotSupported", "ClientV2Error",
    "CommitmentError", "ConnectionExists", "ConnectionFault", "ConnectionNotFound",
    "ConsensusStateNotFound", "CounterpartyUnknown", "DelayPeriodNotPassed", "DenomNotFound",
    "DuplicateVote", "FailedMembershipVerification", "FailedNonMembershipVerification", "HeaderExpired",
    "HeaderFromFuture", "HeaderVerificationError", "HostError", "IbcError", "Ics4Error",
    "InsufficientBalance", "InsufficientFee", "InsufficientFunds", "InvalidAcknowledgement",
    "InvalidAcknowledgementV2", "InvalidAddress", "InvalidAmount", "InvalidAuthorization",
    "InvalidCallbackAnswer",
    "InvalidChainId", "InvalidChannel", "InvalidChannelCounterparty", "InvalidChannelIdentifier",
    "InvalidChannelOrdering", "InvalidChannelState", "InvalidChannelVersion", "InvalidClient",
    "InvalidClientCounterparty", "InvalidClientHeader", "InvalidClientHeight", "InvalidClientMetadata",
    "InvalidClientType", "InvalidCoins", "InvalidConnection", "InvalidConnectionCounterparty",
    "InvalidConnectionIdentifier", "InvalidConnectionPath", "InvalidConnectionState",
    "InvalidConnectionVersion", "InvalidConsensus", "InvalidDenomForTransfer", "InvalidEvent",
    "InvalidGasLimit",
    "InvalidHeader", "InvalidHeaderHeight", "InvalidHeight", "InvalidIdentifier", "InvalidMaxClockDrift",
    "InvalidMemo", "InvalidMerkleProof", "InvalidMisbehaviour", "InvalidPacket", "InvalidPacketTimeout",
    "InvalidPacketV2", "InvalidPath", "InvalidPayload", "InvalidPrefix", "InvalidProof",
    "InvalidProofSpecs", "InvalidPubKey", "InvalidRecoveryClient", "InvalidRequest", "InvalidRoute",
    "InvalidSdkAddress", "InvalidSdkCoins", "InvalidSdkRequest", "InvalidSdkSequence", "InvalidSequence",
    "InvalidSignatureAndData", "InvalidSolomachineHeader", "InvalidSolomachineProof", "InvalidSubstitute",
    "InvalidTendermintChainId", "InvalidTimeout", "InvalidTimeoutV2", "InvalidTransferVersion",
    "InvalidTrustLevel", "InvalidTrustingPeriod", "InvalidType", "InvalidUnbondingPeriod",
    "InvalidUpgradeClient", "InvalidUpgradeProposal", "InvalidValidatorSet", "InvalidVersion",
    "LogicFault", "MalformedCommit", "MalformedHeader", "MalformedValidatorSet", "MaxTransferChannels",
    "MemoTooLarge", "NextValidatorsHashMismatch", "NoSignatures", "NonMonotonicHeight",
    "NonMonotonicTime", "NotEnoughPower", "NotEnoughTrust", "NotFound", "NotPortOwner", "NotSupported",
    "OutOfGas", "PackAny", "PacketCommitmentNotFound", "PacketNotSent", "PacketReceived",
    "PacketSequenceOutOfOrder", "PortError", "PortExists", "ProcessedHeightNotFound",
    "ProcessedTimeNotFound", "QuotaExceeded", "RateLimitError", "RateLimitNotFound", "ReceiveDisabled",
    "ReceiveFailed", "RedundantTx", "SdkError", "SendDisabled", "SequenceAckNotFound",
    "SequenceReceiveNotFound", "SequenceSendNotFound", "SequenceSendNotFoundV2", "SharedError",
    "SignatureVerificationFailed", "SolomachineError", "TendermintError", "TimeoutElapsed",
    "TimeoutElapsedV2", "TimeoutNotReached", "TimeoutNotReachedV2", "TooLarge", "TooManyConnectionHops",
    "TooManyOptimisticPackets", "TooManySignatures", "TransferError", "TrustingPeriodExpired", "TxDecode",
    "TxInMempool", "TxTimeout", "TxTimeoutHeight", "TxTooLarge", "Unauthorized", "UnauthorizedTx",
    "UnbondingPeriodExpired", "UnknownAccount", "UnknownMessage", "UnknownRequest", "UnpackAny",
    "UpdateClientFailed", "ValidatorsHashMismatch", "VersionNegotiationFailed", "WrongBlockId",
    "WrongChainId", "WrongCommitHeight", "WrongCommitSize", "WrongSequence", "WrongSignature",
    "WrongValidatorAddress",
]  # fmt: skip
