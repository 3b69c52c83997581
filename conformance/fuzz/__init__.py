"""What hostile input costs: inputs made from the grammars, and whether the cost grows as their size does."""
