"""What can go wrong on purpose.

    HandreplayError          one line for the user, exit code 2
    ├── FootageError         the recording cannot be used
    ├── ProfileError         the table profile cannot be used
    ├── LogError             the round log cannot be used; names the line
    ├── ModelError           a weight file is missing, altered or of another kind
    ├── OutputError          the results cannot be written
    └── ClusterError         the workers of a cluster cannot be used

Illegal play, damaged pictures and unread cards are results, never exceptions.
"""


class HandreplayError(Exception):
    """Says what failed, where, and what to do next, in one line."""


class FootageError(HandreplayError):
    pass


class ProfileError(HandreplayError):
    pass


class LogError(HandreplayError):
    pass


class ModelError(HandreplayError):
    pass


class OutputError(HandreplayError):
    pass


class ClusterError(HandreplayError):
    pass
