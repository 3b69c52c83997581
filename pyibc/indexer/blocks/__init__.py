"""Blocks: the model, block lines, the exporter that writes them, and which heights are known."""
