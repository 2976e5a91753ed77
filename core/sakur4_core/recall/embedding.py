"""Static word vectors that ship in a wheel: no model is run and nothing is downloaded."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sakur4_core.errors import EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float32]"

NAME = "wordllama-256"
DIMENSIONS = 256
# What of a text is embedded; the mean of so many words moves no further.
MAX_CHARS = 4_000
# Smooth inverse frequency (Arora, Liang, Ma 2017): a token weighs a / (a + its share).
SMOOTHING = 1e-3


class StaticVectors:
    """The vectors of tokens and the tokenizer that belongs to them."""

    def __init__(self, table: Any, tokenizer: Any) -> None:
        self._table = table
        self._tokenizer = tokenizer

    @property
    def vocabulary(self) -> int:
        """How many tokens there are."""
        return len(self._table)

    def tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text."""
        heads = [text[:MAX_CHARS] for text in texts]
        encoded = self._tokenizer.encode_batch_fast(heads, add_special_tokens=False)
        return [item.ids for item in encoded]

    def embed(self, tokens: Sequence[list[int]], weights: Matrix) -> Matrix:
        """One unit vector a text, zero where it has no token."""
        import numpy as np

        vectors = np.zeros((len(tokens), DIMENSIONS), dtype=np.float32)
        sizes = np.array([len(ids) for ids in tokens], dtype=np.int64)
        spoken = np.flatnonzero(sizes)
        if not len(spoken):
            return vectors
        run = np.fromiter(chain.from_iterable(tokens), np.int64, int(sizes.sum()))
        # Each token's row is read and weighed once, however many of the texts hold it.
        different, places = np.unique(run, return_inverse=True)
        rows = self._table[different].astype(np.float32) * weights[different, None]
        ends = np.cumsum(sizes)
        for text in spoken:
            some = places[ends[text] - sizes[text] : ends[text]]
            vectors[text] = rows[some].sum(axis=0)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: Matrix = vectors / np.maximum(lengths, 1e-9)
        return unit


@lru_cache(maxsize=1)
def load_static() -> StaticVectors:
    """The vectors as they lie in the package ``wordllama``, mapped, not read.

    Raises:
        EmbeddingError: The package or one of its two files is missing or not as expected.
    """
    import numpy as np

    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise EmbeddingError("The package wordllama is not installed.")
    folder = Path(spec.origin).parent
    weights = folder / "weights" / "l2_supercat_256.safetensors"
    try:
        from tokenizers import Tokenizer

        with weights.open("rb") as stream:
            size = int.from_bytes(stream.read(8), "little")
            entry = json.loads(stream.read(size))["embedding.weight"]
        table = np.memmap(
            weights,
            dtype=np.float16,
            mode="r",
            offset=8 + size + entry["data_offsets"][0],
            shape=tuple(entry["shape"]),
        )
        tokenizer = Tokenizer.from_file(
            str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json")
        )
    except (ImportError, OSError, ValueError, KeyError) as error:
        raise EmbeddingError(f"The local embedder cannot be loaded: {error}.") from error
    if entry["dtype"] != "F16" or table.shape[1] != DIMENSIONS:
        raise EmbeddingError("The local embedder's weights have another form than expected.")
    return StaticVectors(table, tokenizer)


def learned_weights(counts: NDArray[np.int64]) -> Matrix:
    """What each token weighs, from how often a store's turns hold it."""
    import numpy as np

    share = counts / max(int(counts.sum()), 1)
    weights: Matrix = (SMOOTHING / (SMOOTHING + share)).astype(np.float32)
    return weights
