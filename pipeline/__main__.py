"""`python -m pipeline` is `errcat`."""

from pipeline.cli import main

if __name__ == "__main__":
    main()
