"""Errors of chains, proofs and light clients, by codespace.

    IbcError
    HostError                host            ICS-24: identifiers and paths
    SharedError              ibc             ibc-go's shared errors, used by every module
    ClientError              client          ICS-2: light clients
    ClientV2Error            clientv2        IBC v2: counterparties of clients
    ConnectionFault          connection      ICS-3: connections
    ChannelError             channel         ICS-4: channels and packets
    ChannelV2Error           channelv2       IBC v2: packets between clients
    PortError                port            ICS-5: ports
    AppError                 app             ICS-26: missing or invalid callbacks of applications
    ApplicationFault         undefined       a bug of an application: a panic in the SDK
    Ics4Error                ics4            ICS-4 and ICS-5: errors without a code in ibc-go
    CommitmentError          commitment      ICS-23: proofs
    TendermintError          07-tendermint   ICS-7: the tendermint light client
    HeaderVerificationError  cometbft        CometBFT's header verifier (undefined/1 in ibc-go)
    SolomachineError         06-solomachine  ICS-6: the solo machine client
    AttestationsError        attestations    the attestations light client
    TransferError            transfer        ICS-20: token transfer
    GmpError                 gmp             ICS-27 GMP: general message passing
    PacketForwardError       packetfowardmiddleware  packet forwarding; misspelt as in ibc-go
    RateLimitError           ratelimit       the rate-limiting middleware
    CallbackError            ibccallbacks    ADR-8: callbacks of contracts
    InterchainAccountsError  interchainaccounts  ICS-27: interchain accounts
    IcaControllerError       icacontroller   ICS-27: controller submodule
    IcaHostError             icahost         ICS-27: host submodule
    QueueError               queue           the queue protocol: provable queues and receipts
    BankError                bank            the host chain's bank, with the Cosmos SDK's codes
    SdkError                 sdk             the host chain's transactions, with the Cosmos SDK's codes

Each class has its details as fields, a `codespace` and a `code` (ibc-go's if there is one); its docstring
says when and why it is raised. Any other exception is a bug: its transaction fails with `ApplicationFault`,
unless the machine is the cause, which stops the node (docs/adr/0005). Error texts are for humans, and are
neither hashed nor stored. The errors of direct calls and of queues are in `pyibc.direct.errors` and
`pyibc.queues.errors`, which a host without these options does not load. Other parts have one base class
each: `SetupError` (a `ValueError` for wrong wiring, light clients or genesis, before any block),
`RelayerError` and the indexer's `IndexerError` (both `IbcError`), `LocalnetError`, the IAVL tree's
`IavlError`, and the ABCI server's `ServerError`.
"""

from pyibc.core.errors.apps import *
from pyibc.core.errors.base import *
from pyibc.core.errors.base import IbcError as IbcError
from pyibc.core.errors.channel import *
from pyibc.core.errors.client import *
from pyibc.core.errors.light_clients import *
from pyibc.core.errors.middleware import *
from pyibc.core.errors.sdk import *
from pyibc.core.errors.verifier import *
