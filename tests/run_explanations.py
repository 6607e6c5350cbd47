"""Runs the Python of explanations under the jax of this interpreter: JSON in on stdin, JSON out on stdout.

In: [{"id": …, "code": …, "probes": [expression, …]}, …]. Out: for each, in order, {"id", "error": null or
[class, text], "probes": [value, …], "config": [options that the code left changed]}. Every program is a module of its
own called example.py; what it prints is dropped.
"""

import contextlib
import importlib
import io
import json
import os
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any


def options(jax: Any) -> dict[str, str]:
    return {name: repr(getattr(jax.config, name, None)) for name in jax.config.values}


def names_for_probes(jax: Any) -> dict[str, Any]:
    """What a probe may speak of besides the names of its program."""

    def traced(guard: Callable[..., object], *args: object) -> object:
        """What the guard says of these arguments while a function of them is traced."""
        said: list[object] = []
        jax.eval_shape(lambda *tracers: said.append(guard(*tracers)), *args)
        return said[0]

    def split(spec: object) -> object:
        """A square array that is cut so on a mesh of 4 x 2 devices."""
        mesh = jax.make_mesh((4, 2), ("x", "y"))
        return jax.device_put(jax.numpy.ones((8, 8)), jax.sharding.NamedSharding(mesh, spec))

    modules = {"jnp": "jax.numpy", "np": "numpy", "pl": "jax.experimental.pallas"}
    found = {name: importlib.import_module(module) for name, module in modules.items()}
    return {"jax": jax, "P": jax.sharding.PartitionSpec, "traced": traced, "split": split, **found}


def evaluated(probes: list[str], names: dict[str, Any]) -> list[object]:
    return [eval(probe, names) for probe in probes]


def run(program: dict[str, Any], jax: Any) -> dict[str, Any]:
    before, error, said = options(jax), None, []
    module = sys.modules["example"] = types.ModuleType("example")
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            exec(compile(program["code"], "example.py", "exec"), module.__dict__)
            module.__dict__.update(names_for_probes(jax))
            said = evaluated(program.get("probes", []), module.__dict__)
        except Exception as raised:  # noqa: BLE001  # whatever it raises is the answer
            error = [type(raised).__name__, str(raised)]
    after = options(jax)
    changed = [name for name, value in before.items() if after[name] != value]  # imports may add some
    return {"id": program["id"], "error": error, "probes": said, "config": changed}


def main() -> None:
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    warnings.simplefilter("error", DeprecationWarning)
    jax = importlib.import_module("jax")  # after its settings; it is not among what the tests themselves may import
    rows = [run(program, jax) for program in json.load(sys.stdin)]
    sys.stdout.write(json.dumps(rows, default=repr))


if __name__ == "__main__":
    main()
