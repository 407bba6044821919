"""Games decided in ranges, for every engine that can bound how far a game is from two numbers."""
