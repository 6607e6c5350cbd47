"""A process that matches texts for a server: one dataset, one text at a time, over standard input and output.

A question is its size and the number of records wanted, then the text; an answer is its size, then the line that
`errcat match --json` prints. The first answer, without a question, says that the index is there.
"""

import signal
import struct
import sys
from pathlib import Path
from typing import BinaryIO, Final

from pipeline.match.answer import answer, as_line
from pipeline.match.index import Index, load
from pipeline.match.inputs import STDIN, decoded
from pipeline.match.search import compiled

QUESTION: Final = struct.Struct("!IH")
ANSWER: Final = struct.Struct("!I")


def main(folder: str) -> None:
    """Answer until there are no more questions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's, which then ends this process
    index = load(Path(folder))
    answer("ValueError: nothing", index)  # makes what an index makes when first asked
    for variant in index.variants:
        compiled(variant.core)
    _give(sys.stdout.buffer, b"")
    _work(index, sys.stdin.buffer, sys.stdout.buffer)


def _work(index: Index, questions: BinaryIO, answers: BinaryIO) -> None:
    while len(head := questions.read(QUESTION.size)) == QUESTION.size:
        size, top = QUESTION.unpack(head)
        text = decoded(questions.read(size))
        _give(answers, as_line(answer(text, index, top=top), STDIN))


def _give(answers: BinaryIO, line: bytes) -> None:
    answers.write(ANSWER.pack(len(line)) + line)
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
