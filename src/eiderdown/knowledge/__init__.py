"""What is known before any data: tiers, required and forbidden edges, a limit on parents."""

from eiderdown.knowledge.background import ColumnKnowledge, Knowledge

__all__ = ["ColumnKnowledge", "Knowledge"]
