"""The parts of the unattended job, each alone: what is newest, lock, log, secrets, publications."""

import json
import os
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NOW, make_run, three_records
from upstream import Upstream, new_upstream

from pipeline import dataset
from pipeline.errors import DatasetError, SourceError
from pipeline.refresh import publication as publications
from pipeline.refresh.descent import Descent, descent
from pipeline.refresh.gates.verdict import Verdict
from pipeline.refresh.lock import BusyError, alone
from pipeline.refresh.log import Form, Log
from pipeline.refresh.newest import Followed, look_up
from pipeline.refresh.publication import Publication
from pipeline.refresh.secrets import redacting
from pipeline.refresh.standing import Options, key_of, published_since
from pipeline.refresh.tool import identity


def silent(_stage: str, _done: int, _total: int) -> None:
    pass


# What is newest


@pytest.fixture
def upstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Upstream:
    monkeypatch.setenv("ERRCAT_CACHE_DIR", str(tmp_path / "cache"))
    return new_upstream(tmp_path / "upstream")


def test_the_newest_commit_of_a_branch(upstream: Upstream) -> None:
    first = upstream.commit({"a.py": b"1"}, when=1000)
    upstream.git("tag", "main")  # a tag of that name is not the branch
    second = upstream.commit({"a.py": b"2"}, when=2000)
    upstream.git("branch", "side", first)

    def found(**given: str) -> str:
        return look_up(Followed(repo="o/n", git=str(upstream.folder), **given), silent).revision  # type: ignore[arg-type]  # texts only

    assert found() == found(branch="main") == found(sha=second[:10]) == second
    assert found(branch="side") == found(sha="main") == first
    assert found(sha=first) == first
    with pytest.raises(SourceError, match=r"^no branch mian in .*\. Similar: main$"):
        found(branch="mian")


def test_how_commits_stand_to_each_other(upstream: Upstream) -> None:
    first, second, third = (upstream.commit({"a.py": b"%d" % n}, when=1000 * n) for n in (1, 2, 3))
    upstream.git("checkout", "-q", "-b", "side", first)
    aside = upstream.commit({"b.py": b""}, when=9000)
    followed = Followed(repo="o/n", git=str(upstream.folder))

    def found(published: str | None, revision: str) -> Descent:
        return descent(published, revision, followed, silent)

    assert found(None, first) is Descent.FIRST
    assert found(first, first) is Descent.SAME
    assert found(first, third) is Descent.LATER
    assert found(third, second) is Descent.EARLIER
    assert found(second, aside) is Descent.UNRELATED
    assert found("0.9.2", first) is Descent.OTHER_KIND
    upstream.git("checkout", "-q", "--orphan", "new")
    rewritten = upstream.commit({"a.py": b"new"}, when=9999)  # is not among the commits fetched until now
    assert found(third, rewritten) is Descent.UNRELATED
    later = upstream.commit({"a.py": b"newer"}, when=5)  # whatever the clocks say
    assert found(rewritten, later) is Descent.LATER
    assert found("f" * 40, later) is Descent.UNRELATED


@pytest.mark.parametrize(
    ("published", "revision", "expected"),
    [
        ("0.9.2", "0.10.0", Descent.LATER),
        ("0.10.0", "0.9.2", Descent.EARLIER),
        ("0.10.0rc1", "0.10.0", Descent.LATER),
        ("tree-0123456789ab", "0.9.2", Descent.OTHER_KIND),
        ("0.9.2", "a" * 40, Descent.OTHER_KIND),
    ],
)
def test_how_releases_stand_to_each_other(published: str, revision: str, expected: Descent) -> None:
    assert descent(published, revision, Followed(release="latest"), silent) is expected


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package index in files, the only one that pip knows: wheels, of which some are withdrawn."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "simple" / "pkg"
    folder.mkdir(parents=True)
    offered = {
        "1.9": ("py3-none-any", ""),
        "1.10": ("py3-none-any", ' data-requires-python="&lt;3"'),
        "1.11": ("cp399-cp399-any", ""),
        "1.12": ("py3-none-any", ' data-yanked="broken: see http://elsewhere/x"'),
        "2.0rc1": ("py3-none-any", ""),
    }
    links = []
    for version, (tag, said) in offered.items():
        name = f"pkg-{version}-{tag}.whl"
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr(
                f"pkg-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: pkg\nVersion: {version}\n"
            )
        links.append(f'<a href="{name}"{said}>{name}</a>')
    (folder / "index.html").write_text("<!DOCTYPE html><html><body>" + "\n".join(links) + "</body></html>")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    return folder


def test_the_newest_release_is_for_whatever_python_and_not_withdrawn(registry: Path) -> None:
    found = look_up(Followed(repo="o/pkg", release="latest"), silent)
    assert (found.revision, found.said) == ("1.11", "the newest release")
    assert look_up(Followed(repo="o/other", package="Pkg", release="latest"), silent).revision == "1.11"
    assert look_up(Followed(repo="o/pkg", release="latest", pre=True), silent).revision == "2.0rc1"
    assert look_up(Followed(repo="o/pkg", release="1.2.0rc1"), silent).revision == "1.2.0rc1"  # asks nobody
    index = registry / "index.html"
    index.write_text("\n".join(line for line in index.read_text().splitlines() if "2.0rc1" in line))
    with pytest.raises(SourceError, match=r"^pkg has pre-releases only: 2\.0rc1\. Take those too, with --pre$"):
        look_up(Followed(repo="o/pkg", release="latest"), silent)


@pytest.mark.parametrize(
    ("followed", "message"),
    [
        (Followed(repo="o/nothing", release="latest"), "the package index has no project nothing. Give the name in"),
        (Followed(repo="o/--pre", release="latest"), "'--pre' is not the name of a project. Give the name in the pack"),
        (Followed(repo="o/pkg", release="newest"), "'newest' is not a version. Write it as the package index does, li"),
    ],
)
def test_a_release_that_there_is_not(registry: Path, followed: Followed, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        look_up(followed, silent)
    assert str(caught.value).startswith(message)


def test_an_index_out_of_reach_is_not_an_index_without_news(registry: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "http://user:secret@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(SourceError, match=r"^pip cannot reach the package index for pkg\. ") as caught:
        look_up(Followed(repo="o/pkg", release="latest"), silent)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"repo": "jax"}, "--repo jax is not of the form OWNER/NAME"),
        ({"branch": "b", "sha": "s"}, "give one of --branch, --sha and --release, not --branch and --sha"),
        ({"release": "latest", "git": "url"}, "--git goes with commits, not with --release"),
        ({"package": "p"}, "--package goes with --release only"),
        ({"pre": True, "release": "1.0"}, "--pre goes with --release latest only"),
    ],
)
def test_what_does_not_go_together(given: dict[str, object], message: str) -> None:
    with pytest.raises(SourceError) as caught:
        Followed(**given).check()  # type: ignore[arg-type]  # a table of odd arguments
    assert caught.value.what == message


# One at a time

HOLD = """
import os, sys, time
from pathlib import Path
from pipeline.refresh.lock import alone
with alone(Path(sys.argv[1]), run="abcd", since="yesterday"):
    if os.fork():
        print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the lock, with a child that outlives it."""
    command = [sys.executable, "-c", HOLD, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        os.killpg(process.pid, signal.SIGKILL)


def test_the_lock_says_who_holds_it_and_goes_with_its_process(tmp_path: Path, holder: "subprocess.Popen[str]") -> None:
    said = rf"^another refresh is at work: process {holder.pid} on \S+ since yesterday \(run abcd\)\. Let it end"
    with pytest.raises(BusyError, match=said), alone(tmp_path / "lock", run="b", since="now"):
        pass
    assert BusyError("").exit_code == 3
    holder.kill()
    holder.wait(10)
    with alone(tmp_path / "lock", run="b", since="now"):
        assert json.loads((tmp_path / "lock").read_text())["run"] == "b"
    assert (tmp_path / "lock").read_bytes() == b""
    with alone(tmp_path / "lock", run="c", since="now"):
        pass


# The log


def written(form: Form) -> list[str]:
    lines: list[str] = []
    log = Log(run="abcd", form=form, write=lines.append, redact=redacting({"MY_TOKEN": "very-secret"}))
    with log.step("first") as step:
        step.counts |= {"records": 5428, "what": "a very-secret thing"}
    with pytest.raises(ValueError, match="very-secret"), log.step("second"):
        raise ValueError("no\nvery-secret")
    log.skip("third", "is done")
    log.note("nothing to do", {"usd": 0.5})
    assert list(log.seconds) == ["first"]
    return lines


def test_a_log_in_json() -> None:
    rows = [json.loads(line) for line in written(Form.JSON)]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", row.pop("time")) for row in rows)
    assert all(0 <= row.pop("seconds", 0) < 1 for row in rows)
    assert {row.pop("run") for row in rows} == {"abcd"}
    assert rows == [
        {"event": "start", "step": "first"},
        {"event": "done", "step": "first", "counts": {"records": 5428, "what": "a *** thing"}},
        {"event": "start", "step": "second"},
        {"event": "failed", "step": "second", "what": "no ***"},
        {"event": "skipped", "step": "third", "what": "is done"},
        {"event": "note", "counts": {"usd": 0.5}, "what": "nothing to do"},
    ]


def test_a_log_in_words() -> None:
    assert written(Form.TEXT) == [
        "errcat: first: records 5,428, what a *** thing, 0.0 s\n",
        "errcat: second failed: no ***; 0.0 s\n",
        "errcat: third skipped: is done\n",
        "errcat: nothing to do; usd 0.5\n",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text of /home/me", "plain text of /home/me"),
        ("key sk-proj-0123456789abcdef here", "key *** here"),
        ("value of OPENAI_API_KEY: open-sesame!", "value of OPENAI_API_KEY: ***"),
        ("fatal: https://me:hunter22@host/x.git not found", "fatal: https://***@host/x.git not found"),
        ("the password was hunter22.", "the password was ***."),
        ("git said: otherpass7 is wrong", "git said: *** is wrong"),
        ("from http://token123@host/simple/", "from http://***@host/simple/"),
        ("Authorization: Bearer abc.def-ghi_jkl=", "Authorization: Bearer ***"),
        ("ghp_0123456789012345678901234567890123456", "***"),
        ("short: abc", "short: abc"),
        ("monkey business in /tmp/keyboard", "monkey business in /tmp/keyboard"),
    ],
)
def test_secrets_are_not_shown(text: str, shown: str) -> None:
    environment = {
        "OPENAI_API_KEY": "open-sesame!",
        "PIP_INDEX_URL": "https://me:hunter22@host/simple",
        "SHORT_KEY": "abc",
        "KEYBOARD": "business",
        "HOME": "/home/me",
    }
    assert redacting(environment, ["ssh://git:otherpass7@host/repo"])(text) == shown


# Publications


def publish(home: Path, revision: str, when: str, key: str = "k") -> str:
    name = publications.free_name(home, revision, key)
    folder = dataset.write(home.parent, three_records(), make_run(3, revision=revision, repo="o/n"))
    if folder.name != name:
        folder.rename(home / name)
    told = Publication(
        key=key,
        repo="o/n",
        revision=revision,
        publishedAt=when,
        tool="t",
        options=Options(writer="derived"),
        previous=None,
        descent=Descent.FIRST,
        gates=(Verdict(gate="ids", passed=True, figure="0", bound="0"),),
    )
    (home / name / "publication.json").write_text(told.model_dump_json())
    publications.switch(home, name)
    return name


def at(minute: int) -> str:
    return NOW.replace(":53:", f":{minute:02}:")


def test_publications_are_kept_and_pruned(tmp_path: Path) -> None:
    home = tmp_path / "o__n"
    assert publications.published(home) is None
    names = [publish(home, f"{n}.0", at(n)) for n in range(5)]
    by_hand = dataset.write(tmp_path, three_records(), make_run(3, revision="by hand", repo="o/n"))
    publications.switch(home, names[1])  # an old one again
    assert publications.prune(home, 3) == ("0.0", "2.0")
    assert sorted(path.name for path in home.iterdir()) == ["1.0", "3.0", "4.0", "by hand", "latest"]
    assert publications.prune(home, 1) == ("3.0", "4.0")
    assert by_hand.is_dir()
    found = publications.published(home)
    assert found is not None
    assert found.name == "1.0"
    assert found.publication is not None
    assert found.publication.publishedAt == at(1)
    assert [one.path.name for one in dataset.datasets(tmp_path)] == ["by hand", "1.0"]  # `latest` is not a third


def test_a_published_folder_is_never_written_to_again(tmp_path: Path) -> None:
    home = tmp_path / "o__n"
    home.mkdir()
    names = [publications.free_name(home, "1/0", "0123456789abcdef")]
    for _ in range(3):
        (home / names[-1]).mkdir()
        names.append(publications.free_name(home, "1/0", "0123456789abcdef"))
    assert names == ["1_0", "1_0.01234567", "1_0.01234567.2", "1_0.01234567.3"]


def test_what_is_published_may_be_damaged(tmp_path: Path) -> None:
    home = tmp_path / "o__n"
    name = publish(home, "1.0", NOW)
    assert published_since(home, "k") == NOW
    assert published_since(home, "other") is None
    (home / name / "publication.json").write_text("{}")
    assert published_since(home, "k") is None
    with pytest.raises(DatasetError, match=r"publication\.json is damaged: Field required\. Remove it and run again$"):
        publications.published(home)
    (home / name / "publication.json").unlink()
    found = publications.published(home)
    assert found is not None
    assert found.publication is None
    (home / name).rename(home / "elsewhere")
    with pytest.raises(DatasetError, match=r"/latest leads to .*/1\.0, which is gone\. Bring the folder back: ids are"):
        publications.published(home)
    (home / "latest").unlink()
    (home / "latest").mkdir()
    with pytest.raises(DatasetError, match=r"/latest is in the way: it is no link\. Move it, or give another --out$"):
        publications.published(home)


def test_a_key_is_of_everything_that_has_a_part_in_the_result() -> None:
    options = Options(writer="derived")
    keys = {
        key_of("o/n", "1", "t", options),
        key_of("o/m", "1", "t", options),
        key_of("o/n", "2", "t", options),
        key_of("o/n", "1", "u", options),
        key_of("o/n", "1", "t", Options(writer="openai", model="m")),
        key_of("o/n", "1", "t", Options(writer="openai", model="n")),
        key_of("o/n", "1", "t", Options(writer="derived", pages=False)),
        key_of("o/n", "1", "t", Options(writer="derived", baseUrl="https://host/")),
        key_of("o/n", "1", "t", Options(writer="derived", under="src")),
    }
    assert len(keys) == 9
    assert key_of("o/n", "1", "t", options) in keys
    assert identity("0.1.0") == identity("0.1.0")
    assert re.fullmatch(r"0\.1\.0\+[0-9a-f]{12}", identity("0.1.0"))
