"""Numbers that R computes, for tests to compare with."""
