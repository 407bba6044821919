"""The command line: flags, streams, and the commands, which call the rest."""
