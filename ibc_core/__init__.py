"""The floor: values, messages, paths, errors, events by protocol; wire, proofs, crypto, contexts.

Pure functions and values: no state, no input or output. Importing it looks first at whether the packages that
Python finds by our names are ours (`installation`).
"""

from ibc_core import installation

__distribution__ = "pyibc"

installation.check()
