"""SQL in Spark."""

from pyibc.indexer.engines import Dialect

FEW = 200_000  # rows below which interpreted queries are faster than compiled ones
_ACCURACY = 1_000_000  # of percentiles: exact up to this number of values, then with a rank error of 1e-6
DIALECT = Dialect(
    time_type="timestamp",
    time_form="timestamp_micros({} div 1000)",
    micros_form="unix_micros({})",
    percentiles_form=f"percentile_approx({{}}, array({{}}), {_ACCURACY})",
    total_form="try_sum({})",
    each_form="{rows} LATERAL VIEW explode({array}) AS {name}",
    struct_form="named_struct({})",
    field_form="'{name}', {value}",
)
PARTITION_ROWS = 500_000  # rows of a shuffle partition, which one task groups in memory
