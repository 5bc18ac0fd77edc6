"""Which Alarm the papers of Pena and others sampled, as far as they can be asked."""

from __future__ import annotations

ALARM = (
    "Alarm here is not the authors' Alarm to the letter. Their 20,000 rows were one table, drawn "
    "once: table 6 of their paper of 2007 has a deviation of 0.00 at 20,000 rows, so its ten "
    "databases of smaller sizes are subsamples, and their paper of 2004 samples the same way. "
    "Ours are drawn anew from the network that is bundled. Published versions of its tables "
    "differ, such as in ARTCO2 given VENTALV = ZERO (.01, .01, .98 in the bundled one). The edge "
    "that the paper of 2004 misses, its 12 - 32, read as FIO2 -> PVSAT, is not supported by their "
    "data; in 20,000 rows of the bundled network it is beyond doubt (p 5e-245 given VENTALV). "
    "Runs on one fixed table of 20,000 rows with subsamples of it were not made."
)
