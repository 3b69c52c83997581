"""Links: read both chains, plan, submit, reconcile with state, retry."""
