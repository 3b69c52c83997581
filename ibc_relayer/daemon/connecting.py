"""Connects a configured chain: its nodes, its key, what it pays."""

import logging
import shlex

from ibc_relayer.daemon.config import ChainConfig, FeeConfig, KeyConfig
from ibc_relayer.daemon.pausing import pause
from ibc_relayer.fees import PRICE_SOURCES, AnyPrice, DynamicPrice, GasPrice, read_decimal
from ibc_relayer.key_types import KEY_TYPES
from ibc_relayer.keys import COMMAND, ENV, read_wallet
from ibc_relayer.ledger import Ledger
from ibc_relayer.ledger_catch_up import catch_up
from ibc_relayer.money_errors import KeyRefused
from ibc_relayer.pool_node import Happening, Notice
from ibc_relayer.rpc_account import GasConfig
from ibc_relayer.rpc_client import RpcConfig
from ibc_relayer.rpc_endpoint import RpcEndpoint
from ibc_relayer.wallet import Wallet

log = logging.getLogger("pyibc.relayer")


ATTEMPTS = 2
"""Of a call to one node: a worker tries again by itself, and another node may answer."""

UNREAD = frozenset({"message", "transfer", "coin_received", "ibc_transfer", "fungible_token_packet"})
"""Events of blocks that neither a link nor the ledger reads; two thirds of what a transfer tells."""
FRESH_S = 0.025
"""How old a chain's height may be: all that wait for blocks of a chain share a call."""


class Connector:
    """Connects the chains of one daemon, with one ledger."""

    def __init__(self, ledger: Ledger | None) -> None:
        """`ledger`: of all their transactions."""
        self._ledger = ledger

    def __call__(self, chain: ChainConfig) -> RpcEndpoint:
        """The endpoint of `chain`; its keys are read anew, and what the ledger has open is settled.

        Raises:
            EndpointUnavailable, RelayerError: no node answers, or none as it should.
            KeyExposed, KeyRefused, OSError: the key cannot be had.
            PriceRefused: a fee is not a number.
        """
        endpoint = RpcEndpoint.connect(
            chain.rpc,
            wallets_of(chain),
            gas_of(chain.fees),
            RpcConfig(sleep=pause, attempts=ATTEMPTS, unread=UNREAD, reads_all=True, fresh_s=FRESH_S),
            ledger=self._ledger,
            chain_id=chain.id,
            tell=_tell,
        )
        try:
            lost = [] if self._ledger is None else catch_up(self._ledger, endpoint)
        except BaseException:
            endpoint.close()
            raise
        if lost:
            log.warning("fees unknown", extra={"chain": chain.id, "pruned": lost[:20]})
        return endpoint


def _tell(notice: Notice) -> None:
    level = logging.INFO if notice.happening is Happening.BACK else logging.WARNING
    facts = {"chain": notice.chain_id, "node": notice.node, "reason": notice.reason}
    log.log(level, "node %s", notice.happening.value, extra=facts)


def wallets_of(chain: ChainConfig) -> list[Wallet]:
    """The wallets of a configured chain, in the order of its keys.

    Raises:
        KeyExposed, KeyRefused, OSError: a key cannot be had, or is there twice.
    """
    found: dict[str, Wallet] = {}
    for key in chain.signers:
        wallet = wallet_of(key, chain.prefix)
        if wallet.address.text in found:
            raise KeyRefused(_where(key), "the same as another")
        found[wallet.address.text] = wallet
    return list(found.values())


def wallet_of(key: KeyConfig, prefix: str) -> Wallet:
    """The wallet of a configured key.

    Raises:
        KeyExposed, KeyRefused, OSError: the key cannot be had.
    """
    return read_wallet(_where(key), prefix, key_type=KEY_TYPES[key.type], hd_path=key.hd_path)


def _where(key: KeyConfig) -> str:
    if key.command is not None:
        return COMMAND + shlex.join(key.command)
    return f"{ENV}{key.env}" if key.env is not None else str(key.file)


def gas_of(fees: FeeConfig) -> GasConfig:
    """How transactions are paid.

    Raises:
        PriceRefused: it is not a number.
    """
    read_decimal(fees.price)  # lest a part of it is taken for the denomination's
    fixed = GasPrice.parse(f"{fees.price}{fees.denom}")
    price: AnyPrice = fixed
    if fees.market:
        most = read_decimal(fees.max_price)
        price = DynamicPrice(PRICE_SOURCES[fees.market], fixed, read_decimal(fees.market_multiplier), most)
    return GasConfig(
        limit=fees.max_gas,
        price=price,
        multiplier=read_decimal(fees.multiplier),
        granter=fees.granter,
        memo=fees.memo,
        max_fee=fees.max_fee,
    )
