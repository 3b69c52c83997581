"""Run of the index: the pipeline, then the report over its tables."""

from collections.abc import Callable, Iterable

from pyibc.indexer.locations import AnyPath
from pyibc.indexer.pipeline.lake import Engine
from pyibc.indexer.pipeline.report import Ask, Outcome, write_report_of
from pyibc.indexer.report.options import DEFAULT_OPTIONS, ReportOptions

Tell = Callable[[str], None]


def index(
    engine: Engine,
    inputs: Iterable[AnyPath],
    out: AnyPath,
    tell: Tell = lambda _: None,
    options: ReportOptions = DEFAULT_OPTIONS,
    ask: Ask = lambda _lake, _tips: None,
) -> Outcome:
    """Bring the tables in `out` up to date with `inputs`, and write `summary.json` and `report.html`.

    Only what is new in the inputs is read. Blocks stay in the tables if their file is removed.

    Args:
        engine: what runs the pipeline.
        inputs: paths and URLs of exports, recordings and packet tables; what cannot be read of them is listed
            in the summary.
        out: folder of the results, created if absent. After a kill, the next run completes it.
        tell: called with one line per step.
        options: time window and names of assets in the report.
        ask: runs additional queries; their result is `asked` of the outcome.

    Raises:
        IndexBusy: another run writes to `out`.
        FileNotFoundError: an input does not exist, for example because a disk is not mounted.
        UnusableFolder: table libraries would misinterpret the name of the folder.
        IndexerError: the engine failed.
    """
    tell("reading new blocks")
    engine.run(inputs, out)
    tell("running the report queries")
    return write_report_of(engine.open(out), options=options, ask=ask)
