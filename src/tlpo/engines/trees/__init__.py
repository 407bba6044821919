"""Decision trees as scikit-learn grows them, split for split; engines and studies share them."""
