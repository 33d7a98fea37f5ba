"""Texts that others wrote, such as names of files, made fit for a terminal."""


def plain(text: str) -> str:
    """The text on one line, without anything that would move a cursor."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
