"""Law: what a function's raise statements are executed to say is what their mined records say."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from laws import checks, engines, mined, profiles
from laws.functions import Program, Raise, programs
from laws.running import Raised, outcome
from laws.texts import VALUES

profiles.load()

PATH = "law.py"
# Beyond these the miner may leave alternatives inline, or merge them into a hole.
MOST_VARIANTS = 16
MOST_KNOWN = 8


def runs(program: Program) -> list[Raised]:
    """Execute with every combination of arguments and return what was raised, without repeats."""
    namespace: dict[str, object] = {}
    exec(compile(program.source, PATH, "exec"), namespace)
    law = namespace["law"]
    assert callable(law)
    flags = list(itertools.product((False, True), repeat=3))
    outcomes = [outcome(law, (*values, *combination)) for values in VALUES for combination in flags]
    return list(dict.fromkeys(one for one in outcomes if one is not None))


def written(program: Program, raised: Raised) -> Raise:
    return next(one for one in program.raises if one.line == raised.line)


@given(program=programs())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])
def test_what_is_printed_is_what_is_mined(program: Program) -> None:
    records = mined.mine({PATH: program.source}).records
    for raised in runs(program):
        source = written(program, raised)
        assert raised.error_class == source.error_class
        record = checks.the_record(raised, records)
        checks.check_engines(raised, record)
        checks.check_variants(raised, record)
        if source.says.lifted and source.says.alternatives <= MOST_VARIANTS:
            checks.check_lift(raised, record)
        if source.says.known and source.says.alternatives <= MOST_KNOWN:
            checks.check_precision(raised, record, alternatives=source.says.alternatives)


@given(data=st.data())
def test_generated_programs_reach_their_raises(data: st.DataObject) -> None:
    """The law would hold of programs that never raise: most raise, and only where they were written to."""
    program = data.draw(programs())
    assert all(raised.line in {one.line for one in program.raises} for raised in runs(program))


def test_javascript_takes_part() -> None:
    if not engines.has_javascript():
        pytest.skip("node is not on this machine: patterns were not checked in JavaScript")
    assert engines.javascript([("a(.+?)", "a\n😀"), ("a(.+?)", "a"), ("(", "")])[:2] == [
        [True, True, 1],
        [False, False, 1],
    ]
