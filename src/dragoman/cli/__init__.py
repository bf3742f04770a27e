"""The `dragoman` command: it parses, calls the library, and shows.

Command modules import nothing heavy at the top, because every start of the program imports them all; the library is
imported inside the command that needs it (a test holds `dragoman --help` to this).
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from dragoman.cli import (
    align,
    annotate,
    assess,
    assess_links,
    assess_serve,
    clean,
    combine,
    compare,
    confidence,
    corpus,
    correlate,
    decode,
    demo,
    entail,
    evaluate,
    extract,
    forest,
    interactive,
    learn,
    listing,
    lm,
    meaning,
    pieces,
    search_errors,
    select,
    serve,
    similarity,
    synth,
    table,
    text,
    train,
    translate,
    translate_file,
    tune,
    tune_lists,
)
from dragoman.cli.output import noted_warnings, set_output, stderr
from dragoman.cli.remedies import flags_in_options, in_options
from dragoman.cli.value_names import name_values
from dragoman.errors import DragomanError, FileError
from dragoman.version import __version__

__all__ = ["app", "main", "program"]

app = typer.Typer(
    name="dragoman",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dragoman {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bars and notes.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Statistical machine translation that trains on a laptop, explains itself and can be measured honestly."""
    set_output(debug=debug, quiet=quiet)


demo.register(app)
train.register(app)
tune.register(app)
tune_lists.register(app)
translate.register(app)
translate_file.register(app)
confidence.register(app)
serve.register(app)
learn.register(app)
interactive.register(app)
synth.register(app)
corpus.register(app)
text.register(app)
clean.register(text.text_app)
select.register(text.text_app)
pieces.register(text.text_app)
lm.register(app)
align.register(app)
annotate.register(app)
extract.register(app)
table.register(app)
decode.register(app)
combine.register(app)
forest.register(app)
meaning.register(app)
similarity.register(app)
entail.register(app)
evaluate.register(app)
assess.register(app)
assess_links.register(assess.assess_app)
assess_serve.register(assess.assess_app)
compare.register(app)
correlate.register(app)
search_errors.register(app)
listing.register(app)


def program() -> Any:
    """The command itself, as it is run and described."""
    command = typer.main.get_command(app)
    name_values(command)
    return command


def main() -> None:
    """Run the command line; an error of the user's, or of the disk, is one line and exit code 2."""
    try:
        with noted_warnings():
            try:
                program()()
            except SystemExit as leaving:
                if isinstance(leaving.__context__, BrokenPipeError):
                    raise leaving.__context__ from None
                stopped = getattr(leaving.__context__, "__cause__", None)
                if isinstance(stopped, KeyboardInterrupt):  # which knows what to say
                    raise stopped from None
                sys.stdout.flush()  # a full disk shows itself here, if not before
                raise
    except BrokenPipeError:  # the reader of our output (`head`, say) has gone; that is not an error
        _forget_output()
        raise SystemExit(0) from None
    except (DragomanError, OSError) as error:
        if "--debug" in sys.argv:
            raise
        if isinstance(error, OSError):
            _forget_output()
            error = FileError(error.strerror or str(error), where=str(error.filename or "standard output"))
        remedy = in_options(error.remedy, app, sys.argv[1:])
        what = flags_in_options(error.what, app, sys.argv[1:])
        said = DragomanError(what, where=error.where, remedy=remedy)
        stderr().print(f"dragoman: {said}", style="red", markup=False, highlight=False, soft_wrap=True)
        raise SystemExit(2) from None
    except KeyboardInterrupt as stop:
        stderr().print(
            f"dragoman: {str(stop) or 'interrupted'}", style="red", markup=False, highlight=False, soft_wrap=True
        )
        raise SystemExit(130) from None


def _forget_output() -> None:
    """Let what could not be written go nowhere, instead of being tried again when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
