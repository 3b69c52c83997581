"""Registration of the data source `ibc` with PySpark.

Spark looks for classes named `DefaultSource` in the packages that are installed under names that begin with
`pyspark_`. So `spark.read.format("ibc")` needs no call in a session of an interpreter with this distribution.
"""

from contextlib import suppress

__distribution__ = "pyibc"

# An error would make every data source in Python unavailable, not just this one.
with suppress(ImportError):  # of an installation without the extra `indexer`
    from pyibc.indexer.spark import source

    DefaultSource = source.IbcDataSource
