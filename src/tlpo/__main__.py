"""``python -m tlpo``: the command line where no ``tlpo`` is on the path."""

from tlpo.commands.cli import main

if __name__ == "__main__":
    main()
