"""Vocabulary: values and pure functions. No state, no input or output."""
