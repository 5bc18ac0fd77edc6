"""What is known before any data: tiers, required and forbidden edges, a limit on parents.

`Knowledge` speaks of names, as people do. `Knowledge.of_columns` turns it into `ColumnKnowledge`,
which speaks of column numbers, as searches do, and takes memory for what was said, not for every
pair of columns.
"""

from eiderdown.knowledge.background import Knowledge
from eiderdown.knowledge.column_knowledge import ColumnKnowledge

__all__ = ["ColumnKnowledge", "Knowledge"]
