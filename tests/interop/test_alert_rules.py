"""Prometheus' own tool reads the rules for alerts, and runs scenarios over them."""

import subprocess
from pathlib import Path

import pytest

from localnet.comet.homes import find_executable

ROOT = Path(__file__).parents[2]
RULES = ROOT / "pyibc" / "examples" / "prometheus"

pytestmark = pytest.mark.interop


@pytest.fixture(scope="module")
def promtool():
    path = find_executable("promtool", "PROMTOOL")
    if path is None:
        pytest.skip("no promtool: install Prometheus, or set PROMTOOL to the program's path")
    return lambda *arguments, **more: subprocess.run(
        [path, *arguments], capture_output=True, text=True, check=False, **more
    )


def test_the_rules_and_the_scrape_config_are_valid(promtool):
    found = promtool("check", "config", RULES / "prometheus.yml")
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout.count("SUCCESS") == 4  # the two files of rules, the config, and their number
    assert promtool("check", "rules", RULES / "alerts.yml").returncode == 0


def test_alerts_fire_on_changes_and_not_for_ever(promtool):
    found = promtool("test", "rules", Path(__file__).with_name("alert_rules.yml"))
    assert found.returncode == 0, found.stdout + found.stderr
