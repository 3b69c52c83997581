"""`make` alone lists every target once, the eight for users first."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
USERS = ["demo", "test", "doctor", "setup", "wheel", "native", "cometbft", "docs"]


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_the_targets_for_users_come_first_and_none_is_left_out():
    said = subprocess.run(
        ["make", "-C", ROOT, "--no-print-directory"], capture_output=True, text=True, check=True
    )
    users, others = said.stdout.split("\nfor contributors:\n")
    first, rest = (re.findall(r"^  make ([a-z-]+) +\S", part, re.MULTILINE) for part in (users, others))
    assert first == USERS
    assert rest == sorted(rest)
    described = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert sorted([*first, *rest]) == sorted(described)
