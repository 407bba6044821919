"""What stands before a model in a pipeline, sorted by how it changes with the training set."""
