"""How many examples the laws try: HYPOTHESIS_PROFILE is `ci` (the default: quick, the same every time) or `deep`."""

import os

from hypothesis import HealthCheck, settings

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, database=None, print_blob=False, suppress_health_check=SLOW
)
settings.register_profile("deep", max_examples=5000, deadline=None, suppress_health_check=SLOW)


def load() -> None:
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
