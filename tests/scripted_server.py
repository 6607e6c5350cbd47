"""An OpenAI-compatible server on loopback that answers as a script says: well, slowly, wrongly, or not at all.

`python tests/scripted_server.py STATE_FILE [SCRIPT as JSON]` runs it in a process of its own; `serving` does, and reads
its counts. It counts every call it got and every token it answered with.
"""

import asyncio
import hashlib
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests", 500: "Oops"}


@dataclass(frozen=True, kw_only=True)
class Script:
    """What the server does.

    latency: seconds before an answer. faults: what to do instead, taken in turn by the first calls: a status number,
    "cut", "garbage", "invalid-json", "wrong-schema", "truncated", "refused", "empty", "hallucinated".
    error_code: of an error with a status. retry_after: header of a 429. always: a fault for every call.
    at_most: calls at once, beyond which it says 429. batch: how the next batches end, in turn: "completed", "half",
    "failed", "expired", "all-failed"; then "completed". looks: polls before a batch has ended.
    """

    latency: float = 0.0
    faults: tuple[str, ...] = ()
    always: str | None = None
    error_code: str | None = None
    retry_after: str | None = "0.05"
    at_most: int = 10_000
    batch: tuple[str, ...] = ()
    looks: int = 1
    say: dict[str, Any] = field(default_factory=dict)


@dataclass
class Counts:
    calls: int = 0
    answered: int = 0
    input: int = 0
    output: int = 0
    most_at_once: int = 0
    keys: list[str] = field(default_factory=list)
    by_question: Counter[str] = field(default_factory=Counter)
    complaints: int = 0
    uploads: int = 0


def good_answer(request: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """An explanation of the error that the last user message asks about, in words of its own, the same each time."""
    asked = next(
        m["content"] for m in request["messages"][::-1] if m["role"] == "user" and "errorClass:" in m["content"]
    )
    error_class = (re.search(r"errorClass: (\w+)", asked) or ["", "Error"])[1]
    function = (re.search(r"function: (\S+)", asked) or ["", "it"])[1]
    mark = hashlib.sha256(asked.encode()).hexdigest()[:8]
    tags = request["response_format"]["json_schema"]["schema"]["properties"]["tags"]["items"]["enum"]
    return {
        "documentation": f"`{function}` gives up with {error_class}; scripted answer {mark}.",
        "triggerScenarios": None,
        "commonSituations": None,
        "solutions": ["Give it what it wants."],
        "exampleFix": None,
        "handlingStrategy": "try-catch",
        "validationCode": "assert value is not None",
        "typeGuard": None,
        "tryCatchPattern": None,
        "preventionTips": [],
        "tags": tags[:3],
        "backgroundTag": None,
        **extra,
    }


class Server:
    def __init__(self, script: Script, state: Path) -> None:
        self.script = script
        self.state = state
        self.counts = Counts()
        self.faults = iter(script.faults)
        self.endings = iter(script.batch)
        self.running = 0
        self.files: dict[str, str] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.looks: Counter[str] = Counter()

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                method, path, _ = line.decode().split(" ", 2)
                headers = {}
                while (header := (await reader.readline()).decode().strip()) != "":
                    name, _, value = header.partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.counts.keys = sorted({*self.counts.keys, headers.get("authorization", "")})
                if not await self.answer(method, path.partition("?")[0], body, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def answer(self, method: str, path: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        if path.endswith("/chat/completions"):
            return await self.chat(json.loads(body), writer)
        status, value = self.rest(method, path, body)
        self.save()
        await self.send(writer, status, value)
        return True

    async def send(self, writer: asyncio.StreamWriter, status: int, value: object, **headers: str) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Other')}", f"content-length: {len(data)}"]
        lines += ["content-type: application/json", *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode() + data)
        await writer.drain()

    async def chat(self, request: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        counts = self.counts
        counts.calls += 1
        counts.by_question[hashlib.sha256(json.dumps(request["messages"]).encode()).hexdigest()] += 1
        counts.complaints += (
            len(request["messages"]) > 1
            and request["messages"][-2]["role"] == "assistant"
            and ("Checks found" in request["messages"][-1]["content"])
        )
        self.running += 1
        counts.most_at_once = max(counts.most_at_once, self.running)
        try:
            fault = self.script.always or next(self.faults, None)
            if self.running > self.script.at_most:
                fault = "429"
            if fault is None or not fault.isdigit():
                await asyncio.sleep(self.script.latency)
            return await self.reply(request, fault, writer)
        finally:
            self.running -= 1
            self.save()

    async def reply(self, request: dict[str, Any], fault: str | None, writer: asyncio.StreamWriter) -> bool:
        if fault == "cut":
            writer.transport.abort()
            return False
        if fault == "garbage":
            await self.send(writer, 200, b"<html>not here</html>")
            return True
        if fault is not None and fault.isdigit():
            said = {
                "error": {
                    "message": f"scripted {fault} for sk-verysecretkey",
                    "code": self.script.error_code,
                    "type": None,
                }
            }
            wait = {"retry_after": self.script.retry_after} if fault == "429" and self.script.retry_after else {}
            await self.send(writer, int(fault), said, **wait)
            return True
        value = self.completion(request, fault)
        self.counts.answered += 1
        self.counts.input += value["usage"]["prompt_tokens"]
        self.counts.output += value["usage"]["completion_tokens"]
        await self.send(writer, 200, value)
        return True

    def completion(self, request: dict[str, Any], fault: str | None) -> dict[str, Any]:
        say = good_answer(request, self.script.say)
        if fault == "hallucinated":
            say["documentation"] += " Use `jax.numpy.frobnicate` instead."
        content: str | None = json.dumps(say)
        finish, refusal = "stop", None
        assert content is not None
        if fault == "invalid-json":
            content = content[:-5]
        elif fault == "wrong-schema":
            content = json.dumps({"answer": 42})
        elif fault == "truncated":
            content, finish = content[:40], "length"
        elif fault == "refused":
            content, refusal = None, "I would rather not."
        elif fault == "empty":
            content = ""
        used = {"prompt_tokens": len(json.dumps(request)) // 4, "completion_tokens": len(content or "") // 3 + 1}
        return {
            "id": "chatcmpl-scripted",
            "object": "chat.completion",
            "created": 1,
            "model": request["model"],
            "system_fingerprint": "fp_scripted",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish,
                    "message": {"role": "assistant", "content": content, "refusal": refusal},
                }
            ],
            "usage": {**used, "total_tokens": sum(used.values())},
        }

    # The Batch API

    def rest(self, method: str, path: str, body: bytes) -> tuple[int, object]:
        parts = path.strip("/").split("/")[1:]  # without v1
        if method == "POST" and parts == ["files"]:
            name = f"file-{len(self.files)}"
            self.files[name] = body.split(b"\r\n\r\n", 2)[-1].decode() if b"jsonl" in body else ""
            found = re.search(rb"\r\n\r\n(\{\"body\".*?)\r\n--", body, re.DOTALL)
            self.files[name] = found[1].decode() if found else ""
            self.counts.uploads += 1
            return 200, {
                "id": name,
                "object": "file",
                "bytes": len(body),
                "created_at": 1,
                "filename": "f",
                "purpose": "batch",
            }
        if method == "GET" and parts[0] == "files":
            return 200, self.files[parts[1]].encode()
        if method == "POST" and parts == ["batches"]:
            return 200, self.create(json.loads(body))
        if method == "GET" and parts == ["batches"]:
            return 200, {"object": "list", "data": list(self.batches.values()), "has_more": False}
        if method == "GET" and parts[0] == "batches" and parts[1] in self.batches:
            return 200, self.look(parts[1])
        return 404, {"error": {"message": "no such thing", "code": None, "type": None}}

    def create(self, wanted: dict[str, Any]) -> dict[str, Any]:
        name = f"batch_{len(self.batches)}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "status": "in_progress",
            "created_at": 1,
            "completion_window": "24h",
            "endpoint": wanted["endpoint"],
            "input_file_id": wanted["input_file_id"],
            "metadata": wanted.get("metadata"),
        }
        return self.batches[name]

    def look(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        self.looks[name] += 1
        if batch["status"] == "in_progress" and self.looks[name] > self.script.looks:
            self.finish(batch, next(self.endings, "completed"))
        return batch

    def finish(self, batch: dict[str, Any], how: str) -> None:
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        done = {"completed": len(lines), "half": len(lines) // 2, "expired": len(lines) // 2}.get(how, 0)
        good, bad = [], []
        for number, line in enumerate(lines):
            if number < done:
                value = self.completion(line["body"], None)
                self.counts.answered += 1
                self.counts.input += value["usage"]["prompt_tokens"]
                self.counts.output += value["usage"]["completion_tokens"]
                good.append(
                    {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": value}, "error": None}
                )
            elif how == "expired":
                error = {"code": "batch_expired", "message": "This request could not be executed in time."}
                bad.append({"custom_id": line["custom_id"], "response": None, "error": error})
            else:
                body = {"error": {"message": "scripted item failure"}}
                bad.append(
                    {"custom_id": line["custom_id"], "response": {"status_code": 500, "body": body}, "error": None}
                )
        batch["status"] = {"failed": "failed", "expired": "expired"}.get(how, "completed")
        batch["request_counts"] = {"total": len(lines), "completed": done, "failed": len(lines) - done}
        if how == "failed":
            batch["errors"] = {"object": "list", "data": [{"code": "x", "message": "scripted batch failure"}]}
            return
        for rows, which in ((good, "output_file_id"), (bad, "error_file_id")):
            if rows:
                name = f"file-{len(self.files)}"
                self.files[name] = "".join(json.dumps(row) + "\n" for row in rows)
                batch[which] = name

    def save(self) -> None:
        now = time.monotonic()
        if now - getattr(self, "saved", 0.0) > 0.05:
            self.write()
            self.saved = now

    def write(self) -> None:
        fresh = self.state.with_suffix(".new")
        fresh.write_text(json.dumps(vars(self.counts)))
        fresh.replace(self.state)


async def main(state: Path, script: Script) -> None:
    server = Server(script, state)
    listening = await asyncio.start_server(server.handle, "127.0.0.1", 0, backlog=512)
    sys.stdout.write(f"{listening.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    stop = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    while not stop.done():
        await asyncio.sleep(0.05)
        server.write()


@dataclass(frozen=True, kw_only=True)
class Running:
    base_url: str
    state: Path
    process: "subprocess.Popen[str]"

    def counts(self) -> Counts:
        """What the server has seen until now."""
        time.sleep(0.15)
        value = json.loads(self.state.read_text())
        return Counts(**{**value, "by_question": Counter(value["by_question"])})


@contextmanager
def serving(folder: Path, script: Script | None = None) -> Iterator[Running]:
    """The server in a process of its own."""
    state = folder / f"server-{random.randrange(10**9)}.json"
    command = [sys.executable, __file__, str(state), json.dumps(asdict(script or Script()))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        try:
            yield Running(base_url=f"http://127.0.0.1:{port}/v1", state=state, process=process)
        finally:
            process.kill()


if __name__ == "__main__":
    given = json.loads(sys.argv[2])
    asyncio.run(
        main(Path(sys.argv[1]), Script(**{**given, "faults": tuple(given["faults"]), "batch": tuple(given["batch"])}))
    )
