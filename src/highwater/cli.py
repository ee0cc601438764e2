"""The command line: parses and delegates, decides nothing."""

from __future__ import annotations

import signal
import sys
from importlib import metadata
from typing import Annotated, NoReturn

import typer

from highwater.commands import clients, configurations, grounds, playing, records, schedules
from highwater.console import err
from highwater.harness.errors import HighwaterError, Interrupted, in_words
from highwater.harness.patience import interrupt, is_interrupted
from highwater.told import whole_output


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"highwater {metadata.version('highwater')}")
        raise typer.Exit


app = typer.Typer(
    name="highwater",
    help="See, on real brokers, when Apache Kafka loses or forks data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def highwater(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Say which one this is."),
    ] = False,
) -> None:
    """See, on real brokers, when Apache Kafka loses or forks data."""


for family in (playing, configurations, records, grounds, clients, schedules):
    app.add_typer(family.app)


def main() -> None:
    """Run the command line; a mistake is one message, never a traceback."""
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    try:
        with whole_output():
            app()
    except HighwaterError as error:
        if is_interrupted():  # that is why
            _end_interrupted(error)
        err.print("[bold red]error:[/]", end=" ")
        err.print(in_words(error), markup=False, soft_wrap=True)
        sys.exit(error.exit_code)
    except Interrupted as error:
        _end_interrupted(error)


def _end_interrupted(error: BaseException) -> NoReturn:
    for note in getattr(error, "__notes__", ()):
        err.print(note, markup=False, soft_wrap=True)
    err.print("interrupted; everything that was started has ended")
    sys.exit(3)


if __name__ == "__main__":
    main()
