"""Cost of hostile input: inputs generated from the grammars, to check that cost does not outgrow size."""
