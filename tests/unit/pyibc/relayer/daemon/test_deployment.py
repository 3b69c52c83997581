"""Files for operators: what the unit, the container, the alert rules and the dashboard name exists."""

import json
import re
import shlex
from configparser import ConfigParser
from itertools import combinations
from pathlib import Path

import click
import pytest

from pyibc.cli.relay import command as relay
from pyibc.cli.relay.configured import WORK_LEFT
from pyibc.relayer.daemon.exposition import DaemonSnapshot, Exposition
from pyibc.relayer.daemon.troubles import Trouble, TroubleKind
from tests.unit.pyibc.relayer.daemon.test_exposition import UP, WELL

ROOT = Path(__file__).resolve().parents[5]
TROUBLE = Trouble(TroubleKind.NODE, "a-1 http://x", "it lies", 7.0)
DEPLOY, PROMETHEUS = ROOT / "docs" / "deploy", ROOT / "pyibc" / "examples" / "prometheus"
PAGE = (ROOT / "docs" / "relayer-deployment.md").read_text()
RULES = (PROMETHEUS / "relayer-alerts.yml").read_text()
DASHBOARD = json.loads((PROMETHEUS / "relayer-dashboard.json").read_text())


def exposed() -> dict[str, set[str]]:
    """Return the labels of each metric."""
    families = Exposition(lambda: DaemonSnapshot([WELL], [UP], [TROUBLE])).collect()
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}


def assert_exists(expression: str, named: set[str]) -> None:
    """Assert that the metrics of an expression have the labels of its selectors, and those in `named`."""
    known = exposed()
    metrics = re.findall(r"\b(ibc_\w+)(?:\{([^}]*)\})?", expression)
    assert metrics, expression
    for metric, selectors in metrics:
        assert metric in known
        selected = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selectors))
        assert (selected | named) - known[metric] == set(), metric


def parse(words: list[str]) -> None:
    """Assert that `words` are a command of `pyibc relay`, with its options."""
    context = click.Context(relay)
    command = relay.get_command(context, words.pop(0))
    assert command is not None
    command.make_parser(context).parse_args(words)


@pytest.mark.parametrize("panel", DASHBOARD["panels"], ids=lambda panel: panel["title"])
def test_a_panel_shows_metrics_and_labels_that_exist(panel):
    for target in panel["targets"]:
        assert_exists(target["expr"], set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])))


def test_panels_have_numbers_and_places_of_their_own():
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) >= 12
    for one, two in combinations((panel["gridPos"] for panel in panels), 2):
        beside = one["x"] + one["w"] <= two["x"] or two["x"] + two["w"] <= one["x"]
        assert beside or one["y"] + one["h"] <= two["y"] or two["y"] + two["h"] <= one["y"]


@pytest.mark.parametrize("rule", RULES.split("- alert: ")[1:], ids=lambda rule: rule.split()[0])
def test_a_rule_is_about_metrics_and_labels_that_exist(rule):
    expression = rule.partition("expr:")[2].partition("labels:")[0]
    assert_exists(expression, set(re.findall(r"\$labels\.(\w+)", rule)))


def test_the_unit_runs_commands_that_exist_and_knows_their_exit_codes():
    unit = ConfigParser(interpolation=None, delimiters="=")
    unit.optionxform = str
    unit.read(DEPLOY / "pyibc-relayer.service")
    service = unit["Service"]
    for name, expected in (("ExecStart", "start"), ("ExecReload", "reload")):
        program, group, *words = shlex.split(service[name])
        assert (program, group, words[0]) == ("/opt/pyibc/bin/pyibc", "relay", expected)
        parse(words)
    assert int(service["SuccessExitStatus"]) == WORK_LEFT
    assert int(service["RestartPreventExitStatus"]) == 2
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"


def test_the_container_runs_a_command_that_exists_on_versions_of_the_lock():
    text = (DEPLOY / "Containerfile").read_text()
    (program, group), words = (
        json.loads(re.search(rf"^{name} (\[.*\])$", text, re.MULTILINE)[1]) for name in ("ENTRYPOINT", "CMD")
    )
    assert (program, group) == ("/opt/pyibc/bin/pyibc", "relay")
    parse(words)
    pinned = re.search(r"grep -oE '(.*?)'", text)[1]
    lock = (ROOT / "tools" / "requirements" / "dev.lock").read_text()
    versions = re.findall(pinned, lock, re.MULTILINE)
    assert len(versions) == len(re.findall("^[a-zA-Z]", lock, re.MULTILINE))
    assert [each for each in versions if each.startswith("prometheus-client==")]


def test_the_page_of_the_relayer_lists_every_metric():
    table = (ROOT / "docs" / "relayer.md").read_text().partition("### Metrics")[2].partition("\n#")[0]
    listed = set(re.findall(r"`(ibc_relay_\w+)`", table))
    assert listed == {re.sub(r"_(bucket|count|sum)$", "", name) for name in exposed()}


def test_the_page_names_commands_alerts_and_files_that_exist():
    for words in re.findall(r"/bin/pyibc relay ([a-z][^`#\n]*)", PAGE):
        parse(shlex.split(words))
    alerts = set(re.findall(r"`(Ibc\w+)`", PAGE))
    assert alerts
    assert alerts <= set(re.findall(r"alert: (\w+)", RULES))
    files = re.findall(r"\]\((?!http)([^)#]+)", PAGE)
    assert [file for file in files if not (ROOT / "docs" / file).exists()] == []
