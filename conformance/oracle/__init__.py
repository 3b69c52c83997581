"""Generated cases, answered by our code and by a Go process of ibc-go, ics23, the Cosmos SDK and CometBFT."""
