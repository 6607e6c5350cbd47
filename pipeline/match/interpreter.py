"""What Python itself says: rivals to the records, so that its text is not taken for the repository's."""

from typing import Final

from pipeline.match import dialect
from pipeline.match.search import holds

_SAID: Final = (
    r"'(.+?)' object has no attribute '(.+?)'",
    r"'(.+?)' object has no attribute '(.+?)'\. Did you mean: '(.+?)'\?",
    r"module '(.+?)' has no attribute '(.+?)'",
    r"module '(.+?)' has no attribute '(.+?)'\. Did you mean: '(.+?)'\?",
    r"type object '(.+?)' has no attribute '(.+?)'",
    r"partially initialized module '(.+?)' has no attribute '(.+?)' \(most likely due to a circular import\)",
    r"cannot import name (.+?) from (.+?)",
    r"No module named (.+?)",
    r"name (.+?) is not defined",
    r"name (.+?) is not defined\. Did you mean: (.+?)\?",
    r"cannot access local variable (.+?) where it is not associated with a value",
    r"local variable (.+?) referenced before assignment",
    r"(.+?)\(\) got an unexpected keyword argument (.+?)",
    r"(.+?)\(\) got multiple values for argument (.+?)",
    r"(.+?)\(\) missing (.+?) required positional arguments: (.+?)",
    r"(.+?)\(\) missing (.+?) required positional argument: (.+?)",
    r"(.+?)\(\) missing (.+?) required keyword-only argument: (.+?)",
    r"(.+?)\(\) missing (.+?) required keyword-only arguments: (.+?)",
    r"(.+?)\(\) takes (.+?) positional arguments but (.+?) were given",
    r"(.+?)\(\) takes (.+?) positional argument but (.+?) were given",
    r"(.+?)\(\) takes no arguments",
    r"(.+?) object is not callable",
    r"(.+?) object is not iterable",
    r"(.+?) object is not an iterator",
    r"(.+?) object is not subscriptable",
    r"type (.+?) is not subscriptable",
    r"(.+?) object does not support item assignment",
    r"(.+?) object does not support item deletion",
    r"(.+?) object does not support the context manager protocol",
    r"(.+?) object cannot be interpreted as an integer",
    r"unsupported operand type\(s\) for (.+?): (.+?) and (.+?)",
    r"bad operand type for (.+?): (.+?)",
    r"(.+?) not supported between instances of (.+?) and (.+?)",
    r"can only concatenate (.+?) \(not (.+?)\) to (.+?)",
    r"argument of type (.+?) is not iterable",
    r"argument of type (.+?) is not a container or iterable",
    r"cannot unpack non-iterable (.+?) object",
    r"not enough values to unpack \(expected (.+?), got (.+?)\)",
    r"too many values to unpack \(expected (.+?)\)",
    r"too many values to unpack \(expected (.+?), got (.+?)\)",
    r"object of type (.+?) has no len\(\)",
    r"unhashable type: (.+?)",
    r"cannot use (.+?) as a (.+?) \(unhashable type: (.+?)\)",
    r"list index out of range",
    r"tuple index out of range",
    r"string index out of range",
    r"(.+?) indices must be integers or slices, not (.+?)",
    r"(.+?) indices must be integers, not (.+?)",
    r"pop from empty (.+?)",
    r"(.+?) is not in list",
    r"division by zero",
    r"invalid literal for int\(\) with base (.+?): (.+?)",
    r"could not convert string to float: (.+?)",
    r"math domain error",
    r"math range error",
    r"Python int too large to convert to C (.+?)",
    r"int too large to convert to float",
    r"maximum recursion depth exceeded",
    r"maximum recursion depth exceeded (.+?)",
    r"Can't instantiate abstract class (.+?) with abstract (.+?)",
    r"Can't instantiate abstract class (.+?) without an implementation for abstract (.+?)",
    r"object of type (.+?) is not (.+?)",
    r"isinstance\(\) arg 2 must be a type, a tuple of types, or a union",
    r"issubclass\(\) arg 1 must be a class",
    r"exceptions must derive from BaseException",
    r"dictionary changed size during iteration",
    r"generator raised StopIteration",
    r"cannot pickle (.+?) object",
    r"Object of type (.+?) is not JSON serializable",
    r"\[Errno (.+?)\] (.+?)",
    r"(.+?) codec can't decode (.+?) in position (.+?): (.+?)",
    r"(.+?) codec can't encode (.+?) in position (.+?): (.+?)",
    r"invalid syntax(.*?)",
    r"unexpected indent(.*?)",
)
_PARSED: Final = tuple((pattern, dialect.parse(pattern)) for pattern in _SAID)
_KNOWN: Final = tuple(
    sorted(
        ((dialect.fixed(parts), max(dialect.runs(parts), key=len), pattern) for pattern, parts in _PARSED), reverse=True
    )
)
_LONGEST: Final = 2_000


def says(message: str) -> int:
    """Fixed characters of the longest text of the interpreter that the message is; 0 if it is none of them."""
    if len(message) > _LONGEST:
        return 0
    squeezed = dialect.squeezed(message)
    for fixed, run, pattern in _KNOWN:
        if run in squeezed and holds(pattern, message):
            return fixed
    return 0
