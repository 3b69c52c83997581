"""`pyibc index --since` and `--assets`: options of the report."""

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pyibc.indexer.report.options import ReportOptions, Since


class SinceType(click.ParamType["Since"]):
    """Beginning of the time window."""

    name = "duration|date|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> "Since":
        """Return the beginning."""
        from pyibc.indexer.report.options import since

        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        try:
            return since(value.lower() if value.upper() == "ALL" else value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


def report_options(options: dict[str, Any]) -> "ReportOptions":
    """Read the asset lists.

    Raises:
        UsageError: one is not an asset list.
    """
    from pyibc.indexer.errors import MalformedAssets
    from pyibc.indexer.report.options import ReportOptions, read_assets

    try:
        return ReportOptions(options["since"], read_assets(options["assets"]))
    except MalformedAssets as error:
        raise click.UsageError(f"--assets: {error}") from None
