"""The tables of the Causality Challenge that can be had, and what its pages say of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from harness import data_file
from numpy.typing import NDArray

CALIBRANTS = (
    "34 44 54 64 199 209 219 354 364 374 384 519 529 539 674 684 694 704 839 849 859 994 1004 1014 "
    "1024"
)
REGED1 = (
    "20 27 36 70 82 83 85 91 118 125 139 143 160 169 176 185 191 204 219 224 229 239 243 251 252 "
    "269 281 282 295 297 301 319 320 321 342 350 357 359 361 378 387 407 409 412 429 430 469 472 "
    "499 501 507 512 540 545 552 561 566 572 580 586 593 618 622 637 651 663 674 681 683 686 690 "
    "702 727 754 762 764 773 786 805 815 835 861 872 873 877 880 889 904 935 936 939 942 949 962 "
    "977 985 989 991 992 994"
)
MARTI1 = (
    "5 19 27 35 37 42 49 67 70 71 102 137 144 145 153 158 185 188 194 221 225 229 232 235 244 268 "
    "273 284 294 295 305 310 331 356 368 379 385 396 398 404 411 412 413 417 425 430 455 479 481 "
    "482 491 492 509 510 550 553 555 603 609 627 642 646 654 679 682 706 736 744 755 761 763 771 "
    "807 809 812 821 853 869 870 872 888 894 895 906 914 918 926 931 932 941 963 973 978 979 986 "
    "988 990 1001 1010 1017"
)
SIDE = 32
"""The columns of MARTI lie on an array of so many by so many, one column of it after the other."""


@dataclass(frozen=True)
class ChallengeData:
    """A table, the columns that its task 1 manipulates, and what the thesis reached."""

    name: str
    frame: pd.DataFrame
    classes: NDArray[np.int64]
    thesis_auc: float
    thesis_columns: tuple[int, int, int]
    aim: float
    most_columns: int | None = None
    manipulated: tuple[str, ...] = ()
    calibrants: tuple[str, ...] = ()
    predictor: dict[str, Any] = field(default_factory=dict)


def named(numbers: str) -> tuple[str, ...]:
    """Return the names of columns that are numbered from 1."""
    return tuple(f"x{number}" for number in numbers.split())


def reged() -> ChallengeData:
    """Read REGED: 500 rows, 999 numbers."""
    frame, classes = _read("real/reged0_train.npz", positive=1)
    return ChallengeData("REGED", frame, classes, 0.9998, (15, 9, 3), 0.998, 20, named(REGED1))


def marti() -> ChallengeData:
    """Read MARTI: REGED's kind of table with a smooth pattern of noise in every row."""
    frame, classes = _read("real/marti1_train.npz", positive=1)
    lists = named(MARTI1), named(CALIBRANTS)
    return ChallengeData("MARTI", frame, classes, 0.9681, (24, 17, 3), 0.99, None, *lists)


def cina() -> ChallengeData:
    """Read CINA: 16,033 rows, 132 columns, most of them binary."""
    frame, classes = _read("real/cina0_train_scaled.npz", positive=1)
    return ChallengeData("CINA", frame, classes, 0.9721, (101, 5, 5), 0.972)


def _read(name: str, *, positive: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    parts = np.load(data_file(name))
    numbers = parts["X"].astype(np.float64)
    names = [f"x{number}" for number in range(1, numbers.shape[1] + 1)]
    classes = (parts["y"] == positive).astype(np.int64)
    return pd.DataFrame(numbers, columns=names), classes
