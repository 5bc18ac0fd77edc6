"""``python -m eiderdown``."""

from eiderdown.cli import main

if __name__ == "__main__":
    main()
