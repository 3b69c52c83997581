"""Contracts that are called when packets go by (ADR-8): what packets ask for, and what contracts are."""
