"""The host application under real CometBFT: ABCI adapter, validators' homes and processes."""
