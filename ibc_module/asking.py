"""What plugins are asked outside of blocks: queries, and what a genesis is made of."""

from collections.abc import Callable
from typing import Any

from ibc_core.errors import InvalidCallbackAnswer
from ibc_core.host.confined import ConfinedCall, confined
from ibc_core.host.routes import QueryRoute
from ibc_core.host.shipped import is_shipped
from ibc_module.border import READS, outside_blocks
from ibc_module.wiring_error import name_of


def query(plugin: object, path: str, of_plugin: QueryRoute) -> QueryRoute:
    """A plugin's query behind the border; one that is not shipped writes nothing."""
    # guard: h84-a-query-writes always:is_shipped test_h84_who_is_asked_writes_nothing
    call = of_plugin if is_shipped(plugin) else confined(of_plugin, READS)

    def ask(ctx: Any, request: bytes) -> bytes:
        answer = call(ctx, request)
        if type(answer) is not bytes:
            raise InvalidCallbackAnswer(name_of(plugin), path, "bytes", type(answer).__name__)
        return answer

    return outside_blocks(path, ask)


def exported(plugin: object, ctx: Any, export: Callable[..., Any]) -> Any:
    """What a plugin exports; one that is not shipped writes nothing."""
    if is_shipped(plugin):
        return export(ctx=ctx)
    with ConfinedCall(ctx, READS) as own:
        return export(ctx=own)
