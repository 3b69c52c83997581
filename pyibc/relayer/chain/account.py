"""Query of an account's number and sequence (x/auth), for all account types that embed a BaseAccount.

Vesting accounts, Ethermint's EthAccount and others embed it as field 1, some of them one level deeper; a
profile of Desmos holds any of these.
"""

from google.protobuf.message import DecodeError

from pyibc.proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from pyibc.proto.google.protobuf.any_pb2 import Any
from pyibc.relayer.chain.values import Query
from pyibc.relayer.errors import AccountCannotSign, EndpointRefused
from pyibc.relayer.money.fees import field_of
from pyibc.relayer.rpc.reading import read_answer

ACCOUNT = "/cosmos.auth.v1beta1.Query/Account"
MAX_NESTING = 3
"""Maximum nesting down to BaseAccount: ContinuousVestingAccount, BaseVestingAccount, BaseAccount."""

WITHOUT_KEY = ("ModuleAccount", "InterchainAccount")
"""Suffixes of the type URLs of accounts without a key."""


def ask_account(query: Query, chain_id: str, address: str) -> tuple[int, int]:
    """Query number and sequence of the account at `address`.

    Raises:
        EndpointRefused: the account does not exist, or the response is for another address.
        AccountCannotSign: it is a module account, or has no BaseAccount.
        MalformedAnswer: the response cannot be decoded.
    """
    answer = query(ACCOUNT, query_pb2.QueryAccountRequest(address=address).SerializeToString())
    packed = _account_inside(read_answer(chain_id, ACCOUNT, lambda: _packed(answer), query.report_malformed))
    # guard: h151-a-module-signs test_h151_a_module_signs_nothing
    if packed.type_url.endswith(WITHOUT_KEY):
        reason = f"a {packed.type_url[:64]} belongs to a module and has no key"
        raise AccountCannotSign(chain_id, address, reason)
    account = _base_account(packed)
    if account is None:
        reason = f"account type {packed.type_url[:64]!r} has no BaseAccount"
        raise AccountCannotSign(chain_id, address, reason)
    # guard: h151-somebody-else-s-account test_h151_an_account_of_somebody_else_inside
    if account.address != address:
        raise EndpointRefused(chain_id, ACCOUNT, f"the response is for account {account.address[:64]!r}")
    return account.account_number, account.sequence


def _packed(answer: bytes) -> Any:
    packed = query_pb2.QueryAccountResponse.FromString(answer).account
    if not packed.type_url:
        raise ValueError("the response has no account")
    return packed


def _account_inside(packed: Any) -> Any:
    """Return the account that a profile (Desmos x/profiles) holds as an Any in field 1; else the account."""
    try:
        inner = Any.FromString(field_of(packed.value, 1) or b"")
    except DecodeError:
        return packed
    return inner if inner.type_url.startswith("/") else packed


def _base_account(packed: Any) -> auth_pb2.BaseAccount | None:
    raw: bytes | None = packed.value
    for _ in range(MAX_NESTING):
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
    """Return whether the text can be a bech32 address; a nested message begins with a tag byte and cannot."""
    return text.isascii() and text.isalnum()
