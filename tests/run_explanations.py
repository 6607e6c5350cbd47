"""Runs the Python of explanations under the jax of this interpreter: JSON in on stdin, JSON out on stdout.

In: [{"id": …, "code": …, "probes": [expression, …]}, …]. Out: for each, in order, {"id", "error": null or
[class, text], "probes": [value, …], "config": [options that the code left changed]}. Every program has a fresh
namespace and is called example.py; what it prints is dropped.
"""

import contextlib
import io
import json
import os
import sys
import types
import warnings

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
warnings.simplefilter("error", DeprecationWarning)

import jax
import jax.numpy as jnp
import numpy as np


def options():
    return {name: repr(getattr(jax.config, name, None)) for name in jax.config.values}


def traced(guard, *args):
    """What the guard says of these arguments while a function of them is traced."""
    said = []
    jax.eval_shape(lambda *tracers: said.append(guard(*tracers)), *args)
    return said[0]


def run(program):
    before, error, probes = options(), None, []
    module = sys.modules["example"] = types.ModuleType("example")
    names = module.__dict__
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(program["code"], "example.py", "exec"), names)
            names.update({"jax": jax, "jnp": jnp, "np": np, "P": jax.sharding.PartitionSpec, "traced": traced})
            for probe in program["probes"]:  # a comprehension would hold `names` in a cell, and leak checks stumble over it
                probes.append(eval(probe, names))
        except Exception as raised:
            error = [type(raised).__name__, str(raised)]
    after = options()
    changed = [name for name, value in after.items() if before.get(name) != value]
    return {"id": program["id"], "error": error, "probes": probes, "config": changed}


print(json.dumps([run(program) for program in json.load(sys.stdin)], default=repr))
