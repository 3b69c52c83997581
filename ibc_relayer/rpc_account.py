"""The relayer's account on a chain behind an RPC: its sequence, its gas, its signed transactions."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ibc_core.any_message import AnyMessage
from ibc_core.coin import Coin, coin
from ibc_proto.cosmos.auth.v1beta1 import auth_pb2, query_pb2
from ibc_relayer.errors import EndpointRefused, MalformedAnswer
from ibc_relayer.wallet import Wallet

ACCOUNT = "/cosmos.auth.v1beta1.Query/Account"
BASE_ACCOUNT = "/cosmos.auth.v1beta1.BaseAccount"


class GasConfig(NamedTuple):
    """Gas limit and fee of transactions."""

    base: int = 1_000_000  # enough for a client update with some hundred validators
    per_message: int = 400_000
    per_byte: int = 60  # for messages that hold many packets each
    limit: int = 100_000_000  # of one transaction
    price_num: int = 0  # fee = ceil(gas * price_num / price_den), in `denom`
    price_den: int = 1
    denom: str = "stake"

    def gas(self, messages: Sequence[AnyMessage]) -> int:
        """Gas limit of a transaction of these messages."""
        by_size = self.per_byte * sum(len(message.value) for message in messages)
        return min(self.limit, max(self.base + self.per_message * len(messages), by_size))

    def fee(self, gas: int) -> tuple[Coin, ...]:
        """The fee for `gas`."""
        amount = -(-gas * self.price_num // self.price_den)
        return (coin(self.denom, amount),) if amount else ()


class Account:
    """One account on one chain; remembers the sequence between transactions."""

    def __init__(self, wallet: Wallet, chain_id: str, gas: GasConfig) -> None:
        """Nothing is queried before the first transaction."""
        self._wallet = wallet
        self._chain_id = chain_id
        self._gas = gas
        self._state: tuple[int, int] | None = None  # account number, next sequence

    @property
    def address(self) -> str:
        """The address in bech32."""
        return self._wallet.address.text

    def sign(self, messages: Sequence[AnyMessage], query: Callable[[str, bytes], bytes]) -> bytes:
        """Signs the next transaction; queries the account's sequence if it is not known.

        Raises:
            EndpointRefused: the chain knows no such account.
            MalformedAnswer: the answer is not a BaseAccount.
        """
        number, sequence = self._state or self._ask(query)
        gas = self._gas.gas(messages)
        raw = self._wallet.sign_tx(
            messages,
            chain_id=self._chain_id,
            account_number=number,
            sequence=sequence,
            fee=self._gas.fee(gas),
            gas_limit=gas,
        )
        self._state = number, sequence + 1
        return raw

    def forget(self) -> None:
        """Drops the sequence, after a refusal or a lost transaction: it is queried again."""
        self._state = None

    def _ask(self, query: Callable[[str, bytes], bytes]) -> tuple[int, int]:
        request = query_pb2.QueryAccountRequest(address=self.address)
        packed = query_pb2.QueryAccountResponse.FromString(
            query(ACCOUNT, request.SerializeToString())
        ).account
        if packed.type_url != BASE_ACCOUNT:
            raise MalformedAnswer(self._chain_id, ACCOUNT, f"account of type {packed.type_url[:64]!r}")
        account = auth_pb2.BaseAccount.FromString(packed.value)
        if account.address != self.address:
            raise EndpointRefused(self._chain_id, ACCOUNT, f"answers for {account.address[:64]!r}")
        return account.account_number, account.sequence
