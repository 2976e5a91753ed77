"""Files whose name says that they hold secrets: what stands in them is not kept."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"""(?ix) (?:^|/) (?:
        \.env (?:\..*)? | .*\.env | \.netrc | \.pgpass | \.npmrc | \.pypirc | \.htpasswd
        | id_(?:rsa|dsa|ecdsa|ed25519)[^/]* | [^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|tfvars)
        | [^/]*(?:secret|credential|passwd|password)[^/]*
    ) $"""
)
_SAMPLE = re.compile(r"(?i)\.(?:example|sample|template|dist)$")


def looks_secret(path: str) -> bool:
    """Whether a file's own name tells that its values must not be kept."""
    return _SECRET.search(path) is not None and _SAMPLE.search(path) is None
