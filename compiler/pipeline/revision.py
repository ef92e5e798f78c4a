"""Files as a revision of a git repository has them; the working tree is never touched."""

import errno
import os
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

from archspec.source.frozen import Frozen
from archspec.source.suggest import nearest
from compiler.answer import CannotAnswer

SUFFIXES: Final = (".yaml", ".yml", ".json")
BLOB: Final = re.compile(rb"[0-9a-f]{40,64} blob (\d+)")
ELSEWHERE: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")
"""What hooks of git set for their own repository, from a folder that need not be ours."""
QUIET: Final = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
"""Settings with which git only reads: no index is refreshed, nobody is asked, nothing fetched."""


class Revision(Frozen):
    """A commit of the repository at `root`, called `name` by whoever asks for it.

    It is a reader of specs: what a spec extends is read from the same commit.
    """

    name: str
    commit: str
    root: Path

    def read(self, path: Path, most: int) -> bytes:
        """At most `most` bytes of a file, symbolic links followed inside the commit.

        Raises OSError where the commit has no such file.
        """
        inside = self._inside(path)
        if inside is None or "\n" in inside:
            raise FileNotFoundError(errno.ENOENT, "outside of its repository", str(path))
        asked = f"{self.commit}:{inside}\n".encode(errors="surrogateescape")
        said = _git(self.root, "cat-file", "--batch", "--follow-symlinks", given=asked)
        head, _, rest = said.partition(b"\n")
        found = BLOB.fullmatch(head)
        if found is None:
            raise FileNotFoundError(errno.ENOENT, f"not in revision `{self.name}`", str(path))
        return rest[: min(int(found[1]), most)]

    def shown(self, path: str) -> str:
        """`specs/tiny.yaml@main`."""
        return f"{path}@{self.name}"

    def like(self, path: Path) -> str:
        """A file of the commit that is called like one that it lacks; empty for none."""
        listed = _git(self.root, "ls-tree", "-r", "-z", "--name-only", self.commit).decode(
            errors="surrogateescape"
        )
        names = [name for name in listed.split("\0") if name.endswith(SUFFIXES)]
        same = [name for name in names if PurePosixPath(name).name == path.name]
        inside = self._inside(path) or path.name
        beside = {
            PurePosixPath(name).name: name
            for name in names
            if PurePosixPath(name).parent == PurePosixPath(inside).parent
        }
        near = nearest(path.name, beside)
        found = same[0] if len(same) == 1 else beside.get(near or "", "")
        return os.path.relpath(self.root / found) if found else ""

    def _inside(self, path: Path) -> str | None:
        """The path within the repository; None outside of it."""
        whole = Path(os.path.normpath(Path.cwd() / path))
        folder = _existing(whole)
        real = Path(os.path.realpath(folder)) / whole.relative_to(folder)
        return real.relative_to(self.root).as_posix() if real.is_relative_to(self.root) else None


def revision(name: str, path: Path) -> Revision:
    """The revision `name` of the repository that holds `path`, which need not exist.

    Raises `CannotAnswer` without git, outside of a repository and where there is no such revision.
    """
    folder = _existing(Path(os.path.normpath(Path.cwd() / path)).parent)
    try:
        top = (
            _git(folder, "rev-parse", "--show-toplevel")
            .decode(errors="surrogateescape")
            .rstrip("\n")
        )
    except GitRefused as refused:
        raise CannotAnswer(*_no_repository(path, str(refused))) from None
    root = Path(os.path.realpath(top))
    asked = f"{name}^{{commit}}"
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", asked)
    except GitRefused:
        raise CannotAnswer(f"no revision `{name}` in this repository", _known(name, root)) from None
    return Revision(name, found.decode().split()[-1], root)


class GitRefused(Exception):  # noqa: N818  # what git said, to be told in our words
    """Git could not do what was asked."""


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    environment = {k: said for k, said in os.environ.items() if k not in ELSEWHERE} | QUIET
    try:
        done = subprocess.run(command, input=given, capture_output=True, env=environment)
    except FileNotFoundError:
        help_ = "`A@REV` reads a file of an earlier revision, and asks `git` for it"
        raise CannotAnswer("`git` is not installed", help_) from None
    if done.returncode:
        raise GitRefused(done.stderr.decode(errors="replace").strip())
    return done.stdout


def _no_repository(path: Path, said: str) -> tuple[str, str]:
    if "not a git repository" in said:
        return f"`{path}` is in no git repository", "`A@REV` compares with a revision of git"
    return f"git cannot read the repository of `{path}`", said.splitlines()[0] if said else ""


def _known(name: str, root: Path) -> str:
    """A branch or tag that may be meant, or how to get what a shallow clone lacks."""
    if name.endswith(SUFFIXES):
        return "and there is no file that is called so"
    refs = _git(root, "for-each-ref", "--format=%(refname:short)").decode().split()
    below = _ending(name, refs)
    near = below or nearest(name, refs)
    if near:
        return f"did you mean `{near}`?"
    return "it is a commit, a branch or a tag; a shallow clone has to fetch it first"


def _ending(name: str, refs: Iterable[str]) -> str:
    """The branch of a remote that is called so."""
    return next((ref for ref in refs if ref.endswith(f"/{name}")), "")


def _existing(path: Path) -> Path:
    """The nearest folder above (or at) a path that exists."""
    return next(folder for folder in (path, *path.parents) if folder.is_dir())
