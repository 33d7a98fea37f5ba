"""Ed25519 signatures over the list of hashes; keys in PEM files, as `openssl genpkey -algorithm ed25519` makes them."""

import hashlib
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from handreplay.errors import HandreplayError
from handreplay.review.log import AlteredError

MAX_KEY_BYTES = 20_000


class SigningError(HandreplayError):
    """A key file that cannot be used."""


def load_private(path: Path) -> Ed25519PrivateKey:
    """Raises HandreplayError when the file holds no Ed25519 private key without a password."""
    hint = "make one with: openssl genpkey -algorithm ed25519 -out key.pem"
    try:
        key = serialization.load_pem_private_key(read_key(path), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SigningError(f"{path} holds no private key in PEM without a password; {hint}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningError(f"{path} holds a key of another kind than Ed25519; {hint}")
    return key


def load_public(content: bytes, name: str) -> Ed25519PublicKey:
    """Raises HandreplayError when there is no Ed25519 public key in it."""
    try:
        key = serialization.load_pem_public_key(content)
    except (ValueError, UnsupportedAlgorithm):
        raise SigningError(f"{name} holds no public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise SigningError(f"{name} holds a key of another kind than Ed25519")
    return key


def public_pem(key: Ed25519PrivateKey) -> bytes:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, form)


def signed(key: Ed25519PrivateKey, content: bytes) -> bytes:
    """The 64 bytes of the signature."""
    return key.sign(content)


def check(public: bytes, name: str, content: bytes, signature: bytes) -> str:
    """The signer's fingerprint. Raises AlteredError when the signature is not over this content by this key."""
    key = load_public(public, name)
    try:
        key.verify(signature, content)
    except InvalidSignature:
        raise AlteredError(
            "the signature does not fit: what was signed, the signature or the key was altered"
        ) from None
    return fingerprint(public, name)


def fingerprint(public: bytes, name: str) -> str:
    """SHA-256 of the raw public key, in hex."""
    form, encoding = serialization.PublicFormat.Raw, serialization.Encoding.Raw
    return hashlib.sha256(load_public(public, name).public_bytes(encoding, form)).hexdigest()


def read_key(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_KEY_BYTES)
    except OSError as error:
        raise SigningError(f"{path}: cannot be read ({error.strerror})") from None
