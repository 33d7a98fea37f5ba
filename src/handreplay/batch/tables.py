"""The table profiles of a batch, and which of them a recording belongs to."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from handreplay.batch.names import natural
from handreplay.config import Profile, load_profile
from handreplay.errors import ProfileError
from handreplay.store import safe_names

SUFFIX = ".table.toml"


@dataclass(frozen=True)
class Tables:
    """`broken` are profiles that cannot be used, each with the reason."""

    profiles: tuple[Profile, ...]
    broken: tuple[tuple[Path, str], ...] = ()

    @cached_property
    def _names(self) -> tuple[tuple[str, str, str, str], ...]:
        """What each profile may be called: its table's id, the id as a file name, its own name, its file's."""
        safe = safe_names(profile.table.id for profile in self.profiles)
        return tuple((p.table.id, safe[p.table.id], profile_stem(p.path), p.path.name) for p in self.profiles)

    def named(self, word: str, file: Path) -> Profile | str:
        """The profile of the table that a person named for a recording, else why it cannot be told.

        Raises ProfileError as `of` does.
        """
        candidates = self._called(word)
        if candidates:
            return _one(candidates, file, f'"{word}" may be more than one table')
        for path, reason in self.broken:
            if word.casefold() in (profile_stem(path).casefold(), path.name.casefold()):
                return _unusable(path, reason)
        return f'no table profile for "{word}"; {self._known()}'

    def of(self, file: Path, folders: Sequence[str], root: str) -> Profile | str:
        """The profile of a recording by its name and its `folders` below `root`, else why it cannot be told.

        Raises ProfileError when it comes down to two profiles of one table, since neither is the better guess.
        """
        own = [profile for profile in self.profiles if profile_stem(profile.path) == file.stem]
        if own:
            beside = [profile for profile in own if profile.path.parent == file.parent]
            return _one(beside or own, file, "more than one table profile has its name")
        length, by_name = self._beginning(file.stem)
        for path, reason in self.broken:
            name = profile_stem(path)
            if name in folders or (_begins(file.stem, name) and len(name) > length):
                return _unusable(path, reason)
        by_folder = _distinct(profile for folder in folders for profile in self._called(folder))
        both = [profile for profile in by_folder if profile in by_name]
        if by_folder and by_name and not both:
            return (
                f"its folder says table {by_folder[0].table.id}, its name {by_name[0].table.id}; "
                "move or rename it, or name its table in a manifest"
            )
        candidates = both or by_folder or by_name
        if not candidates and len(self.profiles) == 1 and not self.broken:
            candidates = list(self.profiles)
        candidates = candidates or self._called(root)
        if candidates:
            return _one(candidates, file, "its folder or name may mean more than one table")
        return f"its table cannot be told from its folder or name; {self._known()}"

    def _called(self, word: str) -> list[Profile]:
        """Those of which this is the id; else the id as a file name; else the profile's name; else any of these."""
        pairs = list(zip(self.profiles, self._names, strict=True))
        for place in range(4):
            exact = [profile for profile, names in pairs if names[place] == word]
            if exact:
                return exact
        return [profile for profile, names in pairs if word.casefold() in map(str.casefold, names)]

    def _beginning(self, stem: str) -> tuple[int, list[Profile]]:
        """The longest id, as it is or as a file name, that begins a recording's name: its length, and whose it is."""
        found: dict[int, list[Profile]] = {0: []}
        for profile, (own, safe, _, _) in zip(self.profiles, self._names, strict=True):
            for name in (own, safe):
                if _begins(stem, name):
                    found.setdefault(len(name), []).append(profile)
        return max(found), _distinct(found[max(found)])

    def _known(self) -> str:
        ids = sorted({profile.table.id for profile in self.profiles}, key=natural)
        known = f"known tables: {', '.join(ids[:8])}{', ...' if len(ids) > 8 else ''}"
        faulty = ", ".join(path.name for path, _ in self.broken[:4])
        return f"{known}; profiles that cannot be used: {faulty}" if faulty else known


def load_tables(path: Path) -> Tables:
    """All *.table.toml in a folder and the folders in it, or one profile.

    Raises ProfileError when there is none, or none that can be used.
    """
    if not path.is_dir():
        return Tables((load_profile(path),))
    profiles: list[Profile] = []
    broken: list[tuple[Path, str]] = []
    for file in _profile_files(path):
        if file.exists() and not file.is_file():  # opening a pipe would wait for whoever writes to it
            broken.append((file, f"{file}: is no ordinary file"))
            continue
        try:
            profiles.append(load_profile(file))
        except ProfileError as error:
            broken.append((file, str(error)))
    if not profiles and not broken:
        raise ProfileError(f"{path}: holds no table profile; a profile is called NAME{SUFFIX}")
    if not profiles:
        more = f" (and {len(broken) - 1} more profiles that cannot be used)" if len(broken) > 1 else ""
        raise ProfileError(f"{broken[0][1]}{more}")
    return Tables(tuple(profiles), tuple(broken))


def profile_stem(path: Path) -> str:
    """A profile's file name without its suffix."""
    return path.name.removesuffix(SUFFIX) if path.name.endswith(SUFFIX) else path.stem


def table_folders(profiles: Iterable[Profile]) -> dict[Path, str]:
    """A folder name for each profile's path: the table's, with the profile's where tables share an id."""
    profiles = list(profiles)
    ids = [profile.table.id for profile in profiles]
    titles = {}
    for profile in profiles:
        alone = ids.count(profile.table.id) == 1
        titles[profile.path] = profile.table.id if alone else f"{profile.table.id} {profile_stem(profile.path)}"
        if list(titles.values()).count(titles[profile.path]) > 1:  # one name in two folders
            titles[profile.path] = f"{titles[profile.path]} {profile.path.parent.as_posix()}"
    names = safe_names(titles.values())
    return {path: names[title] for path, title in titles.items()}


def _profile_files(folder: Path) -> list[Path]:
    found = []
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(place, name) for name in files if name.endswith(SUFFIX) and not name.startswith(".")]
    return sorted(found)


def _one(candidates: Sequence[Profile], file: Path, otherwise: str) -> Profile | str:
    if len(candidates) > 1:
        own = [profile for profile in candidates if profile_stem(profile.path) == file.stem]
        candidates = own if len(own) == 1 else candidates
    if len(candidates) == 1:
        return candidates[0]
    one, other = candidates[:2]
    if one.table.id == other.table.id:
        raise ProfileError(
            f'{one.path} and {other.path}: both are of table "{one.table.id}", and nothing says which {file.name} '
            f"belongs to; remove one, or call it {file.stem}{SUFFIX}"
        )
    return f"{otherwise} ({one.table.id}, {other.table.id}); name its table in a manifest"


def _begins(stem: str, name: str) -> bool:
    """Whether a name begins with another one, and something that sets it off comes next."""
    return stem.casefold().startswith(name.casefold()) and not stem[len(name) : len(name) + 1].isalnum()


def _unusable(path: Path, reason: str) -> str:
    return reason if str(path) in reason else f"{path}: {reason}"


def _distinct(profiles: Iterable[Profile]) -> list[Profile]:
    return list({profile.path: profile for profile in profiles}.values())
