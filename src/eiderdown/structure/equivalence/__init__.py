"""Searches among Markov equivalence classes of graphs: GES and KES."""
