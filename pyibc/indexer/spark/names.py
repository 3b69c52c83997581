"""Names that Spark is given: master URLs, and schemas of its catalog."""

import re

from pyibc.indexer.locations import CONNECT

_MASTER = re.compile(
    r"yarn|spark[\w.+-]*://.+|k8s://.+"
    r"|local(\[\s*(\d+|\*)\s*(,\s*\d+\s*)?\])?|local-cluster\[\s*\d+\s*,\s*\d+\s*,\s*\d+\s*\]"
)
"""Master URLs that spark-submit knows, through which PySpark starts Spark."""
_PART = re.compile(r"[^\s./\x00-\x1f\x7f]+")


def master_problem(master: str) -> str:
    """Return why a text is not the URL of a Spark master; "" if it is one."""
    if master.startswith(CONNECT):
        return f"{CONNECT} is Spark Connect, and this needs a Spark master URL, such as spark://host:7077"
    if _MASTER.fullmatch(master):
        return ""
    forms = "local[*], spark://host:7077, k8s://https://host:443 or yarn"
    return f"{master[:200]!r} is not a Spark master URL: use one such as {forms}"


def schema_problem(schema: str) -> str:
    """Return why a text cannot name a schema, such as `chain_data` or `main.chain_data`; "" if it can."""
    if all(map(_PART.fullmatch, schema.split("."))):
        return ""
    forms = "chain_data, or main.chain_data with its catalog"
    return f"{schema[:200]!r} is not the name of a schema: use one such as {forms}"
