"""The host application under real CometBFT: the ABCI adapter, validators' homes, their processes."""
