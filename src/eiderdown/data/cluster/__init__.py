"""Tables on a cluster of Dask."""
