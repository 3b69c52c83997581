"""Networks under real CometBFT: validators' homes and processes."""
