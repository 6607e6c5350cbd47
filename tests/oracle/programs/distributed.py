"""jax.distributed.initialize, before anything else has used a device."""
# mypy: ignore-errors

import functools

import jax

_start = functools.partial(jax.distributed.initialize, cluster_detection_method="deactivate")


def with_nothing():
    _start()


def without_a_count():
    _start("localhost:9999", process_id=0)


def without_a_number():
    _start("localhost:9999", num_processes=2)


def number_as_text():
    _start("localhost:9999", num_processes=2, process_id="0")


def count_as_text():
    _start("localhost:9999", num_processes="2", process_id=0)


def number_too_large():
    _start("localhost:9999", num_processes=2, process_id=5)
