"""The command line: ``eiderdown find data.csv --target y``."""

import sys

from eiderdown.cli.app import app
from eiderdown.cli.console import BAD_INPUT
from eiderdown.cli.streams import forgive

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line and exit."""
    stdout, _ = forgive("stdout"), forgive("stderr")
    try:
        app(prog_name="eiderdown")
    except SystemExit as end:
        if stdout is not None:
            sys.stdout.flush()
        if stdout is None or not stdout.reason:
            raise
        said = f"error: Cannot print ({stdout.reason}); what was to be saved is saved."
        sys.stderr.write(f"{said}\n")
        raise SystemExit(end.code or BAD_INPUT) from None
