"""Which files of a tree are read, and the tree of a folder on disk."""

import os
import subprocess
from pathlib import Path

import pytest

from pipeline.errors import SourceError
from pipeline.source.folder import read_folder
from pipeline.source.selection import default_under, folders_under, hides_python, is_evidence, wanted
from pipeline.source.tree import Skipped, SkipReason, blob_id

EVERYTHING: tuple[str, ...] = ()
JAX = ("jax",)
ROOT = ("",)


@pytest.mark.parametrize(
    ("path", "under", "expected"),
    [
        ("setup.py", EVERYTHING, True),
        ("pkg/core.py", EVERYTHING, True),
        ("pkg/core.pyi", EVERYTHING, False),
        ("pkg/core.txt", EVERYTHING, False),
        ("tests/test_core.py", EVERYTHING, False),
        ("pkg/tests/test_core.py", EVERYTHING, False),
        ("pkg/docs/conf.py", EVERYTHING, False),
        ("pkg/examples/one.py", EVERYTHING, False),
        ("test/test_core.py", EVERYTHING, False),
        ("django/test/client.py", EVERYTHING, True),
        ("numpy/testing/utils.py", EVERYTHING, True),
        ("build/lib/pkg/core.py", EVERYTHING, False),
        ("pip/_internal/operations/build/wheel.py", EVERYTHING, True),
        (".github/make.py", EVERYTHING, False),
        ("pkg/.hidden/core.py", EVERYTHING, False),
        ("lib/site-packages/pkg/core.py", EVERYTHING, False),
        ("web/node_modules/gyp/gyp.py", EVERYTHING, False),
        ("jax/core.py", JAX, True),
        ("jax/experimental/jax2tf/tests/one_test.py", JAX, True),
        ("jaxlib/client.py", JAX, False),
        ("setup.py", JAX, False),
        ("jax/.cache/core.py", JAX, False),
        ("jax/core.py", ("jax/core.py",), True),
        ("jax/core.pyx", ("jax/core.pyx",), False),
        ("tests/test_core.py", ("tests", "jax"), True),
        ("tests/test_core.py", ROOT, True),
        ("env/site-packages/pkg/core.py", ("env/site-packages",), True),
    ],
)
def test_wanted(path: str, under: tuple[str, ...], expected: bool) -> None:
    assert wanted(path, under) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_core.py", True),
        ("tests/deep/data.json", False),
        ("docs/errors.rst", True),
        ("docs/notebooks/one.ipynb", True),
        ("docs/conf.py", True),
        ("docs/logo.png", False),
        ("CHANGELOG", True),
        ("CHANGELOG.md", True),
        ("docs", False),
        ("tests.py", False),
        ("pkg/CHANGELOG.md", False),
        ("pkg/tests/test_core.py", False),
    ],
)
def test_is_evidence(path: str, expected: bool) -> None:
    assert is_evidence(path) is expected


@pytest.mark.parametrize(
    ("path", "under", "expected"),
    [
        ("pkg/link.py", EVERYTHING, True),
        ("pkg/linked", EVERYTHING, True),
        ("linked", EVERYTHING, True),
        ("tests", EVERYTHING, False),
        ("pkg/tests", EVERYTHING, False),
        ("README.md", EVERYTHING, False),
        ("third_party/other", JAX, False),
        ("jax/other", JAX, True),
        ("jax", JAX, True),
    ],
)
def test_hides_python(path: str, under: tuple[str, ...], expected: bool) -> None:
    assert hides_python(path, under) is expected


@pytest.mark.parametrize(
    ("repo", "under", "expected"),
    [
        ("jax-ml/jax", None, ("jax",)),
        ("o/n", None, ()),
        ("o/n", "./src//pkg/", ("src/pkg",)),
        ("o/n", "src\\pkg", ("src/pkg",)),
        ("jax-ml/jax", ".", ("",)),
        ("jax-ml/jax", ["jaxlib", "jax"], ("jaxlib", "jax")),
    ],
)
def test_folders_under(repo: str, under: str | list[str] | None, expected: tuple[str, ...]) -> None:
    assert folders_under(repo, under) == expected


@pytest.mark.parametrize("under", ["/etc", "..", "a/../../b"])
def test_a_folder_outside_the_tree_is_refused(under: str) -> None:
    with pytest.raises(SourceError, match=r"leads out of the tree\. Name a folder as seen from the tree's root"):
        folders_under("o/n", under)


def test_only_jax_has_a_folder_of_its_own() -> None:
    assert default_under("jax-ml/jax") == ("jax",)
    assert default_under("o/jax") == ()


def write(root: Path, files: dict[str, bytes]) -> Path:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


FILES = {
    "pkg/b.py": b"raise ValueError('b')\r\n",
    "pkg/a.py": b"",
    "pkg/gr\u00fc\u00df e.py": b"\xff\xfe",
    "tests/test_a.py": b"import pkg\n",
    "docs/one.md": b"# One\n",
    "CHANGELOG.md": b"## 1\n",
    "env/pyvenv.cfg": b"",
    "env/lib/inner.py": b"x = 1\n",
    ".git/hook.py": b"x = 1\n",
}


def test_a_folder_is_read(tmp_path: Path) -> None:
    tree = read_folder(write(tmp_path / "some pkg", FILES))
    assert (tree.repo, tree.analyzed_sha, tree.link_ref, tree.revision_time) == ("local/some pkg", None, None, None)
    assert [file.path for file in tree.files] == ["pkg/a.py", "pkg/b.py", "pkg/gr\u00fc\u00df e.py"]
    assert [file.data for file in tree.files] == [b"", b"raise ValueError('b')\r\n", b"\xff\xfe"]
    assert [file.path for file in tree.evidence] == ["CHANGELOG.md", "docs/one.md", "tests/test_a.py"]
    assert tree.skipped == ()


def test_the_repository_and_the_folders_can_be_named(tmp_path: Path) -> None:
    root = write(tmp_path, {"jax/core.py": b"x = 1\n", "jaxlib/client.py": b"x = 1\n"})
    assert [file.path for file in read_folder(root, repo="jax-ml/jax").files] == ["jax/core.py"]
    assert [file.path for file in read_folder(root, repo="jax-ml/jax", under="jaxlib").files] == ["jaxlib/client.py"]


def test_the_revision_is_that_of_the_content(tmp_path: Path) -> None:
    one = read_folder(write(tmp_path / "one", FILES)).revision
    assert one == read_folder(write(tmp_path / "two", dict(reversed(FILES.items())))).revision
    assert one == "tree-75fa612c2707"
    for path in ("pkg/b.py", "docs/one.md"):
        changed = write(tmp_path / path, FILES | {path: b"changed"})
        assert read_folder(changed).revision != one
    renamed = {("pkg/c.py" if path == "pkg/b.py" else path): data for path, data in FILES.items()}
    assert read_folder(write(tmp_path / "renamed", renamed)).revision != one


@pytest.mark.parametrize("data", [b"", b"x = 1\n", b"\0\xff" * 1000])
def test_blob_ids_are_those_of_git(data: bytes) -> None:
    done = subprocess.run(["git", "hash-object", "--stdin"], input=data, capture_output=True, check=True)
    assert blob_id(data) == done.stdout.decode().strip()


def test_links_and_what_cannot_be_read_are_counted(tmp_path: Path) -> None:
    root = write(tmp_path / "pkg", {"a.py": b"x = 1\n", "notes.txt": b""})
    (root / "link.py").symlink_to("a.py")
    (root / "loop").symlink_to(".")
    (root / "dangling.py").symlink_to("nothing")
    (root / "notes.md").symlink_to("notes.txt")
    os.mkfifo(root / "pipe.py")
    tree = read_folder(root)
    assert [file.path for file in tree.files] == ["a.py"]
    assert tree.skipped == (
        Skipped(path="dangling.py", reason=SkipReason.SYMLINK),
        Skipped(path="link.py", reason=SkipReason.SYMLINK),
        Skipped(path="loop", reason=SkipReason.SYMLINK),
        Skipped(path="pipe.py", reason=SkipReason.UNREADABLE),
    )


def test_a_name_that_is_not_utf8_is_counted(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": b"x = 1\n"})
    try:
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.py"))).write_bytes(b"x = 1\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert read_folder(tmp_path).skipped == (Skipped(path="\\xff.py", reason=SkipReason.UNREADABLE),)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_counted(tmp_path: Path) -> None:
    root = write(tmp_path / "pkg", {"a.py": b"x = 1\n", "b.py": b"x = 1\n", "inner/c.py": b"x = 1\n"})
    (root / "b.py").chmod(0)
    (root / "inner").chmod(0)
    try:
        skipped = read_folder(root).skipped
        assert [(skip.path, skip.reason) for skip in skipped] == [
            ("b.py", SkipReason.UNREADABLE),
            ("inner", SkipReason.UNREADABLE),
        ]
        root.chmod(0)
        with pytest.raises(SourceError, match=r"Permission denied\. Check the path and its permissions"):
            read_folder(root)
    finally:
        root.chmod(0o755)
        (root / "inner").chmod(0o755)


def test_bad_folders_say_what_to_try(tmp_path: Path) -> None:
    write(tmp_path, {"file.py": b"x = 1\n", "empty/notes.txt": b"", "only/tests/test_a.py": b"x = 1\n"})
    (tmp_path / "loop").symlink_to("loop")
    cases = {
        "none": r"^no folder .*none\. Check the path given to --tree$",
        "file.py": r"file\.py is not a folder\. Give --tree the folder that holds the source$",
        "loop": r"^cannot read .*loop: .*\. Check the path and its permissions$",
        "empty": r"^no Python file in .*empty\. Check that it holds the package's source$",
        "only": r"^no Python file in .*only\. Name a folder with --under; these hold Python: tests$",
    }
    for name, message in cases.items():
        with pytest.raises(SourceError, match=message):
            read_folder(tmp_path / name)
    with pytest.raises(SourceError, match=r"^no Python file under src in .*"):
        read_folder(tmp_path / "only", under="src")
