"""Rules for a daemon's configuration that types do not express."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pyibc.core.address import AddressCodec, is_prefix
from pyibc.core.coin import is_denom
from pyibc.core.errors import InvalidAddress
from pyibc.relayer.clients.attestations.driver import AttestationsDriver
from pyibc.relayer.config import model
from pyibc.relayer.money.remote_signer import check_signer
from pyibc.relayer.rpc.client import HttpRpc, RpcConfig
from pyibc.relayer.rpc.http_connect import tls_context

MAX_CHAINS, MAX_PATHS, MAX_KEYS, MAX_URLS = 256, 1024, 64, 16
MAX_CHANNELS = 10_000
"""Maximum of `max_channels`."""
MAX_NAME = 256
"""Maximum length of the name of a signer's key."""
MAX_DENOMS = 8
"""Maximum number of denominations of a chain's fees."""
_OF_TRANSACTIONS = ("multiplier", "max_gas", "granter", "memo")
"""Keys of `fees` that do not depend on the denomination."""
_CONSUMER = re.compile(r"\d{1,20}", re.ASCII)
_LISTEN = re.compile(r"[\w.:\[\]-]*:(\d{1,4}|[1-5]\d{4}|6[0-4]\d{3})", re.ASCII)  # ports below 65,000

Place = tuple[str | int, ...]
"""Keys and numbers of array entries from the top of the file to a value: `("chains", 0, "fees", "price")`."""


class Mistake(NamedTuple):
    """Mistake in a configuration."""

    at: Place  # of the value, or of the table if a value is missing; empty: the whole file
    text: str  # what is wrong, and what to do


def mistakes_of(config: model.Config, chain_ids: set[str]) -> Iterator[Mistake]:
    """Yield mistakes that types do not exclude; paths may lead to `chain_ids`."""
    if len(config.chains) > MAX_CHAINS or len(config.paths) > MAX_PATHS:
        yield Mistake((), f"too much for one daemon: at most {MAX_CHAINS} chains and {MAX_PATHS} paths")
        return
    yield from _name_mistakes("chain", [chain.id for chain in config.chains])
    yield from _name_mistakes("path", [path.label for path in config.paths])
    yield from _relayer_mistakes(config)
    for number, chain in enumerate(config.chains):
        at = ("chains", number)
        yield from _chain_mistakes(chain, at)
        yield from _key_mistakes(chain, at)
        yield from _fee_mistakes(chain, at)
        yield from _consumer_mistakes(chain, chain_ids, at)
    yield from _attestor_mistakes(config)
    for number, path in enumerate(config.paths):
        yield from _path_mistakes(path, chain_ids, ("paths", number))
    yield from _twice_mistakes(config.paths)


def is_listen(text: str) -> bool:
    """Return whether a text is HOST:PORT, as in `relayer.listen`; the host may be omitted."""
    return _LISTEN.fullmatch(text) is not None


def _name_mistakes(what: str, names: list[str]) -> Iterator[Mistake]:
    key = "id" if what == "chain" else "name"
    times = Counter(names)
    for number, name in enumerate(names):
        at = (f"{what}s", number, key)
        if not name or not name.isprintable() or len(name) > 256:
            yield Mistake(at, f"a {what} is called {name[:64]!r}: use 1 to 256 printable characters")
        if times[name] > 1 and names.index(name) != number:
            yield Mistake(at, f"two {what}s are called {name}: give each a {key} of its own")


def _relayer_mistakes(config: model.Config) -> Iterator[Mistake]:
    relayer = config.relayer
    if not 0.01 <= relayer.interval <= 3600:
        yield Mistake(("relayer", "interval"), "out of range: it is between 0.01 and 3600 seconds")
    if relayer.listen and not is_listen(relayer.listen):
        yield Mistake(
            ("relayer", "listen"), f"{relayer.listen[:64]!r} is not HOST:PORT, such as 127.0.0.1:3001"
        )
    for name in ("journal", "ledger", "locks"):
        if "\0" in getattr(relayer, name):
            yield Mistake(("relayer", name), "has a zero byte: name a file")
    if relayer.journal == relayer.ledger:
        yield Mistake(("relayer", "ledger"), "the same file as the journal: name another one")


def _chain_mistakes(chain: model.ChainConfig, at: Place) -> Iterator[Mistake]:
    if not chain.rpc or len(chain.rpc) > MAX_URLS:
        yield Mistake((*at, "rpc"), f"{len(chain.rpc)} URLs: give one to {MAX_URLS}")
    for number, url in enumerate(chain.rpc):
        try:
            HttpRpc(url, RpcConfig()).close()
        except ValueError as error:  # its text does not quote the URL, which may contain a password
            yield Mistake((*at, "rpc", number), str(error))
    if len(set(chain.rpc)) < len(chain.rpc):
        yield Mistake((*at, "rpc"), "a URL is there twice: remove one")
    try:
        if chain.ca_file:
            tls_context(chain.ca_file)
    except ValueError as error:
        yield Mistake((*at, "ca_file"), str(error))
    if not is_prefix(chain.prefix):
        yield Mistake((*at, "prefix"), f"{chain.prefix[:64]!a} is not a bech32 prefix, such as cosmos")


def _key_mistakes(chain: model.ChainConfig, at: Place) -> Iterator[Mistake]:
    if (chain.key is None) == (not chain.keys) or len(chain.keys) > MAX_KEYS:
        yield Mistake(at, f"needs either key, or keys with 1 to {MAX_KEYS} entries")
    if len(set(chain.signers)) < len(chain.signers):
        yield Mistake((*at, "keys"), "a key is there twice: remove one")
    for place, key in signers_at(chain, at):
        if key.signer is not None:
            yield from _signer_mistakes(key, place)
            continue
        yield from _source_mistakes("a key", key, place)
        if key.passphrase is not None:
            yield from _source_mistakes("a passphrase", key.passphrase, (*place, "passphrase"))
            if key.file is None or key.hd_path is not None:
                text = "belongs to a file of `pyibc keys export`, which has no hd_path: remove it"
                yield Mistake((*place, "passphrase"), text)


def _signer_mistakes(key: model.KeyConfig, at: Place) -> Iterator[Mistake]:
    try:
        check_signer(key.signer or "")
    except ValueError as error:  # its text does not quote the address, which may contain a password
        yield Mistake((*at, "signer"), str(error))
    if not key.name or len(key.name) > MAX_NAME:
        yield Mistake((*at, "name"), f"a signer needs the name of its key, 1 to {MAX_NAME} characters")
    if any((key.file, key.env, key.command, key.hd_path, key.passphrase)):
        yield Mistake(at, "has a signer, which has the key: remove its other sources")


def _source_mistakes(what: str, secret: model.SecretConfig, at: Place) -> Iterator[Mistake]:
    if [secret.file, secret.env, secret.command or None].count(None) != 2:
        or_signer = ", or a signer" if isinstance(secret, model.KeyConfig) else ""
        yield Mistake(at, f"{what} needs exactly one of file, env and command{or_signer}")
    named = [secret.file or "", secret.env or "", *(secret.command or ())]
    yield from (Mistake(at, f"{word[:64]!r} has a zero byte: remove it") for word in named if "\0" in word)


def signers_at(chain: model.ChainConfig, at: Place) -> Iterable[tuple[Place, model.KeyConfig]]:
    """Return the keys of a chain with their places."""
    if chain.key is not None:
        return [((*at, "key"), chain.key)]
    return [((*at, "keys", number), key) for number, key in enumerate(chain.keys)]


def _fee_mistakes(chain: model.ChainConfig, at: Place) -> Iterator[Mistake]:
    at = (*at, "fees")
    if not isinstance(chain.fees, tuple):
        yield from _denom_mistakes(chain.fees, at)
        yield from _gas_mistakes(chain.fees, chain.prefix, at)
        return
    if not 1 <= len(chain.fees) <= MAX_DENOMS:
        yield Mistake(at, f"{len(chain.fees)} denominations: give one to {MAX_DENOMS}")
    denoms = [fees.denom for fees in chain.fees]
    for number, fees in enumerate(chain.fees):
        yield from _denom_mistakes(fees, (*at, number))
        if fees.denom in denoms[:number]:
            yield Mistake((*at, number, "denom"), f"{fees.denom[:64]!r} is there twice: remove one")
        for name in _OF_TRANSACTIONS if number else ():
            if getattr(fees, name) != getattr(model.FeeConfig(), name):
                text = "is of all transactions: set it in the first entry of fees"
                yield Mistake((*at, number, name), text)
    for fees in chain.fees[:1]:
        yield from _gas_mistakes(fees, chain.prefix, (*at, 0))


def _denom_mistakes(fees: model.FeeConfig, at: Place) -> Iterator[Mistake]:
    if not is_denom(fees.denom):
        yield Mistake((*at, "denom"), f"{fees.denom[:64]!r} is not a denomination, such as uatom")
    if fees.max_fee is not None and fees.max_fee < 0:
        yield Mistake((*at, "max_fee"), "max_fee is negative: no packet could be relayed")
    for part in ("chain", "path", "sender"):
        limit = getattr(fees.budget, part)
        if limit is not None and limit < 0:
            yield Mistake((*at, "budget", part), "a budget is negative: give units of denom for a day")


def _gas_mistakes(fees: model.FeeConfig, prefix: str, at: Place) -> Iterator[Mistake]:
    if fees.multiplier < 1:
        yield Mistake((*at, "multiplier"), "below 1: a transaction needs at least the gas of its simulation")
    if fees.max_gas < 1:
        yield Mistake((*at, "max_gas"), "not positive: no transaction could be sent")
    if fees.granter and is_prefix(prefix):
        try:
            AddressCodec(prefix).decode(fees.granter, "granter")
        except InvalidAddress:
            text = f"{fees.granter[:64]!r} is not an address of the chain, which begin with {prefix}1"
            yield Mistake((*at, "granter"), text)


def _consumer_mistakes(chain: model.ChainConfig, chain_ids: set[str], at: Place) -> Iterator[Mistake]:
    if chain.consumer and not _CONSUMER.fullmatch(chain.consumer):
        text = f"{chain.consumer[:64]!r} is not a consumer id, a number of the provider such as 3"
        yield Mistake((*at, "consumer"), text)
    if chain.provider and (chain.provider == chain.id or chain.provider not in chain_ids):
        text = f"no other chain is called {chain.provider[:64]!r}: use the id of one of [[chains]]"
        yield Mistake((*at, "provider"), text)
    if chain.provider and not chain.consumer:
        yield Mistake((*at, "provider"), "has no consumer id: set `consumer`, or remove it")


def _attestor_mistakes(config: model.Config) -> Iterator[Mistake]:
    found = []
    for number, chain in enumerate(config.chains):
        try:
            quorum = chain.quorum
            if quorum is not None:
                AttestationsDriver(quorum)
                found.append(quorum)
        except ValueError as error:
            yield Mistake(("chains", number, "attestors"), str(error))
    try:
        AttestationsDriver(*found)
    except ValueError as error:
        yield Mistake(("chains",), f"attestors: {error}")


def _path_mistakes(path: model.PathConfig, known: set[str], at: Place) -> Iterator[Mistake]:
    for key, end in (("a", path.a), ("b", path.b)):
        if end not in known:
            yield Mistake((*at, key), f"no chain is called {end[:64]!r}: use the id of one of [[chains]]")
    if path.a == path.b:
        yield Mistake((*at, "b"), f"both ends are on {path.a[:64]!r}: a path leads to another chain")
    named = {"channel": bool(path.channels), "v2": bool(path.client), "queue": bool(path.ends)}
    if path.protocol != "queue" and not named[path.protocol]:
        yield Mistake(at, f"needs {'channels' if path.protocol == 'channel' else 'client'}")
    if any(given for protocol, given in named.items() if protocol != path.protocol):
        yield Mistake(
            at, "has channels, client or ends of another protocol: remove them, or change `protocol`"
        )
    if not 1 <= path.max_channels <= MAX_CHANNELS:
        yield Mistake((*at, "max_channels"), f"out of range: it is between 1 and {MAX_CHANNELS}")
    if path.excepted and not model.is_pattern(path):
        yield Mistake(
            (*at, "except"), "no channel or port is a pattern: remove `except`, or use one with `*`"
        )
    yield from _sequence_mistakes(path, (*at, "exclude_sequences"))
    try:
        path.queue_ends  # noqa: B018 - raises if an end is malformed
    except ValueError as error:
        yield Mistake((*at, "ends"), str(error))


def _sequence_mistakes(path: model.PathConfig, at: Place) -> Iterator[Mistake]:
    if path.exclude_sequences and path.protocol == "queue":
        yield Mistake(at, "queues have no sequences to exclude: remove it")
        return
    for text in path.exclude_sequences:
        if not model.may_send(path, *path.sender(text)):
            where = f"name one of {path.a[:64]!r}, or CHAIN/CHANNEL"
            yield Mistake((*at, text), f"{text[:64]!r} is no channel or client of this path: {where}")
    try:
        path.excluded  # noqa: B018 - raises if a sequence is malformed
    except ValueError as error:
        yield Mistake(at, str(error))


def _twice_mistakes(paths: tuple[model.PathConfig, ...]) -> Iterator[Mistake]:
    """Yield channels, clients and ends that are relayed twice; each would be paid twice."""
    seen: dict[object, str] = {}
    for number, path in enumerate(paths):
        key = {"channel": "channels", "v2": "client", "queue": "ends"}[path.protocol]
        for what in _relayed(path):
            name = (path.a, path.b, path.protocol, path.port, what)
            # guard: a-path-given-twice test_a_path_that_is_given_twice_is_refused
            if name in seen:
                text = f"{what} is relayed by path {seen[name]} already: remove it from one of them"
                yield Mistake(("paths", number, key), text)
            seen[name] = path.label
    yield from _pattern_mistakes(paths)


def _relayed(path: model.PathConfig) -> Iterator[str]:
    yield from {"channel": path.channels, "v2": (path.client,), "queue": ()}[path.protocol]
    if path.protocol == "queue":
        yield from (" ".join(ends) for ends in path.ends or ((path.a, path.b),))


def _pattern_mistakes(paths: tuple[model.PathConfig, ...]) -> Iterator[Mistake]:
    patterns = [each for each in paths if model.is_pattern(each)]
    for number, path in enumerate(paths):
        named = () if path.protocol != "channel" or model.is_pattern(path) else path.channels
        for other in patterns if named else ():
            if (path.a, path.b) != (other.a, other.b):
                continue
            for channel in named:
                if model.covers(other, path.port, channel):
                    text = f"{channel} is relayed by path {other.label} too: name it under `except` there"
                    yield Mistake(("paths", number, "channels"), text)
