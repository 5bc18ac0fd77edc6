"""Searches by tests: adjacencies first, then v-structures, then Meek's rules."""
