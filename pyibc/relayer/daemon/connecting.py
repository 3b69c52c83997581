"""Connection of a configured chain: its nodes, keys and fees."""

import logging
import shlex
from collections.abc import Callable
from pathlib import Path

from pyibc.relayer.config.model import ChainConfig, FeeConfig, KeyConfig, SecretConfig
from pyibc.relayer.daemon.threads import pause
from pyibc.relayer.errors import KeyRefused
from pyibc.relayer.money.account import FeeTerms, GasConfig
from pyibc.relayer.money.budgets import Budget
from pyibc.relayer.money.fees import PRICE_SOURCES, AnyPrice, DynamicPrice, GasPrice
from pyibc.relayer.money.hd_keys import decrypt_key
from pyibc.relayer.money.keys import COMMAND, ENV, read_private_file, read_secret, read_wallet
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import catch_up
from pyibc.relayer.money.remote_signer import RemoteWallet, shown_signer
from pyibc.relayer.money.spending_file import SpendingFile
from pyibc.relayer.money.wallet import KEY_TYPES, Wallet
from pyibc.relayer.rpc.client import RpcConfig
from pyibc.relayer.rpc.endpoint import RpcEndpoint
from pyibc.relayer.rpc.pool_node import Happening, Notice

log = logging.getLogger("pyibc.relayer")


ATTEMPTS = 2
"""Attempts of a call to one node; the worker retries, and another node may answer."""

UNREAD = frozenset({"message", "transfer", "coin_received", "ibc_transfer", "fungible_token_packet"})
"""Events of blocks that neither links nor the ledger read: two thirds of a transfer's events."""
FRESH_S = 0.025
"""Maximum age of a chain's height in seconds; threads that wait for its blocks share a call."""


RPC = RpcConfig(sleep=pause, attempts=ATTEMPTS, unread=UNREAD, reads_all=True, fresh_s=FRESH_S)


class Connector:
    """Connects the chains of one daemon, with one ledger."""

    def __init__(
        self,
        ledger: Ledger | None,
        wallets: Callable[[ChainConfig], list[Wallet]] | None = None,
        spending: SpendingFile | None = None,
    ) -> None:
        """Set where transactions and the day's spending are kept, None: nowhere.

        `wallets` replaces `wallets_of`.
        """
        self._spending = spending
        self._ledger = ledger
        self._wallets = wallets or wallets_of

    def __call__(self, chain: ChainConfig) -> RpcEndpoint:
        """Return the endpoint of `chain`; complete the ledger's open transactions.

        Raises:
            EndpointUnavailable, RelayerError: no node answers, or none answers as it should.
            KeyExposed, KeyRefused, OSError: a key cannot be read.
        """
        endpoint = RpcEndpoint.connect(
            chain.rpc,
            self._wallets(chain),
            gas_of(*chain.all_fees)._replace(spending=self._spending),
            RPC._replace(ca_file=chain.ca_file),
            ledger=self._ledger,
            chain_id=chain.id,
            tell=_log_notice,
        )
        try:
            lost = [] if self._ledger is None else catch_up(self._ledger, endpoint)
        except BaseException:
            endpoint.close()
            raise
        if lost:
            log.warning("fees unknown", extra={"chain": chain.id, "pruned": lost[:20]})
        return endpoint


def _log_notice(notice: Notice) -> None:
    level = logging.INFO if notice.happening is Happening.BACK else logging.WARNING
    facts = {"chain": notice.chain_id, "node": notice.node, "reason": notice.reason}
    log.log(level, "node %s", notice.happening.value, extra=facts)


def wallets_of(chain: ChainConfig) -> list[Wallet]:
    """Return the wallets of a configured chain, in the order of its keys.

    Raises:
        KeyExposed, KeyRefused, OSError: a key cannot be read, or is there twice.
    """
    found: dict[str, Wallet] = {}
    for key in chain.signers:
        add_wallet(found, key, chain.prefix)
    return list(found.values())


def add_wallet(found: dict[str, Wallet], key: KeyConfig, prefix: str) -> Wallet:
    """Add the wallet of a configured key to those of its chain, by address, and return it.

    Raises:
        KeyExposed, KeyRefused, OSError: the key cannot be read, or is there already.
    """
    wallet = wallet_of(key, prefix)
    if wallet.address.text in found:
        raise KeyRefused(where_is(key), "the same as another")
    found[wallet.address.text] = wallet
    return wallet


def wallet_of(key: KeyConfig, prefix: str) -> Wallet:
    """Return the wallet of a configured key.

    Raises:
        KeyExposed, KeyRefused, OSError: the key cannot be read.
    """
    kind, where = KEY_TYPES[key.type], where_is(key)
    if key.signer is not None:
        return RemoteWallet(key.signer, key.name, prefix, kind)
    if key.passphrase is None:
        return read_wallet(where, prefix, key_type=kind, hd_path=key.hd_path, pause=pause)
    text = read_private_file(Path(where))
    passphrase = read_secret(where_is(key.passphrase), pause=pause).partition("\n")[0].rstrip("\r")
    return Wallet(decrypt_key(text, where, passphrase), prefix, kind)


def where_is(secret: SecretConfig) -> str:
    """Return the source of a key or passphrase, as `read_secret` takes it."""
    if isinstance(secret, KeyConfig) and secret.signer is not None:
        return f"{shown_signer(secret.signer)} {secret.name}"
    if secret.command is not None:
        return COMMAND + shlex.join(secret.command)
    return f"{ENV}{secret.env}" if secret.env is not None else str(secret.file)


def gas_of(fees: FeeConfig, *others: FeeConfig) -> GasConfig:
    """Return the gas configuration of a chain's transactions; `others` are fees in further denominations."""
    terms = _terms(fees)
    return GasConfig(
        limit=fees.max_gas,
        price=terms.price,
        multiplier=fees.multiplier,
        granter=fees.granter,
        memo=fees.memo,
        max_fee=terms.max_fee,
        budget=terms.budget,
        others=tuple(map(_terms, others)),
    )


def _terms(fees: FeeConfig) -> FeeTerms:
    fixed = GasPrice(fees.price, fees.denom)
    price: AnyPrice = fixed
    if fees.market:
        price = DynamicPrice(PRICE_SOURCES[fees.market], fixed, fees.market_multiplier, fees.max_price)
    return FeeTerms(price, fees.max_fee, Budget(fees.budget.chain, fees.budget.path, fees.budget.sender))
