"""Its presence puts this folder on the import path, for the tests of the folders below."""
