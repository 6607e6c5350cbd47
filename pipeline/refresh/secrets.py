"""What must never be shown: keys, tokens, passwords, taken out of every text that the job says or keeps."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

STARS: Final = "***"
_NAMES: Final = re.compile(
    r"(?:^|_)(?:\w*KEY|\w*TOKEN|\w*SECRET|\w*PASSW(?:OR)?D|PASSPHRASE|PAT|CREDENTIALS?)(?:_|$)", re.IGNORECASE
)
_IN_ADDRESS: Final = re.compile(r"(?<=://)[^/@\s'\"]+(?=@)")
_LOOKS_SECRET: Final = re.compile(
    r"\b(?:sk-[\w-]{8,}|gh[a-z]_\w{20,}|github_pat_\w{20,})|(?<=[Bb]earer )[\w.~+/-]{8,}=*"
)
_SHORTEST: Final = 6  # characters; a shorter value would also be found where it means nothing

Redact = Callable[[str], str]


def redacting(environment: Mapping[str, str], more: Iterable[str] = ()) -> Redact:
    """A function that puts stars in place of secrets.

    Secret are: values of variables with a telling name; user and password in any address, those of the environment and
    of `more` (what the command line was given) also where they stand alone; and what has the form of a known key.
    """
    found = {value for name, value in environment.items() if _NAMES.search(name)}
    for text in (*environment.values(), *more):
        for account in _IN_ADDRESS.findall(text):
            found |= {account, account.partition(":")[2]}
    known = sorted((value for value in found if len(value) >= _SHORTEST), key=lambda value: (-len(value), value))
    exact = re.compile("|".join(map(re.escape, known))) if known else None

    def redact(text: str) -> str:
        text = exact.sub(STARS, text) if exact else text
        return _LOOKS_SECRET.sub(STARS, _IN_ADDRESS.sub(STARS, text))

    return redact
