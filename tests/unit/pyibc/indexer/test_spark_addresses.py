"""Spark interprets paths as patterns, so addresses are escaped."""

import re

import pytest


@pytest.mark.parametrize(
    "name", ["/plain/é=1 x", "/a[1]", "/a{1,2}", "/a*", "/a?", "/a\\b", "s3a://bucket/a[1]"]
)
def test_what_hadoop_would_expand_stands_for_itself(name):
    spark_engine = pytest.importorskip("pyibc.indexer.spark_engine", reason="Spark is not installed")

    found = spark_engine.literal(name)
    assert re.sub(r"\\(.)", r"\1", found) == name
    assert not re.search(r"(?<!\\)[\[\]{}*?]", found)
