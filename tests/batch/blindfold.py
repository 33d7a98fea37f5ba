"""Preloaded by a worker that stands for another machine: it does not see what lies below the folder in HIDDEN."""

import os

_stat = os.stat


def stat(path, *args, **kwargs):
    if isinstance(path, str | os.PathLike) and os.fspath(path).startswith(os.environ["HIDDEN"]):
        raise FileNotFoundError(2, "No such file or directory", path)
    return _stat(path, *args, **kwargs)


os.stat = stat
