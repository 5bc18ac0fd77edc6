"""Lines and cells of text files: encodings, records, and what stands for a missing cell."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from eiderdown.errors import OptionError

MISSING_MARKS: Final = (
    *("", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "null", "NULL", "Null", "None", "<NA>"),
    *("#N/A", "#NA", "?"),
)
"""Cells that are missing in any column, where they stand without quotes."""

NUMBER_MARKS: Final = {
    *("", "-", "--", "---", ".", "..", "...", "*", "?", "??", "na", "n/a", "n/a?", "n.a.", "nan"),
    *("nd", "n.d.", "none", "nil", "null", "(null)", "missing", "unknown", "unk", "undefined"),
    *("not available", "not known", "not applicable", "#value!", "#div/0!", "#ref!", "#null!"),
}
"""What says that a number is missing, in lower case; among texts it may be a text."""

WIDEST: Final = 1000
"""Columns that are looked at."""

_RECORDS: Final = 200

Record: TypeAlias = list[str]


def guess_encoding(sample: bytes, *, cut: bool = False) -> str:
    """Guess the encoding of a text.

    Examples
    --------
    >>> guess_encoding("café".encode()), guess_encoding("café".encode("latin-1"))
    ('utf-8', 'cp1252')
    """
    for mark, encoding in (
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe\x00\x00", "utf-32"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if sample.startswith(mark):
            return encoding
    if b"\x00" in sample[:1000]:
        return "utf-16-be" if sample[:1] == b"\x00" else "utf-16-le"
    for encoding in ("utf-8", "cp1252"):
        try:
            decoded(sample, encoding, cut=cut)
        except UnicodeDecodeError:
            continue
        return encoding
    return "latin-1"


def decoded(sample: bytes, encoding: str, *, cut: bool = False) -> str:
    """Decode a text, which may be cut in the middle of a character."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, final=not cut)
    except LookupError:
        raise OptionError(f"There is no encoding {encoding!r}; try 'utf-8' or 'latin-1'.") from None


def lines_of(text: str) -> list[str]:
    """Split a text at line ends, and at nothing else that Python takes for one."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", text)


def columns_of(rows: Sequence[Record], n_cells: int) -> list[set[str]]:
    """Return what stands in the first columns of the rows with as many cells as they should."""
    whole = (row[:WIDEST] for row in rows if len(row) == n_cells)
    return [set(column) for column in zip(*whole, strict=True)]


def records_of(
    lines: Iterable[str], delimiter: str, *, comments: bool = True
) -> Iterator[tuple[int, Record]]:
    """Split lines that are no comments into cells; each with the number of its last line."""
    if delimiter == " ":
        lines = (squeezed(line) for line in lines)
    lines = list(lines)
    reader = csv.reader(
        lines, delimiter=delimiter, quotechar=quote_of(lines), skipinitialspace=True
    )
    try:
        for record in reader:
            if record and not (comments and record[0].startswith("#")):
                yield reader.line_num, [cell.strip() for cell in record]
            if reader.line_num > _RECORDS:
                return
    except csv.Error:
        return


def quote_of(lines: Sequence[str]) -> str:
    """Return the quotation mark of a file: a single one if its first line has no other."""
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    return "'" if first.startswith("'") and first.count("'") > 1 and '"' not in first else '"'


_BLANKS = re.compile(r'("(?:[^"]|"")*")|[ \t]+')


def squeezed(text: str) -> str:
    """Make one space of all white space between cells, but not within quotes."""
    stripped = re.sub(r"(?m)^[ \t]+|[ \t]+(?=\r?$)", "", text)
    return _BLANKS.sub(lambda match: match[1] or " ", stripped)
