"""Law: what a package of several modules is executed to raise is what its mined records say."""

import itertools

from hypothesis import given
from laws import checks, mined, profiles
from laws.packages import VALUES, Package
from laws.running import Raised, imported, outcome
from laws.throws import packages

profiles.load()

MOST_VARIANTS = 16
MOST_KNOWN = 8


def runs(package: Package) -> list[Raised]:
    """Import, call every law with every combination of arguments, and return what was raised, without repeats."""
    flags = list(itertools.product((False, True), repeat=2))
    with imported(package.files, package.main) as main:
        outcomes = [
            outcome(getattr(main, name), (*values, *combination))
            for name in package.laws
            for values in VALUES
            for combination in flags
        ]
    return list(dict.fromkeys(one for one in outcomes if one is not None))


@given(package=packages())
def test_what_is_printed_is_what_is_mined(package: Package) -> None:
    records = mined.mine(package.files).records
    for raised in runs(package):
        source = package.raises[raised.path, raised.line]
        record = checks.the_record(raised, records, class_known=source.class_known)
        checks.check_engines(raised, record)
        checks.check_variants(raised, record)
        if source.text.lifted and source.text.alternatives <= MOST_VARIANTS:
            checks.check_lift(raised, record)
        if source.text.known and not package.optional and source.text.alternatives <= MOST_KNOWN:
            checks.check_precision(raised, record, alternatives=source.text.alternatives)


@given(package=packages())
def test_generated_packages_reach_their_raises(package: Package) -> None:
    """The law would hold of packages that never raise: each does, and only where it was written to."""
    raised = runs(package)
    assert raised
    assert {(one.path, one.line) for one in raised} <= set(package.raises)
