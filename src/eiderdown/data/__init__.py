"""A table, encoded once: the `Dataset`, its blocks, and ways to make numbers discrete."""

from __future__ import annotations

from eiderdown.data.bit_planes import BitPlanes
from eiderdown.data.blocks import Block, Category, CodeBlock, FloatBlock, SparseBlock
from eiderdown.data.cuts import equal_frequency_cuts, equal_width_cuts, mdl_cuts
from eiderdown.data.dataset import Dataset
from eiderdown.data.hartemink import hartemink_cuts
from eiderdown.data.intervals import discretise
from eiderdown.data.kinds import Kind

__all__ = [
    "BitPlanes",
    "Block",
    "Category",
    "CodeBlock",
    "Dataset",
    "FloatBlock",
    "Kind",
    "SparseBlock",
    "discretise",
    "equal_frequency_cuts",
    "equal_width_cuts",
    "hartemink_cuts",
    "mdl_cuts",
]
