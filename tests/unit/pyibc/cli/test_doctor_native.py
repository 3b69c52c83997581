"""`pyibc doctor` on the native part: wrong is only one of another version."""

import pytest

from iavl import engine
from pyibc.cli.doctor import CHECKS, check_native, check_native_tree
from pyibc.core import native


@pytest.mark.parametrize(("module", "check"), [(native, check_native), (engine, check_native_tree)])
@pytest.mark.parametrize(
    ("why", "fine"),
    [
        ("not installed", True),
        ("switched off by PYIBC_NATIVE=0", True),
        ("in use, version 1", True),
        ("not used: version 7 is installed, 1 is needed", False),
    ],
)
def test_h199_the_doctor_says_which_is_in_use_and_why(monkeypatch, module, check, why, fine):
    monkeypatch.setattr(module, "WHY", why)
    found = check()
    assert (found.ok, found.found) == (fine, why)
    assert "make native" in found.fix


def test_the_doctor_asks():
    assert {check_native, check_native_tree} <= {*CHECKS}
