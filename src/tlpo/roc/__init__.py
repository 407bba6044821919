"""ROC analysis of scores for two classes: plain arrays in, plain arrays out."""
