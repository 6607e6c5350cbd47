"""How records are to be explained, as a user asks for it."""

from dataclasses import dataclass
from typing import Final, Literal

from pipeline.errors import WriterError
from pipeline.explain.endpoint import endpoint_from

Writer = Literal["derived", "openai", "local"]
DEFAULT_MODEL: Final = "gpt-4.1-mini"
DEFAULT_USD: Final = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """How records are to be explained. model: a name, or for `local` the path of a GGUF file."""

    writer: Writer
    model: str | None = None
    max_usd: float | None = None
    max_tokens: int | None = None
    offline: bool = False
    batch: bool = False
    rewrite: bool = False

    @property
    def asks(self) -> bool:
        return self.writer != "derived"


def make_plan(
    writer: str, *, model: str | None, max_usd: float | None, max_tokens: int | None, dry: bool = False, **options: bool
) -> Plan:
    """The plan of a command line. `auto`: an endpoint where one is set up, else derived. WriterError: it cannot be.

    dry: nothing will be asked, so nothing is needed for it.
    """
    endpoint = endpoint_from()
    if writer == "auto":
        writer = "openai" if endpoint or (options.get("offline") and model) else "derived"
    if writer == "openai":
        if endpoint is None and not options.get("offline") and not dry:
            raise WriterError("--writer openai needs an endpoint", hint="Set OPENAI_API_KEY, or OPENAI_BASE_URL")
        max_usd = DEFAULT_USD if max_usd is None and max_tokens is None else max_usd
        return Plan(writer="openai", model=model or DEFAULT_MODEL, max_usd=max_usd, max_tokens=max_tokens, **options)
    if writer == "local":
        if model is None:
            raise WriterError(
                "--writer local needs a model", hint="Give --model a GGUF file; errcat local-model makes one"
            )
        return Plan(writer="local", model=model, max_tokens=max_tokens, **options)
    if writer != "derived":
        raise WriterError(f"--writer {writer} is none", hint="auto, derived, openai or local")
    return Plan(writer="derived", rewrite=options.get("rewrite", False))
