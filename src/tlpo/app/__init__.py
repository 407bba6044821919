"""The report without a command line: a page on this machine that does what ``tlpo run`` does."""
