"""A table, encoded once: the `Dataset`, its blocks, and ways to make numbers discrete."""

from __future__ import annotations

from eiderdown.data.blocks import BitPlanes, Block, Category, CodeBlock, FloatBlock, SparseBlock
from eiderdown.data.columns import Kind
from eiderdown.data.dataset import Dataset
from eiderdown.data.discretise import (
    discretise,
    equal_frequency_cuts,
    equal_width_cuts,
    hartemink_cuts,
    mdl_cuts,
)
from eiderdown.data.packing.stores import remove_stores, stores

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
    "remove_stores",
    "stores",
]
