"""Files of earlier revisions, in repositories made for the test."""

import os
import subprocess
from pathlib import Path

import pytest

from archspec.load import read_through
from archspec.model.spec import Spec
from compiler.answer import CannotAnswer
from compiler.pipeline.revision import Revision, revision

BASE = """\
name: base
dims: {d: 8, n: 2}
inputs: {x: {features: [T, d]}}
defaults: {norm: {rms: 1e-5}, norm_at: pre}
graph:
  h: {stack: {repeat: n, layer: {mlp: {mlp: {hidden: 4*d, act: relu}}}}, in: x}
"""
ABOVE = "name: above\nextends: ../base.yaml\ndims: {n: 3}\n"


def git(folder: Path, *arguments: str) -> str:
    person = {
        f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **person, "GIT_CONFIG_GLOBAL": os.devnull},
    )
    return done.stdout


def commit(folder: Path, said: str) -> str:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", said)
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a spec, one that extends it, and a later change of both; it is here."""
    root = tmp_path / "project"
    (root / "specs").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / "base.yaml").write_text(BASE)
    (root / "specs/above.yaml").write_text(ABOVE)
    commit(root, "first")
    git(root, "tag", "v1")
    (root / "base.yaml").write_text(BASE.replace("d: 8", "d: 16"))
    (root / "specs/above.yaml").write_text(ABOVE.replace("n: 3", "n: 5"))
    commit(root, "second")
    monkeypatch.chdir(root)
    return root


def dims(path: str, name: str) -> dict[str, int]:
    spec = read_through(revision(name, Path(path)), path)
    assert isinstance(spec, Spec), spec
    return {key: int(value) for key, value in spec.dims.items()}


def test_what_a_spec_extends_is_of_the_same_revision(project: Path) -> None:
    assert dims("specs/above.yaml", "HEAD") == {"d": 16, "n": 5}
    assert dims("specs/above.yaml", "HEAD~1") == {"d": 8, "n": 3}
    assert dims("specs/above.yaml", "v1") == {"d": 8, "n": 3}
    assert dims("specs/above.yaml", git(project, "rev-parse", "v1")[:9]) == {"d": 8, "n": 3}


def test_the_working_tree_plays_no_part(project: Path) -> None:
    (project / "base.yaml").write_text("broken: [")
    (project / "specs/above.yaml").unlink()
    (project / "specs").rmdir()
    before = git(project, "status", "--porcelain")
    index = (project / ".git/index").read_bytes()
    assert dims("specs/above.yaml", "HEAD") == {"d": 16, "n": 5}
    assert git(project, "status", "--porcelain") == before
    assert (project / ".git/index").read_bytes() == index


def test_paths_are_from_the_working_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "specs")
    assert dims("above.yaml", "v1") == {"d": 8, "n": 3}
    assert dims("../base.yaml", "v1") == {"d": 8, "n": 2}
    monkeypatch.chdir(project.parent)
    assert dims("project/specs/above.yaml", "v1") == {"d": 8, "n": 3}
    assert dims(str(project / "base.yaml"), "v1") == {"d": 8, "n": 2}


def test_hooks_of_git_say_where_another_repository_is(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "specs")
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert dims("above.yaml", "v1") == {"d": 8, "n": 3}


def test_names_with_blanks_and_words_of_git(project: Path) -> None:
    (project / "a blob of 12.yaml").write_text(BASE)
    commit(project, "blanks")
    assert dims("a blob of 12.yaml", "HEAD") == {"d": 8, "n": 2}
    with pytest.raises(OSError, match="not in revision"):
        revision("HEAD", Path("a.yaml")).read(Path("no blob 12"), 99)


def test_places_name_the_file_and_the_revision(project: Path) -> None:
    spec = read_through(revision("v1", Path("specs/above.yaml")), "specs/above.yaml")
    assert isinstance(spec, Spec)
    assert spec.path == "specs/above.yaml@v1"
    assert spec.files == ("specs/above.yaml@v1", "specs/../base.yaml@v1")
    assert str(spec.marks["dims.n"].span).startswith("specs/above.yaml@v1:3")


def test_what_is_wrong_there_is_quoted_from_there(project: Path) -> None:
    (project / "base.yaml").write_text(BASE.replace("hidden", "hiden"))
    commit(project, "third")
    (project / "base.yaml").write_text(BASE)
    found = read_through(revision("HEAD", Path("base.yaml")), "base.yaml")
    assert not isinstance(found, Spec)
    assert found[0].primary.span.file == "base.yaml@HEAD"
    assert "hiden" in found[0].primary.line


def test_a_file_that_is_extended_but_not_there(project: Path) -> None:
    (project / "specs/above.yaml").write_text(ABOVE.replace("../base", "../absent"))
    commit(project, "third")
    (project / "absent.yaml").write_text(BASE)
    found = read_through(revision("HEAD", Path("specs/above.yaml")), "specs/above.yaml")
    assert not isinstance(found, Spec)
    assert [problem.code for problem in found] == ["AR0001"]
    assert found[0].primary.text == "not in revision `HEAD`"


def test_links_are_followed_inside_the_revision(project: Path) -> None:
    (project / "link.yaml").symlink_to("specs/above.yaml")
    commit(project, "a link")
    assert (
        revision("HEAD", Path("link.yaml")).read(Path("link.yaml"), 99)
        == (project / "specs/above.yaml").read_bytes()
    )
    (project / "folder").symlink_to("specs")
    commit(project, "a folder")
    assert dims("folder/above.yaml", "HEAD") == {"d": 16, "n": 5}


def test_links_that_leave_the_revision_are_no_files(project: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(BASE)
    (project / "out.yaml").symlink_to("../outside.yaml")
    commit(project, "out")
    found = revision("HEAD", Path("out.yaml"))
    for name in ("out.yaml", "../outside.yaml", "specs", "absent.yaml", "two\nlines.yaml"):
        with pytest.raises(OSError):
            found.read(Path(name), 99)


def test_a_submodule_has_revisions_of_its_own(project: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q", "-b", "trunk")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(project), "inner")
    commit(outer, "with a submodule")
    os.chdir(outer)
    assert dims("inner/specs/above.yaml", "HEAD~1") == {"d": 8, "n": 3}
    with pytest.raises(CannotAnswer, match="no revision `trunk`"):
        revision("trunk", Path("inner/base.yaml"))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("mian", "did you mean `main`?"),
        ("v2", "did you mean `v1`?"),
        ("trunk", "did you mean `origin/trunk`?"),
        ("0123456789abcdef", "a shallow clone has to fetch it"),
        ("specs/other.yaml", "there is no file that is called so"),
        ("--all", ""),
        ("HEAD:base.yaml", ""),
        ("", ""),
    ],
)
def test_revisions_that_are_none(name: str, hint: str, project: Path) -> None:
    git(project, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    with pytest.raises(CannotAnswer, match="no revision") as caught:
        revision(name, Path("base.yaml"))
    assert hint in caught.value.help


def test_outside_of_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(CannotAnswer, match="is in no git repository"):
        revision("main", tmp_path / "tiny.yaml")


def test_without_git(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(CannotAnswer, match="`git` is not installed"):
        revision("main", project / "base.yaml")


def test_names_like_one_that_is_not_there(project: Path) -> None:
    found = revision("HEAD", Path("base.yaml"))
    assert isinstance(found, Revision)
    assert found.like(Path("bsae.yaml")) == "base.yaml"
    assert found.like(Path("elsewhere/above.yaml")) == "specs/above.yaml"
    assert found.like(Path("nothing_alike.yaml")) == ""


def test_a_file_is_read_up_to_a_size(project: Path) -> None:
    assert revision("v1", Path("base.yaml")).read(Path("base.yaml"), 10) == BASE.encode()[:10]
