"""Releases through pip: the real jax, and releases built here and offered in a folder of links."""

import io
import os
import subprocess
import sys
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pipeline.errors import SourceError
from pipeline.source.archive import read_archive
from pipeline.source.cache import cache_folder
from pipeline.source.release import named_commit, read_release, release_tag
from pipeline.source.tree import Skipped, SkipReason, SourceTree, blob_id

SHA = "a659757d768587a81d095a9fab5f0c36f8beb218"


def test_jax_is_read_with_the_commit_that_its_wheel_names(jax_tree: SourceTree) -> None:
    assert (jax_tree.repo, jax_tree.revision, jax_tree.link_ref) == ("jax-ml/jax", "0.9.2", "jax-v0.9.2")
    assert jax_tree.analyzed_sha == SHA
    assert jax_tree.revision_time == "2026-03-18T20:17:46.000Z"
    assert len(jax_tree.files) == 611
    assert {file.path.split("/")[0] for file in jax_tree.files} == {"jax"}
    assert sum(len(file.data) for file in jax_tree.files) == 11_947_764
    assert all(file.blob_id == blob_id(file.data) for file in jax_tree.files)


def test_a_release_for_a_newer_python_is_read_all_the_same() -> None:
    tree = read_release("jax", "0.11.1", repo="jax-ml/jax", cache=cache_folder())
    assert tree.analyzed_sha == "2d66622450e2c8633cda2307688ef7aa294bd6eb"
    assert len(tree.files) == 620


def test_an_unknown_release_of_the_index_names_the_nearest() -> None:
    with pytest.raises(SourceError, match=r"^jax has no release 0\.9\.99\. Nearest: .*0\.9\.2, 0\.10\.0"):
        read_release("jax", "0.9.99", repo="jax-ml/jax", cache=cache_folder())


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of archives that is the only place where pip looks."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "links"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


FILES = {
    "pkg/__init__.py": b"raise ValueError('x')\n",
    "pkg/core.py": b"",
    "pkg/data.bin": b"\0",
    "pkg/tests/test_core.py": b"import pkg\n",
}
METADATA = "Metadata-Version: 2.1\nName: pkg\nVersion: {}\nRequires-Python: {}\n"
BUILT = (2024, 5, 6, 7, 8, 10)


def zipped(target: Path, files: dict[str, bytes], when: tuple[int, int, int, int, int, int] = BUILT) -> Path:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(zipfile.ZipInfo(path, when), data, zipfile.ZIP_DEFLATED)
    return target


def wheel(
    links: Path, version: str, tag: str = "py3-none-any", python: str = ">=3", more: str = "pkg/more.bin"
) -> Path:
    info = f"pkg-{version}.dist-info"
    files = FILES | {
        f"{info}/METADATA": METADATA.format(version, python).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: here\nRoot-Is-Purelib: true\nTag: {tag}\n".encode(),
        f"{info}/RECORD": b"",
        more: b"",
    }
    return zipped(links / f"pkg-{version}-{tag}.whl", files)


def tarred(target: Path, files: dict[str, bytes], when: int = 1_700_000_000) -> Path:
    with tarfile.open(target, "w:gz") as archive:
        for path, data in files.items():
            info = tarfile.TarInfo(path)
            info.size, info.mtime = len(data), when
            archive.addfile(info, io.BytesIO(data))
    return target


def read(version: str, cache: Path, project: str = "pkg", under: str | None = None) -> SourceTree:
    return read_release(project, version, repo="o/pkg", cache=cache, under=under)


def paths(tree: SourceTree) -> list[str]:
    return [file.path for file in tree.files]


@pytest.mark.parametrize(
    ("tag", "python"),
    [
        ("py3-none-any", ">=3.99"),
        ("cp313-cp313t-macosx_11_0_arm64", ">=3"),
        ("cp314-abi3-manylinux_2_28_aarch64", ">=3.14"),
        ("cp27-cp27mu-manylinux2010_x86_64.manylinux_2_12_x86_64", "<3"),
        ("pp311-pypy311_pp73-manylinux_2_28_x86_64", ">=3"),
    ],
)
def test_a_wheel_for_any_python_will_do(links: Path, cache: Path, tag: str, python: str) -> None:
    wheel(links, "1.5", tag, python=python)
    tree = read("1.5", cache)
    assert (tree.repo, tree.revision, tree.analyzed_sha, tree.link_ref) == ("o/pkg", "1.5", None, "v1.5")
    assert tree.revision_time == "2024-05-06T07:08:10.000Z"
    assert paths(tree) == ["pkg/__init__.py", "pkg/core.py"]
    assert tree.files[0].data == FILES["pkg/__init__.py"]


@pytest.mark.parametrize("spelling", ["1.5", "v1.5", "1.5.0", " 1.5 "])
def test_versions_are_normalised(links: Path, cache: Path, spelling: str) -> None:
    wheel(links, "1.5")
    assert read(spelling, cache).revision == "1.5"


def test_a_second_run_asks_nobody(links: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = wheel(links, "1.5")
    tree = read("1.5", cache)
    archive.unlink()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert read("1.5", cache) == tree


def test_an_sdist_is_read_without_running_it(links: Path, cache: Path, tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n".encode()
    top = "pkg-2.0"
    files = {f"{top}/src/{path}": data for path, data in FILES.items()} | {
        f"{top}/setup.py": trap,
        f"{top}/backend.py": trap,
        f"{top}/pyproject.toml": b'[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        f"{top}/PKG-INFO": b"Metadata-Version: 2.1\nName: pkg\nVersion: 2.0\n",
        f"{top}/tests/test_all.py": b"import pkg\n",
    }
    tarred(links / "pkg-2.0.tar.gz", files)
    wheel(links, "1.5")
    tree = read("2.0", cache)
    assert not (tmp_path / "ran").exists()
    assert tree.revision_time == "2023-11-14T22:13:20.000Z"
    assert paths(tree) == ["backend.py", "setup.py", "src/pkg/__init__.py", "src/pkg/core.py"]
    assert [file.path for file in tree.evidence] == ["tests/test_all.py"]


def test_a_zipped_sdist_will_do(links: Path, cache: Path) -> None:
    zipped(links / "pkg-0.1.zip", {f"pkg-0.1/{path}": data for path, data in FILES.items()}, (1980, 1, 1, 0, 0, 0))
    tree = read("0.1", cache)
    assert (paths(tree), tree.revision_time) == (["pkg/__init__.py", "pkg/core.py"], None)


def test_an_sdist_comes_whole_from_a_web_server_or_not_at_all(
    links: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = b'<a href="../../pkg-2.0.tar.gz">pkg-2.0.tar.gz</a>'
    archive = tarred(links / "pkg-2.0.tar.gz", {f"pkg-2.0/{path}": data for path, data in FILES.items()}).read_bytes()
    sent = [archive[:100], archive]

    class Index(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_page = self.path == "/simple/pkg/"
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if is_page else "application/octet-stream")
            self.send_header("Content-Length", str(len(page if is_page else archive)))
            self.end_headers()
            self.wfile.write(page if is_page else sent.pop(0))

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    with ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_address[1]}/simple")
        with pytest.raises(SourceError, match=r"^cannot download pkg-2\.0\.tar\.gz: the connection broke off\. Check"):
            read("2.0", cache)
        assert paths(read("2.0", cache)) == ["pkg/__init__.py", "pkg/core.py"]
        server.shutdown()


def test_a_wheel_of_another_python_wins_over_the_sdist(links: Path, cache: Path) -> None:
    tarred(links / "pkg-1.5.tar.gz", {"pkg-1.5/sdist.py": b""})
    wheel(links, "1.5", "cp39-cp39-win_amd64")
    wheel(links, "1.5", "cp38-cp38-manylinux_2_17_x86_64", more="pkg/linux.py")
    assert "pkg/linux.py" in paths(read("1.5", cache))


def test_files_of_a_wheel_lie_where_they_are_installed(links: Path, cache: Path) -> None:
    wheel(links, "1.5", more="pkg-1.5.data/purelib/pkg/pure.py")
    assert "pkg/pure.py" in paths(read("1.5", cache, under="pkg"))


NO_PROJECT = """\
the package index has no project nothing. Give the name in the package index with --package, or use --sha or --tree"""


@pytest.mark.parametrize(
    ("version", "project", "message"),
    [
        ("1.7", "pkg", "pkg has no release 1.7. Nearest: 1.2, 1.4, 1.6, 1.8, 2.0, 2.2"),
        ("9", "pkg", "pkg has no release 9. Nearest: 2.0, 2.2, 2.4"),
        ("1.0", "nothing", NO_PROJECT),
        ("one", "pkg", "'one' is not a version. Write it as the package index does, like 0.9.2"),
        ("1.0", "--pre", "'--pre' is not the name of a project. Give the name in the package index with --package"),
        ("1.0", "./pkg", "'./pkg' is not the name of a project. Give the name in the package index with --package"),
    ],
)
def test_unknown_names_say_what_to_try(links: Path, cache: Path, version: str, project: str, message: str) -> None:
    for known in ("1.0", "1.2", "1.4", "1.6", "1.8", "2.0", "2.2"):
        wheel(links, known)
    wheel(links, "2.4", "cp39-cp39-win_amd64")
    with pytest.raises(SourceError) as caught:
        read(version, cache, project)
    assert str(caught.value) == message


def test_an_index_that_cannot_be_reached_is_said_so(links: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:secret@127.0.0.1:9/simple")
    for retries in "01":
        monkeypatch.setenv("PIP_RETRIES", retries)
        with pytest.raises(SourceError, match=r"^pip cannot reach the package index for pkg==1\.0\. Check") as caught:
            read("1.0", cache)
        assert "secret" not in str(caught.value)


def test_a_python_without_pip_is_said_so(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "bare")], check=True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare/bin/python"))
    with pytest.raises(SourceError, match=r"^this Python has no pip\. Run python -m ensurepip"):
        read("1.0", cache)


def test_a_failed_download_leaves_nothing(links: Path, cache: Path) -> None:
    with pytest.raises(SourceError):
        read("1.0", cache)
    assert [path.name for path in cache.rglob("*")] == ["releases", "pkg", ".lock"]
    wheel(links, "1.0")
    assert read("1.0", cache).revision == "1.0"


def test_a_folder_that_is_not_in_it_is_said_so(links: Path, cache: Path) -> None:
    wheel(links, "1.5")
    message = r"^no Python file under src in pkg-1\.5-py3-none-any\.whl\. .*; these hold Python: pkg$"
    with pytest.raises(SourceError, match=message):
        read("1.5", cache, under="src")


def test_a_cache_that_cannot_be_written_is_said_so(links: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        SourceError, match=r"^cannot write the cache folder .*file.*: Not a directory\. Set ERRCAT_CACHE_DIR"
    ):
        read("1.0", tmp_path / "file")


def test_a_damaged_archive_in_the_cache_is_named(links: Path, cache: Path) -> None:
    wheel(links, "1.5")
    read("1.5", cache)
    (kept,) = cache.rglob("*.whl")
    whole = kept.read_bytes()
    for damaged in (b"", whole[: len(whole) // 2], whole.replace(whole[40:60], bytes(20), 1)):
        kept.write_bytes(damaged)
        with pytest.raises(SourceError, match=r"^pkg-1\.5-py3-none-any\.whl is damaged: .* Delete .* and run again$"):
            read("1.5", cache)


def everything(_path: str) -> bool:
    return True


@pytest.mark.parametrize("name", ["/etc/pkg.py", "../pkg.py", "pkg/../../x.py", "C:\\x.py", "..\\x.py"])
def test_a_path_out_of_the_archive_is_refused(tmp_path: Path, name: str) -> None:
    for archive in (zipped(tmp_path / "a.whl", {name: b""}), tarred(tmp_path / "a.tar.gz", {name: b""})):
        with pytest.raises(SourceError, match="holds a path that leads out of it"):
            read_archive(archive, everything)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    files = {"pkg/a.py": bytes(600), "pkg/b.py": bytes(600), "pkg/c.bin": bytes(9000)}
    for archive in (zipped(tmp_path / "a.whl", files), tarred(tmp_path / "a.tar.gz", files)):
        assert len(read_archive(archive, lambda path: path.endswith(".py"), limit=1200).files) == 2
        with pytest.raises(SourceError, match=f"^{archive.name} unpacks to more than 1,199 bytes of source$"):
            read_archive(archive, lambda path: path.endswith(".py"), limit=1199)


def test_links_in_an_archive_are_counted(tmp_path: Path) -> None:
    symlink = zipfile.ZipInfo("pkg/link.py")
    symlink.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr(symlink, b"a.py")
        archive.writestr("pkg/a.py", b"")
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tar:
        for kind in (tarfile.SYMTYPE, tarfile.REGTYPE):
            info = tarfile.TarInfo(f"top/pkg/{'link' if kind == tarfile.SYMTYPE else 'a'}.py")
            info.type, info.linkname = kind, "a.py"
            tar.addfile(info, io.BytesIO())
    for name in ("a.whl", "a.tar.gz"):
        contents = read_archive(tmp_path / name, everything)
        assert contents.files == {"pkg/a.py": b""}
        assert contents.skipped == (Skipped(path="pkg/link.py", reason=SkipReason.SYMLINK),)


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("jax/version.py", f"_git_hash: str = '{SHA}'\n", SHA),
        ("numpy/version.py", f'git_revision = "{SHA}"\n', SHA),
        ("torch/version.py", f"debug = False\ngit_version = '{SHA}'\n", SHA),
        ("src/pkg/_version.py", f"__commit_id__ = commit_id = '{SHA}'\n", SHA),
        ("jax/version.py", f"  x = \"_git_hash: str = '{SHA}'\"\n", None),
        ("jax/version.py", "_git_hash: str | None = None\n", None),
        ("pkg/_version.py", "commit_id = 'g1b2c3d4'\n", None),
        ("pkg/_version.py", f"checksum = '{SHA}'\n", None),
        ("pkg/inner/version.py", f"git_revision = '{SHA}'\n", None),
        ("version.py", f"git_revision = '{SHA}'\n", None),
        ("pkg/core.py", f"git_revision = '{SHA}'\n", None),
    ],
)
def test_the_commit_that_a_release_names(path: str, source: str, expected: str | None) -> None:
    assert named_commit({path: source.encode()}) == expected


def test_tags_of_releases() -> None:
    assert release_tag("jax-ml/jax", "0.9.2") == "jax-v0.9.2"
    assert release_tag("o/jax", "0.9.2") == "v0.9.2"
