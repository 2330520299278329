"""`python -m toolglot`: the same as the command `toolglot`."""

from toolglot.cli import main

if __name__ == "__main__":
    main()
