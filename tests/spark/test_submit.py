"""Programs for `spark-submit`, whose Python has third parties' packages, and ours by `--py-files` alone."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pyibc.indexer.spark.session import archive

SPARK = Path(find_spec("pyspark").origin).parent
pytestmark = [pytest.mark.spark, pytest.mark.exhaustive]

STREAM = """
import sys
from pyspark.sql import SparkSession
from pyibc import __file__ as place
from pyibc.indexer import register

spark = SparkSession.builder.getOrCreate()
for _ in range(2):
    register(spark)
source, out = sys.argv[1:]
lines = spark.readStream.format("ibc").option("stateLocation", f"{out}/state").load(source)
query = lines.writeStream.format("parquet").option("checkpointLocation", f"{out}/checkpoint")
query.trigger(availableNow=True).start(f"{out}/rows").awaitTermination()
print("pyibc.zip" in place, spark.read.parquet(f"{out}/rows").count())
"""


def test_a_stream_is_planned_with_the_package_that_was_sent(chains, tmp_path):
    chains.relay(1, 1)
    packed, python, program = (tmp_path / name for name in ("pyibc.zip", "python", "run.py"))
    shutil.copyfile(archive(), packed)
    installed = SPARK.parent
    python.write_text(
        f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{installed}" exec {sys.executable} -S "$@"\n'
    )  # -S: without the links of `pip install --editable`
    python.chmod(0o755)
    program.write_text(STREAM)
    command = [SPARK / "bin" / "spark-submit", "--master", "local[2]"]
    command += ["--conf", "spark.ui.enabled=false", "--py-files", packed, program, chains.write(), tmp_path]
    done = subprocess.run(
        command,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        | {"PYSPARK_PYTHON": str(python), "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "True 4\n" in done.stdout, done.stderr
