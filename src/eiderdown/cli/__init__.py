"""The command line: ``eiderdown find data.csv --target y``."""

from eiderdown.cli.app import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line and exit."""
    app(prog_name="eiderdown")
