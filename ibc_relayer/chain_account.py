"""An account as a chain tells of it: number and sequence, of whatever type it is.

Vesting accounts, Ethermint's and others hold a BaseAccount as their first field, some one level further in.
"""

from google.protobuf.message import DecodeError

from ibc_proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from ibc_proto.google.protobuf.any_pb2 import Any
from ibc_relayer.errors import EndpointRefused
from ibc_relayer.fees import Query, field_of
from ibc_relayer.money_errors import AccountCannotSign
from ibc_relayer.rpc_read import read_answer

ACCOUNT = "/cosmos.auth.v1beta1.Query/Account"
DEPTH = 3
"""Messages around each other down to the BaseAccount: ContinuousVestingAccount, BaseVestingAccount, it."""

KEYLESS = ("ModuleAccount", "InterchainAccount")
"""How the types of accounts end that no key signs for."""


def ask_account(query: Query, chain_id: str, address: str) -> tuple[int, int]:
    """Number and sequence of the account of `address`.

    Raises:
        EndpointRefused: the chain knows no such account, or answers for another.
        AccountCannotSign: it is a module's, or holds no BaseAccount.
        MalformedAnswer: the answer is no account.
    """
    answer = query(ACCOUNT, query_pb2.QueryAccountRequest(address=address).SerializeToString())
    packed = read_answer(chain_id, ACCOUNT, lambda: _packed(answer), query)
    # guard: h151-a-module-signs test_h151_a_module_signs_nothing
    if packed.type_url.endswith(KEYLESS):
        reason = f"a {packed.type_url[:64]} belongs to a module of the chain: no key signs for it"
        raise AccountCannotSign(chain_id, address, reason)
    account = _base_account(packed)
    if account is None:
        reason = f"type {packed.type_url[:64]!r} holds no BaseAccount"
        raise AccountCannotSign(chain_id, address, reason)
    # guard: h151-somebody-else-s-account test_h151_an_account_of_somebody_else_inside
    if account.address != address:
        raise EndpointRefused(chain_id, ACCOUNT, f"answers for {account.address[:64]!r}")
    return account.account_number, account.sequence


def _packed(answer: bytes) -> Any:
    packed = query_pb2.QueryAccountResponse.FromString(answer).account
    if not packed.type_url:
        raise ValueError("it has no account")
    return packed


def _base_account(packed: Any) -> auth_pb2.BaseAccount | None:
    raw: bytes | None = packed.value
    for _ in range(DEPTH):
        if raw is None:
            return None
        try:
            account = auth_pb2.BaseAccount.FromString(raw)
        except DecodeError:
            account = auth_pb2.BaseAccount()
        if _is_address(account.address):
            return account
        raw = field_of(raw, 1)
    return None


def _is_address(text: str) -> bool:
    """Whether it is text like an address; the bytes of an inner message begin with a tag, and so are not."""
    return text.isascii() and text.isalnum()
