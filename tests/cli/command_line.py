"""One way to run a command in a test."""

from typer.testing import CliRunner

from eiderdown.cli import app


def run(*words, columns=80):
    """Run a command in this process; unexpected exceptions are raised."""
    runner = CliRunner(env={"COLUMNS": str(columns)})
    return runner.invoke(app, [str(word) for word in words], catch_exceptions=False)
