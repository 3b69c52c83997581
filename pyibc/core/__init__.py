"""Values, messages, paths, errors, events by protocol; wire, proofs, crypto, contexts.

Everything here is a pure function or an immutable value: no state, no input or output.
"""
