"""Where is every packet? Frames and Spark's side of it (docs/indexer.md); needs `pyibc[indexer]`."""

from ibc_core.installation import need as _need

_need("ibc_indexer")

from ibc_indexer.frames import Index as Index
from ibc_indexer.session import open_session as open_session
from ibc_indexer.source import IbcDataSource as IbcDataSource
from ibc_indexer.typed import Tables as Tables
