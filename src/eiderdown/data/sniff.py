"""How a text file writes its table, guessed from its beginning; whatever is given is not guessed.

A guess looks at the first records only: the encoding by its marks and by what can be decoded, the
delimiter by which all lines have equally many cells, the header by how the first line differs from
the others, decimal comma and missing marks by what else stands in a column.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, TypeAlias

from eiderdown.data.texts import MISSING_MARKS, NUMBER_MARKS, is_number
from eiderdown.errors import OptionError
from eiderdown.option_types import shown
from eiderdown.shared_options import ReadOptions

SAMPLE_BYTES: Final = 1 << 18
"""How much of a file is looked at."""

_DELIMITERS: Final = (",", ";", "\t", "|")
_WORDS: Final = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
_SHARE: Final = 0.8
"""Share of the lines that must have equally many cells."""


@dataclass(frozen=True)
class Dialect:
    """How a text file writes its table.

    Attributes
    ----------
    encoding : str
        As Python calls it.
    delimiter : str
        Between cells; a space stands for any white space.
    quote : str
        Around cells.
    decimal : str
        Point or comma.
    names : tuple of str
        Labels of the columns.
    skipped : int
        Lines before the first row.
    marks : tuple of str
        Cells that are missing.
    comments : bool
        Whether lines among the rows begin with ``#``.
    long_cells : bool
        Whether cells in quotes hold line ends.
    guessed_marks : tuple of str
        Those of them that are worth a word.
    notes : tuple of str
        What was guessed, in sentences.
    bytes_per_row : float
        How long rows are in the mean, as far as they were looked at.
    """

    encoding: str
    delimiter: str
    quote: str
    decimal: str
    names: tuple[str, ...]
    skipped: int
    marks: tuple[str, ...]
    comments: bool
    long_cells: bool
    guessed_marks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    bytes_per_row: float = 1.0


def sniff(sample: bytes, options: ReadOptions, *, tabs: bool = False, cut: bool = False) -> Dialect:
    """Guess how a file writes its table.

    Parameters
    ----------
    sample : bytes
        The beginning of the file.
    options : ReadOptions
        What the user said about it.
    tabs : bool
        Whether its name says that there are tabs between cells.
    cut : bool
        Whether the file goes on behind the sample.
    """
    encoding = options.get("encoding") or guess_encoding(sample, cut=cut)
    text = decoded(sample, encoding, cut=cut)
    if cut:
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    lines = lines_of(text)
    preamble = _preamble(lines)
    body = lines[preamble:]
    delimiter = _given_delimiter(options) or _by_excel(lines) or _guess_delimiter(body, tabs=tabs)
    comments = _has_comments(body, delimiter)
    records = list(records_of(body, delimiter, comments=comments))
    above = preamble
    preamble, records = _after_title(preamble, records)
    header, named = _header(lines[:preamble], records, delimiter, options)
    rows = [record for _, record in records[1 if named else 0 :]]
    columns = columns_of(rows, len(header))
    decimal = options.get("decimal") or _guess_decimal(columns, delimiter)
    marks, guessed = _marks(columns, decimal, options)
    dialect = Dialect(
        encoding,
        delimiter,
        quote_of(body),
        decimal,
        header,
        preamble + (records[0][0] if named else 0),
        marks,
        comments=comments,
        long_cells=any("\n" in cell or "\r" in cell for row in rows for cell in row),
        guessed_marks=guessed,
        bytes_per_row=max(1.0, len(sample) / max(1, len(lines))),
    )
    title = () if preamble == above else (_TITLE.format(preamble),)
    named = named or not records or any(name != f"x{i}" for i, name in enumerate(header))
    return replace(dialect, notes=(*title, *_notes(dialect, options, tabs=tabs, named=named)))


_TITLE = "Skipped what stands above the table; lines: {}."


# --- around the table and between cells ----------------------------------------------------------


def _preamble(lines: Sequence[str]) -> int:
    """Count the lines before the table that are comments, empty, or Excel's note to itself."""
    for i, line in enumerate(lines):
        if line.strip() and not line.startswith("#") and not (i == 0 and _EXCEL.match(line)):
            return i
    return 0


_EXCEL = re.compile(r"sep=(.)\s*$", re.IGNORECASE)


def _by_excel(lines: Sequence[str]) -> str | None:
    match = _EXCEL.match(lines[0]) if lines else None
    return match[1] if match else None


def _has_comments(lines: Sequence[str], delimiter: str) -> bool:
    """Say whether lines that begin with # are comments: a colour may as well, in the first cell."""
    marked = [line for line in lines if line.startswith("#")]
    if not marked:
        return False
    usual = Counter(len(record) for _, record in records_of(lines, delimiter)).most_common(1)
    rows = (line for line in marked if not line.startswith("# "))
    cells = {len(record) for _, record in records_of(rows, delimiter, comments=False)}
    return not usual or usual[0][0] not in cells


def _given_delimiter(options: ReadOptions) -> str | None:
    given = options.get("delimiter")
    if given is None:
        return None
    delimiter = _WORDS.get(given.lower(), given)
    if len(delimiter) != 1 or not delimiter.isascii():
        raise OptionError(
            "delimiter must be a single ASCII character, 'tab' or 'space', not "
            f"{shown(given)}; a file with more between its cells must be rewritten first."
        )
    return delimiter


def _guess_delimiter(lines: Sequence[str], *, tabs: bool) -> str:
    """Choose the delimiter by which most lines have equally many cells, and cells look whole."""
    if tabs and any("\t" in line for line in lines):
        return "\t"
    split = {sign: [record for _, record in records_of(lines, sign)] for sign in _DELIMITERS}
    shares = {sign: _share(records) for sign, records in split.items()}
    most = max(shares.values())
    if most < _SHARE and _share([record for _, record in records_of(lines, " ")]) >= _SHARE:
        return " "
    best = [sign for sign, share in shares.items() if share == most]
    return best[0] if len(best) == 1 or most == 0 else max(best, key=lambda s: _whole(split[s]))


def _share(records: Sequence[Record]) -> float:
    """Return the share of records that have the usual number of cells, of at least two."""
    if not records:
        return 0.0
    (n_cells, count), *_ = Counter(map(len, records)).most_common(1)
    return round(count / len(records), 2) if n_cells > 1 else 0.0


def _whole(records: Sequence[Record]) -> float:
    """Return the share of cells that are numbers."""
    cells = {cell for record in records for cell in record[:WIDEST] if cell}
    return sum(map(_is_value, cells)) / max(len(cells), 1)


def _after_title(
    preamble: int, records: list[tuple[int, Record]]
) -> tuple[int, list[tuple[int, Record]]]:
    """Leave out lines above the table whose cells are not as many as its, such as a title."""
    counts = [len(record) for _, record in records]
    usual = Counter(counts).most_common(1)[0][0] if counts else 0

    unheaded = usual > 2 and counts[:2] == [usual - 1, usual]  # row names without a heading
    if usual < 2 or unheaded:
        return preamble, records
    starts = (i for i in range(len(counts) // 2) if counts[i : i + 3] == [usual] * 3)
    start = 0 if counts[:2] == [usual] * 2 else next(starts, 0)
    last = records[start - 1][0] if start else 0
    return preamble + last, [(line - last, cells) for line, cells in records[start:]]


# --- header --------------------------------------------------------------------------------------


def _header(
    above: Sequence[str],
    records: Sequence[tuple[int, Record]],
    delimiter: str,
    options: ReadOptions,
) -> tuple[tuple[str, ...], bool]:
    """Return the labels of the columns, and whether they stand in the first record."""
    if not records:
        return (), False
    first, rows = records[0][1], [record for _, record in records[1:]]
    n_cells = Counter(map(len, rows)).most_common(1)[0][0] if rows else len(first)
    if n_cells == len(first) + 1:
        trailing = all(not row[-1] for row in rows if len(row) == n_cells)
        return ((*first, "") if trailing else ("", *first)), True
    given = options.get("header")
    if given is True or (given is None and not _looks_like_data(first, rows)):
        return tuple(first), True
    if given is None and above and above[-1].startswith("#"):  # the header is a comment
        words = next(iter(records_of([above[-1][1:].lstrip()], delimiter)), (0, []))[1]
        if len(words) == len(first):
            return tuple(words), False
    return tuple(f"x{i}" for i in range(len(first))), False


def _looks_like_data(first: Record, rows: Sequence[Record]) -> bool:
    """Say whether the first record is a row: a number, or what its column holds anyway."""
    columns = columns_of(rows, len(first))
    first = first[:WIDEST]
    if not columns:
        return bool(first) and all(map(_is_value, first))
    numeric = [_is_value(cell) for cell in first]
    below = [_is_numeric_column(column) for column in columns]
    if any(under and not own for own, under in zip(numeric, below, strict=True)):
        return False
    if any(numeric):
        return not _are_counted(first, numeric, columns)
    repeated = sum(cell in column for cell, column in zip(first, columns, strict=True))
    return len(rows) >= 10 and repeated > len(first) / 2


def _are_counted(first: Record, numeric: list[bool], columns: list[set[str]]) -> bool:
    """Say whether numbers in the first record are headings: years, say, above other numbers."""
    numbers = [cell for cell, own in zip(first, numeric, strict=True) if own]
    if len(numbers) < 2 or not all(cell.isdigit() for cell in numbers):
        return False
    values = [int(cell) for cell in numbers]
    steps = {later - earlier for earlier, later in pairwise(values)}
    others = [c for c, own in zip(columns, numeric, strict=True) if own]
    return steps == {1} and not any(
        cell in column for cell, column in zip(numbers, others, strict=True)
    )


def _is_value(cell: str) -> bool:
    return is_number(cell, ".") or is_number(cell, ",")


def _is_numeric_column(cells: Iterable[str]) -> bool:
    known = [cell for cell in cells if cell.lower() not in NUMBER_MARKS]
    return bool(known) and all(map(_is_value, known))


# --- cells ---------------------------------------------------------------------------------------


def _guess_decimal(columns: Sequence[set[str]], delimiter: str) -> str:
    """Choose the comma where whole columns are numbers with it, and none with a point."""
    comma = False
    for column in columns:
        known = [cell for cell in column if cell.lower() not in NUMBER_MARKS]
        if not any("," in cell or "." in cell for cell in known):
            continue
        if all(is_number(cell, ".") for cell in known) and not any("," in c for c in known):
            return "."
        if all(is_number(cell, ",") for cell in known):
            grouped = all(re.fullmatch(r"[+-]?[1-9]\d{0,2}(,\d{3})+", c) for c in known if "," in c)
            comma = comma or not grouped or delimiter == ";"
    return "," if comma else "."


def _marks(
    columns: Sequence[set[str]], decimal: str, options: ReadOptions
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the cells that are missing, and those of them that are worth a word."""
    given = options.get("na")
    if given is not None:
        return ("", *given), ()
    seen: set[str] = set()
    texts: set[str] = set()
    for column in columns:
        odd = {cell for cell in column if cell.lower() in NUMBER_MARKS and cell}
        rest = [cell for cell in column if cell.lower() not in NUMBER_MARKS]
        if odd and rest and all(is_number(cell, decimal) for cell in rest):
            seen |= odd
        else:
            texts |= odd
    extra = tuple(sorted(mark for mark in seen - texts if mark not in MISSING_MARKS))
    said = sorted({*extra, *(mark for mark in (*seen, *texts) if mark == "?")})
    return (*MISSING_MARKS, *extra), tuple(said)


def _notes(dialect: Dialect, options: ReadOptions, *, tabs: bool, named: bool) -> tuple[str, ...]:
    """Say in one sentence what was guessed, if it is not what everyone expects."""
    names = {"\t": "tab", " ": "space"}
    said = []
    expected = "\t" if tabs else ","
    if options.get("delimiter") is None and dialect.delimiter != expected:
        shown = names.get(dialect.delimiter, dialect.delimiter)
        said.append(f"--delimiter '{shown}'")
    if options.get("decimal") is None and dialect.decimal == ",":
        said.append("--decimal ,")
    if options.get("encoding") is None and not dialect.encoding.startswith("utf-8"):
        said.append(f"--encoding {dialect.encoding}")
    if options.get("header") is None and not named:
        said.append("--no-header")
    if not said:
        return ()
    return (f"The file was read as with {' '.join(said)}; say otherwise where that is wrong.",)


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
    except (LookupError, ValueError) as problem:
        if isinstance(problem, UnicodeDecodeError):
            raise
        raise OptionError(
            f"There is no encoding {shown(encoding)}; try 'utf-8' or 'latin-1'."
        ) from None


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
