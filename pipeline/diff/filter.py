"""Which changes a reader asked for."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from pipeline.diff.changes import Change
from pipeline.diff.kind import Kind


@dataclass(frozen=True, kw_only=True, slots=True)
class Filter:
    """A change is kept that fits one of each; what is empty asks for nothing.

    paths: globs; classes: last names or public names. Either side of a change may fit.
    """

    kinds: tuple[Kind, ...] = ()
    paths: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    breaking: bool = False

    def keeps(self, change: Change) -> bool:
        sides = [record for record in (change.old, change.new) if record]
        return (
            (change.breaking or not self.breaking)
            and (not self.kinds or any(kind in self.kinds for kind in change.kinds))
            and (not self.paths or any(fnmatchcase(side.filePath, path) for side in sides for path in self.paths))
            and (not self.classes or any({side.errorClass, side.errorClassPublic} & {*self.classes} for side in sides))
        )
