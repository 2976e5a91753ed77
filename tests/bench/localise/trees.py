"""Work trees of bare repositories, moved from commit to commit by what differs between them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
LINK, FILES = "120000", ("100644", "100755", "100664")


class Tree:
    """One work tree. Blobs that the repository lacks are left out, as are submodules."""

    def __init__(self, bare: Path, folder: Path) -> None:
        self._bare = bare
        self.folder = folder
        self._at = EMPTY_TREE
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        alternates = folder / ".git" / "objects" / "info" / "alternates"
        alternates.write_text(f"{bare.resolve() / 'objects'}\n")

    def move_to(self, commit: str) -> None:
        """Make the folder hold the tree of ``commit``; only files that differ are written."""
        written = {}
        for mode, blob, path in self._differences(commit):
            place = self.folder / os.fsdecode(path)
            if place.is_symlink() or place.is_file():
                place.unlink()
            if mode == LINK or mode in FILES:
                written[path] = (mode, blob, place)
        blobs = self._blobs([blob for _, blob, _ in written.values()])
        for (mode, _, place), data in zip(written.values(), blobs, strict=True):
            if data is None:
                continue
            if place.is_dir() and not any(inner.is_file() for inner in place.rglob("*")):
                shutil.rmtree(place)
            place.parent.mkdir(parents=True, exist_ok=True)
            if mode == LINK:
                place.symlink_to(os.fsdecode(data))
            else:
                place.write_bytes(data)
        self._git("read-tree", commit)
        self._at = commit

    def content(self, commit: str, path: str) -> bytes:
        """One file as it stands at ``commit``."""
        return self._git("cat-file", "blob", f"{commit}:{path}")

    def files(self, commit: str) -> dict[str, str]:
        """Every file's path and blob at ``commit``."""
        listed = self._git("ls-tree", "-r", "-z", commit).split(b"\0")
        split = (line.partition(b"\t") for line in listed if line)
        return {os.fsdecode(path): head.decode().split()[2] for head, _, path in split}

    def _git(self, *arguments: str) -> bytes:
        return subprocess.run(
            ["git", *arguments], cwd=self.folder, check=True, capture_output=True
        ).stdout

    def _differences(self, commit: str) -> Iterator[tuple[str, str, bytes]]:
        """New mode, new blob and path of every file that differs."""
        raw = self._git("diff-tree", "-r", "-z", "--no-renames", "--raw", self._at, commit)
        fields = raw.split(b"\0")
        for head, path in zip(fields[::2], fields[1::2], strict=False):
            _, mode, _, blob, _ = head.decode().lstrip(":").split()
            yield mode, blob, path

    def _blobs(self, names: list[str]) -> Iterator[bytes | None]:
        with subprocess.Popen(
            ["git", f"--git-dir={self._bare}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            for start in range(0, len(names), 500):
                page = names[start : start + 500]
                process.stdin.write("".join(f"{name}\n" for name in page).encode())
                process.stdin.flush()
                for name in page:
                    yield self._next(process.stdout, name)
            process.stdin.close()

    @staticmethod
    def _next(stream: object, name: str) -> bytes | None:
        head = stream.readline().split()  # type: ignore[attr-defined]
        if head[-1] == b"missing":
            return None
        data: bytes = stream.read(int(head[2]))  # type: ignore[attr-defined]
        stream.read(1)  # type: ignore[attr-defined]
        return data
