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
    AttestationsError        attestations    the client of what attestors signed
    TransferError            transfer        ICS-20: token transfer
    GmpError                 gmp             ICS-27 GMP: calls
    PacketForwardError       packetfowardmiddleware  packet forwarding; the name is misspelt so in ibc-go
    RateLimitError           ratelimit       the rate-limiting middleware
    CallbackError            ibccallbacks    ADR-8: contracts that are called when packets go by
    InterchainAccountsError  interchainaccounts  ICS-27: interchain accounts
    IcaControllerError       icacontroller   ICS-27: who controls them
    IcaHostError             icahost         ICS-27: who has them
    QueueError               queue           the queue protocol: provable queues and receipts
    BankError                bank            the host chain's bank, with the Cosmos SDK's codes
    SdkError                 sdk             the host chain's transactions, with the Cosmos SDK's codes

Each class has the details as fields, a `codespace` and a `code` (ibc-go's where ibc-go has one); its
docstring says when it is raised and why. An exception outside this tree is a bug: its transaction fails with
`ApplicationFault`, unless the machine is at fault, which stops the node (docs/adr/0005).
Error texts are for people: nothing that is hashed or stored contains them. The errors of direct calls and of
queues are in `.direct` and `.queue` of this package: a host without those options loads neither.
Each other part has one base too: `SetupError` (a `ValueError`: a host's wiring, light clients or genesis are
wrong, before any block), `RelayerError` and the indexer's `IndexerError` (both `IbcError`), `LocalnetError`,
the tree's `IavlError`, and the ABCI server's `ServerError`.
"""

from ibc_core.errors.app import *
from ibc_core.errors.attestations import *
from ibc_core.errors.bank import *
from ibc_core.errors.base import IbcError as IbcError
from ibc_core.errors.channel import *
from ibc_core.errors.channelv2 import *
from ibc_core.errors.client import *
from ibc_core.errors.clientv2 import *
from ibc_core.errors.commitment import *
from ibc_core.errors.connection import *
from ibc_core.errors.gmp import *
from ibc_core.errors.host import *
from ibc_core.errors.ibccallbacks import *
from ibc_core.errors.ics4 import *
from ibc_core.errors.interchainaccounts import *
from ibc_core.errors.no_verdict import *
from ibc_core.errors.packetforward import *
from ibc_core.errors.port import *
from ibc_core.errors.ratelimit import *
from ibc_core.errors.sdk import *
from ibc_core.errors.shared import *
from ibc_core.errors.solomachine import *
from ibc_core.errors.tendermint import *
from ibc_core.errors.transfer import *
from ibc_core.errors.verifier import *
