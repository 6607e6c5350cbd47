"""Who does the work: processes of this machine, or workers of a Dask cluster, behind the same executor interface."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from pipeline.errors import ClusterError
from pipeline.processes import end_with_parent

PATIENCE: Final = 5.0  # seconds in which a scheduler has to answer


@dataclass(frozen=True, kw_only=True, slots=True)
class Team:
    """Workers. width: how many units they do at once. start: gives an executor, and a fresh one when that broke."""

    width: int
    start: Callable[[], Executor]


@contextmanager
def processes(count: int | None = None) -> Iterator[Team]:
    """Processes of this machine, one for each core where nothing else is said."""
    width = count or os.cpu_count() or 1
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")  # a fork would copy the threads of a progress bar half
    pools: list[ProcessPoolExecutor] = []

    def end() -> None:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()

    def start() -> Executor:
        end()  # a pool that breaks while it starts a process leaves that one behind, and waits for it
        pools.append(ProcessPoolExecutor(width, mp_context=context, initializer=_start_worker))
        return pools[-1]

    try:
        yield Team(width=width, start=start)
    finally:
        for pool in pools:
            pool.shutdown(wait=False, cancel_futures=True)
        end()
        for pool in pools:
            pool.shutdown()


def _start_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent hears of it, and ends the workers
    end_with_parent()


@contextmanager
def cluster(address: str) -> Iterator[Team]:
    """The workers of a Dask cluster. ClusterError: no Dask here, no scheduler there, or no worker."""
    try:
        import dask.config
        from distributed import Client
    except ImportError:
        raise ClusterError("Dask is not installed", hint="Run pip install 'errcat[dask]'") from None
    large = {"distributed.admin.large-graph-warning-threshold": "1GB"}  # a unit carries its source
    with dask.config.set(large):
        try:
            client: Any = Client(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]  # Dask
        except (OSError, ValueError, TimeoutError) as error:
            reason = str(error).split("\n", 1)[0]
            hint = "Start one with `dask scheduler`, and give --dask the address that it prints"
            raise ClusterError(f"no Dask scheduler at {address}: {reason}", hint=hint) from None
        with client:
            threads = client.nthreads()
            if not threads:
                hint = f"Start some with `dask worker {address} --nthreads 1`"
                raise ClusterError(f"the Dask scheduler at {address} has no worker", hint=hint)
            executor = client.get_executor(pure=True)  # a unit is named by its content
            try:
                yield Team(width=len(threads), start=lambda: executor)
            except BaseException:
                executor.shutdown(wait=False)
                raise
