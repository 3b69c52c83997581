"""Checks of light clients registered by plugins, made when a chain is wired."""

import inspect
from collections.abc import Callable
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from google.protobuf.message import Message

from light_client.interface import ClientTypes, LightClient
from pyibc.core.errors import InvalidIdentifier
from pyibc.core.identifiers import parse_client_id
from pyibc.core.setup_error import SetupError

_METHODS = {
    name: method
    for name, method in vars(LightClient).items()
    if inspect.isfunction(method) and name[0] != "_"
}
_CREATED = ("check_client_state", "check_consensus_state", "initialize")
"""Methods required of a type with a client state."""
_UPDATED = ("check_message", "verify_client_message", "update_state")
"""Methods required of a type with client messages."""
_FROZEN = ("check_for_misbehaviour", "update_state_on_misbehaviour")
"""Methods of which a type must have both or neither."""


class InvalidLightClient(SetupError):
    """Raised for an invalid light client; the message says what is missing or wrong."""


def check_light_client(light_client: object) -> None:
    """Check that an object is a complete light client.

    Raises:
        InvalidLightClient: it is no `LightClient`, its client type is malformed, or a method is missing,
            misspelt or has wrong arguments.
    """
    if not isinstance(light_client, LightClient):
        meant = ": register an object of it" if isinstance(light_client, type) else ""
        raise InvalidLightClient(f"{light_client!a:.100} is no pyibc.LightClient{meant}")
    _check_names(light_client)
    cls = type(light_client)
    own = {name for name in _METHODS if getattr(cls, name) is not _METHODS[name]}
    _check_spelling(cls, own)
    types = light_client.types
    if types.client_state is not None:
        _require(cls, own, _CREATED, "has a client state")
    if types.messages:
        _require(cls, own, _UPDATED, "has messages")
    if own & {*_FROZEN}:
        _require(cls, own, _FROZEN, "can be frozen")
    for name in sorted(own):
        _check_arguments(cls, name)


def _check_names(light_client: LightClient) -> None:
    name, types = type(light_client).__name__, getattr(light_client, "types", None)
    client_type = getattr(light_client, "client_type", None)
    try:
        valid = isinstance(client_type, str) and parse_client_id(f"{client_type}-0")[0] == client_type
    except InvalidIdentifier:
        valid = False
    if not valid:
        raise InvalidLightClient(f"{name}.client_type is {client_type!a:.100}, which names no client")
    if not isinstance(types, ClientTypes):
        raise InvalidLightClient(f"{name}.types is {types!a:.100}, no ClientTypes")
    if (types.client_state is None) != (types.consensus_state is None):
        raise InvalidLightClient(f"{name}.types: a client state and a consensus state go together")
    states = () if types.client_state is None else (types.client_state, types.consensus_state)
    for each in (*states, *types.messages):
        if not (isinstance(each, type) and issubclass(each, Message)):
            raise InvalidLightClient(f"{name}.types: {each!a:.100} is no class of protobuf messages")


def _require(cls: type, own: set[str], names: tuple[str, ...], why: str) -> None:
    for name in names:
        if name not in own:
            raise InvalidLightClient(f"{cls.__name__} {why}, but no method {name}")


def _check_spelling(cls: type, own: set[str]) -> None:
    """Check for a public method with nearly the name of a missing method of the interface."""
    left = sorted(set(_METHODS) - own)
    for name in dir(cls):
        if name[0] != "_" and name not in _METHODS and callable(getattr(cls, name)):
            meant = next(
                (each for each in left if SequenceMatcher(None, name, each).ratio() * 20 >= 17), None
            )
            if meant is not None:
                raise InvalidLightClient(f"{cls.__name__}.{name} should be called {meant}")


@lru_cache(maxsize=256)
def _check_arguments(cls: type, name: str) -> None:
    """Check the arguments of a method, once per class: a process may wire many chains."""
    wanted: Callable[..., Any] = _METHODS[name]
    count = len(inspect.signature(wanted).parameters)
    try:
        inspect.signature(getattr(cls, name)).bind(*[None] * count)
    except TypeError as error:
        raise InvalidLightClient(
            f"{cls.__name__}.{name} must take ({', '.join(inspect.signature(wanted).parameters)}): {error}"
        ) from None
