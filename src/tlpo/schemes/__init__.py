"""Cross-validation schemes: each turns an estimator and data into an AUC."""
