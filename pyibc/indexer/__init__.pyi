from pyibc.indexer.frames import Index as Index
from pyibc.indexer.pipeline.report import result_views as result_views
from pyibc.indexer.pipeline.report import write_results as write_results
from pyibc.indexer.pipeline.run import start_pipeline as start_pipeline
from pyibc.indexer.session import open_session as open_session
from pyibc.indexer.session import register as register
from pyibc.indexer.source import IbcDataSource as IbcDataSource
from pyibc.indexer.typed import Tables as Tables
