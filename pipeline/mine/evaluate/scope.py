"""Environments: which assignments of a name can have been the last one at a point of a function.

An environment is a chain of nodes from the newest assignment to the oldest; taking a snapshot is keeping a
pointer. Nothing is evaluated until a raise asks for a name, so a function full of arithmetic costs nothing.
"""

from __future__ import annotations

from pipeline.mine.evaluate.values import Bind, Carried, Env, Found, Join


def find(env: Env | None, name: str, stop: Env | None = None) -> tuple[list[Found], bool]:
    """The assignments of `name` that can be in force at `env`, and whether none of them may be.

    Looks no further than `stop` (exclusive).
    """
    while env is not stop and env is not None:
        if type(env) is Bind:  # no class is derived from it, and this is the innermost loop of all
            if env.name == name:
                return [env.value], False
            env = env.parent
        elif type(env) is Join:
            found, falls = _branches(env, name)
            if found:
                if not falls:
                    return found, False
                more, falls = find(env.base, name, stop)
                return _distinct(found + more), falls
            env = env.base
        else:
            if any(find(end, name, env)[0] for end in env.ends):
                return [Carried(env, name)], False
            env = env.parent
    return [], True


def _branches(join: Join, name: str) -> tuple[list[Found], bool]:
    """What is found for a name between a join and its base: kept, since all loops in between have ended."""
    known = join.known.get(name)
    if known is None:
        found: list[Found] = []
        falls = False
        for branch in join.branches:
            its, missing = find(branch, name, join.base)
            found += its
            falls |= missing
        known = join.known[name] = _distinct(found), falls
    return known


def _distinct(found: list[Found]) -> list[Found]:
    return list(dict.fromkeys(found))


def join(branches: list[Env | None], base: Env | None) -> Env | None:
    """The environment after one of several paths from `base`."""
    distinct = list(dict.fromkeys(branches))
    return distinct[0] if len(distinct) == 1 else Join(tuple(distinct), base)
