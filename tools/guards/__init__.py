"""The guards that `tools.mutants` removes, and the tests that must fail without them."""

from tools.guards.clients import H26, H30, H31, H32
from tools.guards.coins import H40
from tools.guards.ends import H23
from tools.guards.outcomes import H15
from tools.guards.packets import H4, H5, H7
from tools.guards.proofs import H18, H22

MUTANTS = (*H4, *H5, *H7, *H15, *H18, *H22, *H23, *H26, *H30, *H31, *H32, *H40)
