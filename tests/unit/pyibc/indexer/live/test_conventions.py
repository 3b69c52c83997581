"""Names of metrics: by convention, and in the documentation, alert rules and dashboard as in the output."""

import json
import re
from pathlib import Path

import pytest

from pyibc.indexer.live.aggregates import CHANNEL, RESULTS

ROOT = Path(__file__).parents[5]
PROMETHEUS = ROOT / "pyibc" / "examples" / "prometheus"
SUFFIXES = {
    "counter": ["_total"],
    "histogram": ["_bucket", "_sum", "_count"],
    "gauge": [""],
    "info": ["_info"],
}


@pytest.fixture(scope="module")
def families(first_round):
    """All families by name, of an index with packets."""
    live, _ = first_round
    return {family.name: family for family in live.metrics.collect()}


def expressions():
    """Expressions of the alert rules and the dashboard, by alert or panel."""
    rules = (PROMETHEUS / "alerts.yml").read_text()
    found = {
        name: re.sub(r"\s+", " ", text)
        for name, text in re.findall(
            r"- alert: (\w+)\n +expr: (?:\|\n)?(.*?)\n +(?:for|labels):", rules, re.DOTALL
        )
    }
    assert len(found) == rules.count("alert:")
    for panel in json.loads((PROMETHEUS / "dashboard.json").read_text())["panels"]:
        found[panel["title"]] = " ; ".join(target["expr"] for target in panel["targets"])
    return found


def test_names_follow_the_conventions(families):
    for name, family in families.items():
        assert re.fullmatch(r"ibc_[a-z_]+", name)
        assert family.documentation.endswith(".")
        assert not re.search(r"_(millis|micros|minutes|hours|ms|us|total|count|sum|bucket)$", name)
        if "timestamp" in name or re.search(r"\bWhen\b|\b[Tt]ime of\b", family.documentation):
            assert name.endswith("_timestamp_seconds")
            assert family.type == "gauge"
        if "latency" in name:
            assert (family.type, name.endswith("_seconds")) == ("histogram", True)
        # a state is a label: its values can be summed
        assert not re.search(r"stuck|overdue|in_flight|acknowledged|timed_out|received", name)


def test_alert_rules_and_the_dashboard_use_each_metric_by_its_type(families):
    types = {name + end: family.type for name, family in families.items() for end in SUFFIXES[family.type]}
    found = expressions()
    for where, expression in found.items():
        named = set(re.findall(r"\bibc_[a-z_]+\b", expression)) | set(re.findall(r"\bup\b", expression))
        assert named, where
        assert named - types.keys() <= {"up"}, where
        for name in named - {"up"}:
            uses = re.findall(rf"(?:\b(\w+)\((?:\()?)?{name}\b", expression)
            cumulative = types[name] in {"counter", "histogram"}
            assert all((use in {"rate", "increase"}) is cumulative for use in uses), (where, name)
    assert {name for name in found if name.startswith("Ibc")} >= {"IbcPacketsStuck", "IbcIndexDown"}
    assert 'absent(up{job="pyibc-index"})' in found["IbcIndexDown"]
    assert "job_name: pyibc-index\n" in (PROMETHEUS / "prometheus.yml").read_text()


def labels_of(family):
    """Labels of a family, which may have no samples, without the bounds of buckets."""
    found = {label for sample in family.samples for label in sample.labels} | {*family._labelnames}
    return found - {"le"}


def test_labels_in_alert_rules_and_the_dashboard_exist(families):
    labels = {
        name + end: labels_of(family) for name, family in families.items() for end in SUFFIXES[family.type]
    }
    for where, expression in expressions().items():
        for name, matchers in re.findall(r"\b(ibc_[a-z_]+)\{([^}]*)\}", expression):
            named = set(re.findall(r"(\w+)(?:=~|!=|=|!~)\"", matchers))
            assert named <= labels[name], (where, name)


def test_the_documentation_lists_every_metric_with_type_and_labels(families):
    text = (ROOT / "docs" / "indexer-reference.md").read_text()
    rows = re.findall(r"^\| `(ibc_\w+)` \| (\w+) \| ([^|]*) \|", text, re.MULTILINE)
    shown = {
        name: (kind, set(re.findall(r"`(\w+)`", labels)) | ({*CHANNEL} if "*channel*" in labels else set()))
        for name, kind, labels in rows
    }
    ends = {"counter": "_total", "info": "_info"}
    exposed = {
        name + ends.get(family.type, ""): (family.type.replace("info", "gauge"), labels_of(family))
        for name, family in families.items()
    }
    assert shown == exposed
    assert len(rows) == len(shown)


def test_every_alert_is_in_the_documentation():
    text = (ROOT / "docs" / "indexer-reference.md").read_text()
    alerts = {name for name in expressions() if re.fullmatch(r"Ibc\w+", name)}
    assert set(re.findall(r"^\| `(Ibc\w+)` \|", text, re.MULTILINE)) == alerts


def test_legends_of_the_dashboard_name_labels_of_their_series(families):
    labels = {
        name + end: labels_of(family) for name, family in families.items() for end in SUFFIXES[family.type]
    }
    for panel in json.loads((PROMETHEUS / "dashboard.json").read_text())["panels"]:
        for target in panel["targets"]:
            grouped = re.search(r"\bsum by \(([^)]*)\)", target["expr"])
            (metric,) = re.findall(r"\bibc_[a-z_]+\b", target["expr"])
            kept = {*re.split(r", *", grouped[1])} if grouped else labels[metric]
            assert {*re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])} <= kept, panel["title"]
            assert kept - {"le"} <= labels[metric], panel["title"]


def test_the_dashboard_has_acknowledgements_with_each_result():
    panels = json.loads((PROMETHEUS / "dashboard.json").read_text())["panels"]
    (targets,) = [panel["targets"] for panel in panels if panel["title"].startswith("Acknowledged packets")]
    shown = [re.search(r'result="(\w+)"', target["expr"])[1] for target in targets]
    assert sorted(shown) == sorted(RESULTS)
