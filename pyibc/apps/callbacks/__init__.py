"""Callbacks middleware (ADR-8): calls contracts named in packets' memos."""
