"""Hooks of the finished host, for plugins that replace one of its parts or add to it (docs/chain.md)."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ibc_module import hookspec
from pyibc.chain.tx.steps import AnteHost, AnteStep
from pyibc.core.host.context import QueryRoute

if TYPE_CHECKING:
    from pyibc.chain.app import HostApp


@hookspec
def chain_ante() -> Mapping[str, Callable[[AnteHost], AnteStep]]:  # type: ignore[empty-body]
    """Return steps of the ante handler by name; they run in the order of the plugins."""


@hookspec
def chain_node_queries() -> Mapping[str, Callable[["HostApp"], QueryRoute]]:  # type: ignore[empty-body]
    """Return queries about the node itself by gRPC method path. Messages cannot ask them: nodes differ."""
