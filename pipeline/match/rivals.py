"""What Python and NumPy say: rivals to the records, so that it is not taken for the repository's."""

import enum
from dataclasses import dataclass
from typing import Final

from pipeline.match import dialect
from pipeline.match.index import automaton, hits
from pipeline.match.search import holds


class Speaker(enum.StrEnum):
    """Whose text a rival is."""

    PYTHON = "python"
    NUMPY = "numpy"


@dataclass(frozen=True, kw_only=True, slots=True)
class Rival:
    """A text that is not of any repository. fixed: its fixed characters. run: the longest of its fixed runs."""

    speaker: Speaker
    pattern: str
    fixed: int
    run: str


_PYTHON: Final = r"""
'(.+?)' object has no attribute '(.+?)'
'(.+?)' object has no attribute '(.+?)'\. Did you mean: '(.+?)'\?
'(.+?)' object attribute '(.+?)' is read-only
module '(.+?)' has no attribute '(.+?)'
module '(.+?)' has no attribute '(.+?)'\. Did you mean: '(.+?)'\?
type object '(.+?)' has no attribute '(.+?)'
partially initialized module '(.+?)' has no attribute '(.+?)' (.+?)
cannot import name '(.+?)' from '(.+?)'
cannot import name '(.+?)' from (.+?)
No module named '(.+?)'
name '(.+?)' is not defined
name '(.+?)' is not defined\. (.+?)
cannot access local variable '(.+?)' where it is not associated with a value
local variable '(.+?)' referenced before assignment
(.+?)\(\) got an unexpected keyword argument '(.+?)'
(.+?)\(\) got an unexpected keyword argument '(.+?)'\. Did you mean '(.+?)'\?
(.+?)\(\) got multiple values for argument '(.+?)'
(.+?)\(\) missing (.+?) required positional arguments: (.+?)
(.+?)\(\) missing (.+?) required positional argument: (.+?)
(.+?)\(\) missing (.+?) required keyword-only argument: (.+?)
(.+?)\(\) missing (.+?) required keyword-only arguments: (.+?)
(.+?)\(\) takes (.+?) positional arguments but (.+?) were given
(.+?)\(\) takes (.+?) positional argument but (.+?) were given
(.+?)\(\) takes (.+?) positional arguments but (.+?) was given
(.+?)\(\) takes no arguments
'(.+?)' object is not callable
'(.+?)' object is not iterable
'(.+?)' object is not an iterator
'(.+?)' object is not subscriptable
type '(.+?)' is not subscriptable
'(.+?)' object does not support item assignment
'(.+?)' object does not support item deletion
'(.+?)' object does not support the context manager protocol
'(.+?)' object does not support the asynchronous context manager protocol
'(.+?)' object cannot be interpreted as an integer
unsupported operand type\(s\) for (.+?): '(.+?)' and '(.+?)'
bad operand type for (.+?): '(.+?)'
'(.+?)' not supported between instances of '(.+?)' and '(.+?)'
can only concatenate (.+?) \(not "(.+?)"\) to (.+?)
argument of type '(.+?)' is not iterable
argument of type '(.+?)' is not a container or iterable
cannot unpack non-iterable (.+?) object
not enough values to unpack \(expected (.+?), got (.+?)\)
too many values to unpack \(expected (.+?)\)
too many values to unpack \(expected (.+?), got (.+?)\)
object of type '(.+?)' has no len\(\)
unhashable type: '(.+?)'
cannot use '(.+?)' as a (.+?) \(unhashable type: '(.+?)'\)
list index out of range
tuple index out of range
string index out of range
(.+?) indices must be integers or slices, not (.+?)
(.+?) indices must be integers, not '(.+?)'
pop from empty (.+?)
(.+?) is not in list
division by zero
(.+?) division or modulo by zero
invalid literal for int\(\) with base (.+?): (.+?)
could not convert string to float: (.+?)
math domain error
math range error
Python int too large to convert to C (.+?)
int too large to convert to float
maximum recursion depth exceeded
maximum recursion depth exceeded (.+?)
Can't instantiate abstract class (.+?) with abstract (.+?)
Can't instantiate abstract class (.+?) without an implementation for abstract (.+?)
isinstance\(\) arg 2 must be a type, a tuple of types, or a union
issubclass\(\) arg 1 must be a class
exceptions must derive from BaseException
catching classes that do not inherit from BaseException is not allowed
dictionary changed size during iteration
generator raised StopIteration
cannot pickle '(.+?)' object
Object of type (.+?) is not JSON serializable
\[Errno (.+?)\] (.+?)
'(.+?)' codec can't decode (.+?) in position (.+?): (.+?)
'(.+?)' codec can't encode (.+?) in position (.+?): (.+?)
"""
_NUMPY: Final = r"""
index (.+?) is out of bounds for axis (.+?) with size (.+?)
index (.+?) is out of bounds for size (.+?)
too many indices for array: array is (.+?)-dimensional, but (.+?) were indexed
arrays used as indices must be of integer \(or boolean\) type
boolean index did not match indexed array along (.+?) but size of corresponding boolean axis is (.+?)
operands could not be broadcast together with shapes (.+?)
operands could not be broadcast together with remapped shapes (.+?)
could not broadcast input array from shape (.+?) into shape (.+?)
cannot reshape array of size (.+?) into shape (.+?)
negative dimensions are not allowed
axes don't match array
setting an array element with a sequence\.(.*?)
only length-1 arrays can be converted to Python scalars
only 0-dimensional arrays can be converted to Python scalars
only size-1 arrays can be converted to Python scalars
shapes (.+?) and (.+?) not aligned: (.+?)
matmul: Input operand (.+?) has a mismatch in its core dimension (.+?)
ufunc '(.+?)' not supported for the input types, and the inputs could not be safely coerced to any supported types (.+?)
ufunc '(.+?)' did not contain a loop with signature matching types (.+?)
Cannot cast ufunc '(.+?)' output from (.+?) to (.+?) with casting rule '(.+?)'
data type '(.+?)' not understood
need at least one array to concatenate
all the input array dimensions except for the concatenation axis must match exactly, but along dimension (.+?)
module 'numpy' has no attribute '(.+?)'\.(.*?)
zero-size array to reduction operation (.+?) which has no identity
assignment destination is read-only
"""


def _rivals(speaker: Speaker, patterns: str) -> list[Rival]:
    parsed = [(pattern, dialect.parse(pattern)) for pattern in patterns.strip().split("\n")]
    return [
        Rival(
            speaker=speaker,
            pattern=pattern,
            fixed=dialect.fixed(parts),
            run=max(dialect.runs(parts), key=len, default=""),
        )
        for pattern, parts in parsed
    ]


RIVALS: Final = tuple(
    sorted((*_rivals(Speaker.PYTHON, _PYTHON), *_rivals(Speaker.NUMPY, _NUMPY)), key=lambda rival: -rival.fixed)
)
_RUNS: Final = automaton((rival.run, number) for number, rival in enumerate(RIVALS))
_LONGEST: Final = 2_000


def rival(message: str, squeezed: str | None = None) -> Rival | None:
    """The rival with the most fixed text that the whole message is, if one."""
    if len(message) > _LONGEST:
        return None
    found = {n for _, _, numbers in hits(_RUNS, squeezed or dialect.squeezed(message)) for n in numbers}
    return next((RIVALS[n] for n in sorted(found) if holds(RIVALS[n].pattern, message)), None)
