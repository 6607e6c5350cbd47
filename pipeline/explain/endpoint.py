"""Where a model is asked."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    """Where a model is asked. base_url: None for the vendor's own. timeout: seconds for one answer."""

    base_url: str | None
    key: str | None = field(repr=False)
    timeout: float = 180.0

    @property
    def name(self) -> str:
        """What stands for it in the store: no user, password or query of its address."""
        return re.sub(r"//[^/@]*@", "//", self.base_url or "openai").partition("?")[0]


def endpoint_from(environment: Mapping[str, str] = os.environ) -> Endpoint | None:
    """The endpoint that OPENAI_API_KEY and OPENAI_BASE_URL name; None where neither is set."""
    key, base_url = environment.get("OPENAI_API_KEY") or None, environment.get("OPENAI_BASE_URL") or None
    return Endpoint(base_url=base_url, key=key) if key or base_url else None
