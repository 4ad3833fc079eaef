"""Identifiers and codes that cannot be guessed, and what is stored of those that give access."""

import hashlib
import secrets

from motherlode import proof


def digest(code: str) -> bytes:
    """What is stored of a token, a recovery code or a link's code."""
    return hashlib.sha256(code.encode()).digest()


def new_id() -> str:
    """128 random bits."""
    return secrets.token_urlsafe(16)


def new_secret() -> bytes:
    return secrets.token_bytes(proof.SECRET_BYTES)
