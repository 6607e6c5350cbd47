"""What the server answers: pages, records, lists, matches; on a real dataset, over a real socket."""

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from conftest import make_run
from serving import ROOT, Server, ask, serving

from pipeline import dataset
from pipeline.dataset.folder import Dataset
from pipeline.match.answer import json_schema
from pipeline.pages.site import Site, load
from pipeline.record import Record, to_version_2

ALIAS = "00000000000000aa"
VERSION = "2026-08-27T09:53:25.000Z"
TEXT = "ValueError: Need at least one array to concatenate."


@pytest.fixture(scope="module")
def published(jax_dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """jax 0.9.2, with an error that had another id before, and one that is gone."""
    before = dataset.read(jax_dataset)
    first, gone, *others = before.records()
    renamed = first.model_copy(update={"aliases": (ALIAS,)})
    tomb = gone.model_copy(update={"lastSeenIn": "0.9.1", "aliases": ("00000000000000bb",)})
    run = make_run(**{name: getattr(before.manifest, name) for name in ("repo", "revision", "analyzedSha", "coverage")})
    return dataset.read(dataset.write(tmp_path_factory.mktemp("served"), [renamed, *others], run, [tomb]))


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def server(published: Dataset, cache: Path) -> Iterator[Server]:
    with serving(published.path, cache) as running:
        yield running


@pytest.fixture(scope="module")
def site(published: Dataset) -> Site:
    return load(published)


@pytest.fixture(scope="module")
def records(published: Dataset) -> list[Record]:
    return list(published.records())


def test_it_says_what_it_serves_and_where(server: Server, published: Dataset) -> None:
    count = published.manifest.counts.records
    assert server.line == f"jax-ml/jax 0.9.2, {count:,} records, at http://127.0.0.1:{server.port}/\n"
    answer = server.get("/healthz")
    assert answer.json == {
        "status": "ok",
        "repo": "jax-ml/jax",
        "revision": "0.9.2",
        "datasetVersion": VERSION,
        "records": count,
        "problem": None,
    }
    assert answer.headers["cache-control"] == "no-store"


def test_every_page_is_that_of_the_static_site(server: Server, site: Site) -> None:
    paths = list(site.paths())
    kinds = {path.split("/")[0]: path for path in paths}
    for path in {*random.Random(1).sample(paths, 80), *kinds.values(), "index.html", "feed.xml"}:
        answer = server.get("/" + path)
        assert (answer.status, answer.body) == (200, site.render(path)), path
        if path.endswith("/index.html"):
            short = path.removesuffix("index.html")
            assert server.get("/" + short).body == answer.body
            redirect = server.get("/" + short.removesuffix("/"))
            assert (redirect.status, redirect.headers["location"]) == (308, short.split("/")[-2] + "/")


@pytest.mark.parametrize(
    ("path", "media_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/static/site.css", "text/css; charset=utf-8"),
        ("/static/site.js", "text/javascript; charset=utf-8"),
        ("/static/icon.svg", "image/svg+xml; charset=utf-8"),
        ("/api/match-index.json.gz", "application/gzip"),
        ("/api/index.json", "application/json; charset=utf-8"),
        ("/feed.xml", "application/atom+xml; charset=utf-8"),
        ("/llms.txt", "text/plain; charset=utf-8"),
        ("/healthz", "application/json"),
        ("/api/openapi.json", "application/json"),
        ("/nowhere", "application/problem+json"),
    ],
)
def test_every_answer_is_guarded(server: Server, path: str, media_type: str) -> None:
    answer = server.get(path)
    assert answer.headers["content-type"] == media_type
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.version == VERSION
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert "access-control-allow-origin" not in answer.headers


def test_a_record_comes_in_its_envelope(server: Server, records: list[Record]) -> None:
    for record in random.Random(2).sample(records, 20):
        answer = server.get(f"/api/errors/{record.id}")
        assert answer.status == 200
        assert answer.json == {"record": record.model_dump(mode="json"), "datasetVersion": VERSION}
        assert server.get(f"/api/errors/{record.id}.json").body == answer.body
        older = server.get(f"/api/errors/{record.id}?schemaVersion=2")
        assert older.json == {"record": json.loads(json.dumps(to_version_2(record))), "datasetVersion": VERSION}
        assert len(older.json["record"]) == 31


def test_an_earlier_id_leads_to_the_one_of_today(server: Server, records: list[Record]) -> None:
    now = records[0].id
    answer = server.get(f"/api/errors/{ALIAS}?schemaVersion=2")
    assert (answer.status, answer.headers["location"]) == (308, f"{now}?schemaVersion=2")
    assert answer.json == {"id": now, "datasetVersion": VERSION}
    assert server.get(f"/api/errors/{answer.headers['location']}").json["record"]["id"] == now


def test_what_is_gone_comes_in_its_last_form(server: Server, published: Dataset) -> None:
    (tomb,) = published.tombstones()
    answer = server.get(f"/api/errors/{tomb.id}")
    assert (answer.status, answer.json["record"]) == (410, tomb.model_dump(mode="json"))
    older = server.get(f"/api/errors/{tomb.id}?schemaVersion=2")
    assert (older.status, older.json["record"]["schemaVersion"]) == (410, 2)
    assert server.get("/api/errors/00000000000000bb").headers["location"] == tomb.id


@pytest.mark.parametrize(
    ("method", "path", "status", "detail"),
    [
        ("GET", "/api/errors/ffffffffffffffff", 404, "no error has the id 'ffffffffffffffff'; search with /api/errors"),
        ("GET", "/api/errors/ffffffffffffffff.json", 404, "nothing is here"),
        ("GET", "/api/errors/x?schemaVersion=1", 422, "schemaVersion: Input should be greater than or equal to 2"),
        ("GET", "/api/errors?limit=101", 422, "limit: Input should be less than or equal to 100"),
        ("GET", "/api/errors?cursor=20", 422, "cursor: String should match pattern"),
        ("GET", "/api/match", 405, "Method Not Allowed"),
        ("POST", "/api/errors", 405, "Method Not Allowed"),
        ("DELETE", "/index.html", 405, "pages can only be read"),
        ("POST", "/api/match?top=0", 422, "top: Input should be greater than or equal to 1"),
        ("GET", "/errors/nothing/", 404, "nothing is here; the catalogue begins at /"),
        ("GET", "/docs", 404, "nothing is here"),
    ],
)
def test_what_cannot_be_answered_says_why(server: Server, method: str, path: str, status: int, detail: str) -> None:
    answer = ask(server, method, path)
    assert answer.status == status
    assert answer.json["status"] == status
    assert answer.json["detail"].startswith(detail)
    assert answer.headers["cache-control"] == "no-store"
    assert ("allow" in answer.headers) == (status == 405)


@pytest.mark.parametrize("path", ["/", "/api/errors?q=axis", "/static/site.js", "/api/errors/{id}", "/api/index.json"])
@pytest.mark.parametrize("coding", ["identity", "br, gzip", "gzip;q=0"])
def test_a_tag_spares_the_body(server: Server, records: list[Record], path: str, coding: str) -> None:
    path = path.format(id=records[5].id)
    first = server.get(path, accept_encoding=coding)
    assert (first.status, first.headers["cache-control"]) == (200, "public, max-age=60")
    tag = first.headers["etag"]
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = server.get(path, accept_encoding=coding, if_none_match=given)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["cache-control"] == "public, max-age=60"
    assert server.get(path, accept_encoding=coding, if_none_match='"other"').body == first.body
    is_compressed = first.headers.get("content-encoding") == "gzip"
    assert is_compressed == ("gzip" in coding.split(", ") and "?q" not in path)
    plain = server.get(path)
    assert (gzip.decompress(first.body) if is_compressed else first.body) == plain.body
    assert (plain.headers["etag"] == tag) == (not is_compressed)
    head = ask(server, "HEAD", path)
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", str(len(plain.body)))


@pytest.mark.parametrize(
    "query",
    [
        "",
        "q=axis",
        "q=AXIS%20out%20of",
        "class=TypeError",
        "file=jax/_src/lax/",
        "file=jax/_src/core.py",
        "api=jax.lax",
    ],
)
@pytest.mark.parametrize("limit", [7, 100])
def test_pages_of_a_list_are_complete_and_without_doubles(server: Server, query: str, limit: int) -> None:
    found: list[str] = []
    cursor, total = "", None
    while total is None or (cursor and len(found) < 400):
        page = server.get(f"/api/errors?{query}&limit={limit}" + (f"&cursor={cursor}" if cursor else "")).json
        assert total in {None, page["total"]}
        assert page["datasetVersion"] == VERSION
        assert len(page["errors"]) == min(limit, page["total"] - len(found))
        found += [row["id"] for row in page["errors"]]
        cursor, total = page["nextCursor"], page["total"]
    assert len(set(found)) == len(found)
    assert bool(cursor) == (len(found) < total)
    assert total > 0


def test_a_list_has_what_it_is_asked_for(server: Server, records: list[Record]) -> None:
    def ids(query: str) -> list[str]:
        page = server.get(f"/api/errors?limit=100&{query}").json
        assert page["total"] <= 100
        return [row["id"] for row in page["errors"]]

    in_file = [r.id for r in records if r.filePath == "jax/_src/lax/fft.py"]
    assert ids("file=jax/_src/lax/fft.py") == in_file != []
    assert ids("file=jax/_src/lax/fft") == []
    folder = [r.id for r in records if r.filePath.startswith("jax/_src/debugger/")]
    assert ids("file=jax/_src/debugger") == ids("file=jax/_src/debugger/") == folder != []
    leak = [r.id for r in records if "jax.errors.KeyReuseError" in (r.errorClassPublic, "")]
    assert ids("class=jax.errors.KeyReuseError") == leak
    fft = [r.id for r in records if any(name == "jax.numpy.fft" or "jax.numpy.fft." in name for name in r.publicApi)]
    assert ids("api=jax.numpy.fft") == fft != []
    both = [r.id for r in records if r.filePath == "jax/_src/lax/fft.py" and r.errorClass == "ValueError"]
    assert ids("file=jax/_src/lax/fft.py&class=ValueError") == both != []
    words = ids("q=Cholesky+SQUARE")
    assert words
    assert all(
        "cholesky" in r.errorMessage.lower() + str(r.publicApi) + str(r.qualname) for r in records if r.id in words
    )


def test_the_words_as_they_stand_come_first(server: Server) -> None:
    rows = server.get("/api/errors?q=must+be+positive&limit=100").json["errors"]
    has = ["must be positive" in row["errorMessage"].lower() for row in rows]
    assert has == sorted(has, reverse=True)
    assert any(has)


def test_a_cursor_is_of_one_query_and_one_dataset(server: Server) -> None:
    cursor = server.get("/api/errors?q=axis&limit=5").json["nextCursor"]
    other = server.get(f"/api/errors?q=shape&cursor={cursor}")
    assert (other.status, other.json["detail"]) == (422, "this cursor is of another query; begin again without one")
    start, tag, query = cursor.split(".")
    changed = server.get(f"/api/errors?q=axis&cursor={start}.{'0' * len(tag)}.{query}")
    assert (changed.status, changed.json["detail"].split(";")[0]) == (
        409,
        "another dataset was published since this cursor",
    )
    assert server.get(f"/api/errors?q=axis&cursor=999999.{tag}.{query}").json["errors"] == []


TRACE = f'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\n    f()\n{TEXT}\n'


TEXTS = (
    TEXT.encode(),
    TRACE.encode(),
    TRACE.encode("utf-16"),
    b"",
    b"ValueError: \xff\xfe\x00",
    b"hello",
    "ValueError: naïve \u2028 text 🦜".encode(),
    b"ValueError: axis \xed\xa0\x80 is out of bounds",
    b"\n".join([TEXT.encode()] * 400),
)


def test_a_match_is_what_the_command_prints(server: Server, published: Dataset, cache: Path, tmp_path: Path) -> None:
    for number, text in enumerate(TEXTS):
        (tmp_path / f"{number}.txt").write_bytes(text)
    command = [sys.executable, "-m", "pipeline", "match", "--json", "--dataset", str(published.path)]
    files = [str(tmp_path / f"{number}.txt") for number in range(len(TEXTS))]
    printed = subprocess.run([*command, *files], capture_output=True, cwd=ROOT, check=False).stdout.splitlines(True)
    for text, file, line in zip(TEXTS, files, printed, strict=True):
        answer = ask(server, "POST", "/api/match", text, {"content-type": "text/plain"})
        assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
        assert answer.body == line.replace(json.dumps(file).encode(), b'"-"')
        jsonschema.validate(answer.json, json_schema())
    alone = subprocess.run([*command, "-"], input=TEXTS[1], capture_output=True, cwd=ROOT, check=False).stdout
    assert ask(server, "POST", "/api/match", TEXTS[1]).body == alone


def test_a_match_gives_as_many_records_as_wanted(server: Server) -> None:
    text = b"TypeError: unsupported operand type(s) for +: 'a' and 'b'\n" + TRACE.encode()
    answers = {top: ask(server, "POST", f"/api/match?top={top}", text).json["matches"] for top in (1, 3)}
    assert len(answers[1]) == 1
    assert answers[3][:1] == answers[1]


@pytest.mark.parametrize("media_type", ["application/json", "multipart/form-data; boundary=x"])
def test_a_text_is_sent_as_it_is(server: Server, media_type: str) -> None:
    answer = ask(server, "POST", "/api/match", b"{}", {"content-type": media_type})
    assert (answer.status, answer.json["detail"]) == (415, "send the text itself, as text/plain")


def test_the_command_needs_what_it_can_have(tmp_path: Path, server: Server) -> None:
    def said(*arguments: str) -> str:
        command = [sys.executable, "-m", "pipeline", "serve", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, env=environment)
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    assert said("nothing") == (
        "errcat: error: no dataset at nothing: it has no manifest.json. A dataset is the folder that errcat dataset"
        " prints\n"
    )
    assert said() == "errcat: error: no dataset under output. Make one: errcat dataset --release 0.9.2\n"
    taken = said("nothing", "--port", str(server.port))
    assert taken.startswith(f"errcat: error: cannot listen on 127.0.0.1:{server.port}: ")
    assert taken.endswith("Give another --port\n")
    assert "cannot listen on no.such.host.invalid:8000" in said("nothing", "--host", "no.such.host.invalid")


def test_without_its_extra_the_command_says_so(tmp_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from pipeline.cli import run; sys.exit(run(['serve', 'x']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    said = "errcat: error: errcat serve needs uvicorn. Install what it needs: pip install 'errcat[serve]'\n"
    assert (done.returncode, done.stderr) == (2, said)
