"""The guards that `tools.mutants` removes, and the tests that must fail without them."""

from tools.guards.border import D39
from tools.guards.clients import H26, H30, H31, H32
from tools.guards.coins import H40
from tools.guards.ends import H23
from tools.guards.exports import H90, H91, H92, H93, H94
from tools.guards.host import H71, H72, H73, H74, H75, H76
from tools.guards.live import H115, H116, H117, H118, H119
from tools.guards.outcomes import H15
from tools.guards.packets import H4, H5, H7
from tools.guards.proofs import H18, H22
from tools.guards.tables import H110, H111, H112, H113, H114
from tools.guards.values import D9, D20, H80, H81, H82, H84
from tools.guards.work import H60, H61, H62, H63

MUTANTS = (
    *(*H4, *H5, *H7, *H15, *H18, *H22, *H23, *H26, *H30, *H31, *H32, *H40, *H60, *H61, *H62, *H63),
    *(*H71, *H72, *H73, *H74, *H75, *H76, *H80, *H81, *H82, *H84, *D9, *D20, *D39),
    *(*H90, *H91, *H92, *H93, *H94, *H110, *H111, *H112, *H113, *H114),
    *(*H115, *H116, *H117, *H118, *H119),
)
