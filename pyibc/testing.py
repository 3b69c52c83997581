"""For authors of applications: chains in one process, paths, faults; needs `pyibc[testing]`.

ibc_testing/README.md shows how.
"""

from ibc_core.installation import need as _need

_need("ibc_testing")

from ibc_testing.clock import SECOND as SECOND
from ibc_testing.clock import ManualClock as ManualClock
from ibc_testing.faults import Crashed as Crashed
from ibc_testing.faults import CrashingEndpoint as CrashingEndpoint
from ibc_testing.faults import CrashPoints as CrashPoints
from ibc_testing.faults import RecordingEndpoint as RecordingEndpoint
from ibc_testing.faults import UnreliableEndpoint as UnreliableEndpoint
from ibc_testing.interchain_accounts import account_of as account_of
from ibc_testing.interchain_accounts import register_account as register_account
from ibc_testing.interchain_accounts import send_tx as send_tx
from ibc_testing.ledger import broken_laws as broken_laws
from ibc_testing.ledger import channel_view as channel_view
from ibc_testing.three_chains import ThreeChains as ThreeChains
from ibc_testing.three_chains import three_chains as three_chains
from ibc_testing.transfers import abroad as abroad
from ibc_testing.transfers import in_escrow as in_escrow
from ibc_testing.transfers import supply as supply
from ibc_testing.transfers import transfer as transfer
from ibc_testing.transfers import transfer_v2 as transfer_v2
from ibc_testing.two_chains import Party as Party
from ibc_testing.two_chains import TwoChains as TwoChains
from ibc_testing.two_chains import ibc_plugins as ibc_plugins
from ibc_testing.two_chains import two_chains as two_chains
from localnet.attestor import AttestorServer as AttestorServer
from localnet.attestor import NodeAttestor as NodeAttestor
