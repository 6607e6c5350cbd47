"""From a message or a whole traceback to the records that could have printed it.

`match(text, index)` is the call for other programs; `answer` adds what the command line prints.
"""

from pipeline.match.answer import Answer, Error, answer, match
from pipeline.match.index import Index
from pipeline.match.rank import Hole, Match
from pipeline.match.search import How

__all__ = ["Answer", "Error", "Hole", "How", "Index", "Match", "answer", "match"]
