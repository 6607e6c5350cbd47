"""The errors errcat tells its user about: what, where, and what to try."""


class ErrcatError(Exception):
    """Base of everything the command line prints as one line.

    `str()` is that line: what went wrong and where, then, after `hint`, what to try.
    """

    exit_code = 2

    def __init__(self, what: str, *, hint: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}. {self.hint}" if self.hint else self.what


class SourceError(ErrcatError):
    """A source tree that cannot be had or read: no such revision, release, folder."""


class DatasetError(ErrcatError):
    """A dataset folder that is missing, damaged, invalid or of an unknown version."""


class LedgerError(ErrcatError):
    """A run whose coverage ledger does not add up; nothing is published."""


class WriterError(ErrcatError):
    """A writer of explanations that cannot do its work: no key, an endpoint that refuses, a model that is missing."""


class StoreError(ErrcatError):
    """The store of answers, which is damaged, newer or cannot be written."""


class ClusterError(ErrcatError):
    """A cluster, or a worker of one, that cannot do its work."""
