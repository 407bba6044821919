"""What engines share that choose between candidates inside every training set: folds and scores."""
