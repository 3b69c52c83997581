"""Generated cases, run by this implementation and by a Go program of ibc-go, ics23, SDK and CometBFT."""
