"""From what a user gives as ``client`` to a connected client of Dask, or to one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from eiderdown.errors import ClusterError, OptionError
from eiderdown.option_types import shown

_SECONDS_TO_CONNECT: Final = 10

NO_DASK: Final = (
    "A cluster needs Dask, which is not installed; pip install 'eiderdown[dask]' adds it."
)


def connect(client: Any) -> tuple[Any, bool]:
    """Return a client of Dask for a client or the address of a scheduler, and whether it is new.

    Parameters
    ----------
    client : distributed.Client or str
        The client, or an address such as ``"tcp://127.0.0.1:8786"``.
    """
    try:
        import distributed
    except ImportError:
        raise ClusterError(NO_DASK) from None
    if isinstance(client, distributed.Client):
        _require_usable(client)
        return client, False
    if not isinstance(client, str):
        raise OptionError(
            f"client must be a client of Dask or the address of a scheduler, such as "
            f"'tcp://127.0.0.1:8786', not {shown(client)}."
        )
    try:
        own = distributed.Client(client, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, MemoryError) as problem:
        # A time limit is an OSError as well; what another server answers may look like a huge size.
        raise ClusterError(
            f"There is no cluster at {client!r}; start its scheduler, check the address, or leave "
            "it out to work on this machine."
        ) from problem
    try:
        _require_usable(own)
    except BaseException:
        own.close()
        raise
    return own, True


@contextmanager
def connection(client: Any) -> Iterator[Any]:
    """Give a client of Dask for some work; one that is opened for it is closed behind it."""
    opened, is_new = connect(client)
    try:
        yield opened
    finally:
        if is_new:
            opened.close()


def _require_usable(client: Any) -> None:
    """Refuse a client that is closed or asynchronous, and a cluster without workers like us."""
    if client.asynchronous:
        raise OptionError("client is asynchronous; make it with asynchronous=False.")
    if client.status != "running":
        raise lost(client)
    if not client.nthreads():
        raise ClusterError(
            f"The cluster at {address_of(client)} has no workers; start some, with "
            "'dask worker' and that address."
        )
    _require_same_version(client)


def _require_same_version(client: Any) -> None:
    """Refuse workers on which this version of Eiderdown is not installed."""
    own = installed_version()
    found = client.run(installed_version, on_error="return")
    for worker, other in found.items():
        # Another error is that of a worker that has just been lost, which is looked after later.
        if isinstance(other, str | ImportError) and other != own:
            what = f"version {other}" if isinstance(other, str) else "no Eiderdown"
            raise ClusterError(
                f"Worker {worker} has {what}, and this process version {own}; install the same on "
                "all of them."
            )


def installed_version() -> str:
    """Return the version of Eiderdown in this process."""
    try:
        return version("eiderdown")
    except PackageNotFoundError:  # on the path, but not installed
        return "unknown"


def address_of(client: Any) -> str:
    """Return where a client's scheduler is, or was."""
    scheduler = getattr(client, "scheduler", None)
    return str(getattr(scheduler, "address", None) or "an address that is no longer known")


def lost(client: Any) -> ClusterError:
    """Say that the scheduler does not answer any more."""
    return ClusterError(
        f"The connection to the cluster at {address_of(client)} is lost; start it again, or leave "
        "client out to work on this machine."
    )
