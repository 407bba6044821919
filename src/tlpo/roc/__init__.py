"""ROC analysis of any scores with two classes: plain arrays in, plain arrays out."""
