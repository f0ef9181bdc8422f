"""From what callers have to messages that the server takes."""

from __future__ import annotations

import os
import pathlib
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from ladder.client.errors import SampleError
from ladder.v1 import domain_routing_pb2 as pb

# The bytes of a JPEG or PNG file, or its path.
Picture: TypeAlias = Union[bytes, str, "os.PathLike[str]"]
# Rows of numbers [n, ...], or pictures.
Chunk: TypeAlias = Union[NDArray[Any], Sequence[Picture]]
# A group's samples at once, or in pieces.
Samples: TypeAlias = Union[NDArray[Any], Iterable[Union[Chunk, Picture]]]
AsyncSamples: TypeAlias = Union[Samples, AsyncIterable[Union[Chunk, Picture]]]

# As of the server's --max-message-bytes.
DEFAULT_MAX_MESSAGE_BYTES = 64 << 20
LEAST_MAX_MESSAGE_BYTES = 128 << 10
# What is left for all but the samples and their ids.
_ENVELOPE_BYTES = 64 << 10
# Small enough for reading, sending and encoding to overlap; large enough for the calls' cost not to matter.
_USUAL_MESSAGE_BYTES = 1 << 20
# At most in one message, for samples that are tiny.
_MOST_SAMPLES = 4096


def can_be_read_again(samples: AsyncSamples) -> bool:
    return not isinstance(samples, (Iterator, AsyncIterator))


def pieces_of(samples: Samples) -> Iterable[Chunk | Picture]:
    """What SampleCutter.add takes one by one."""
    if isinstance(samples, (np.ndarray, bytes, str, os.PathLike)):
        return [samples]
    return samples


class SampleCutter:
    """Cuts one group's samples into messages; holds no more than one message's worth."""

    def __init__(self, group: str, ids: Sequence[str] | None, max_message_bytes: int) -> None:
        self._group = group
        self._ids = ids
        self._id_bytes = 4 * max(map(len, ids), default=0) if ids is not None else 0  # Of the longest.
        self._max_bytes = max_message_bytes - _ENVELOPE_BYTES
        self._usual_bytes = min(_USUAL_MESSAGE_BYTES, self._max_bytes)
        self._num_samples = 0  # That were made messages of.
        self._pictures: list[bytes] = []
        self._picture_bytes = 0

    def cut(self, samples: Samples) -> Iterator[pb.Samples]:
        for piece in pieces_of(samples):
            yield from self.add(piece)
        yield from self.finish()

    def add(self, piece: Chunk | Picture) -> Iterator[pb.Samples]:
        if isinstance(piece, np.ndarray):
            yield from self._flush()
            yield from self._add_rows(piece)
        elif isinstance(piece, (bytes, str, os.PathLike)):
            yield from self._add_picture(piece)
        elif isinstance(piece, (list, tuple)) and all(isinstance(p, (bytes, str, os.PathLike)) for p in piece):
            for picture in piece:
                yield from self._add_picture(picture)
        else:
            raise self._error(f"expected an array, a picture's bytes or path, or a list of such, got {type(piece)}")

    def finish(self) -> Iterator[pb.Samples]:
        """What is left."""
        yield from self._flush()
        if self._ids is not None and len(self._ids) != self._num_samples:
            raise self._error(f"ids: expected {self._num_samples}, one for each sample, got {len(self._ids)}")

    def _add_rows(self, array: NDArray[Any]) -> Iterator[pb.Samples]:
        if array.ndim < 2 or array.dtype.kind not in "fiub":
            raise self._error(f"expected numbers of shape [n, ...], got {array.dtype} of {list(array.shape)}")
        row_bytes = self._checked_size(4 * int(np.prod(array.shape[1:])))
        step = min(max(1, self._usual_bytes // max(1, row_bytes)), _MOST_SAMPLES)
        for start in range(0, len(array), step):
            rows = array[start : start + step]
            data = rows.astype("<f4", copy=False).tobytes()
            yield pb.Samples(tensor=pb.Tensor(shape=rows.shape, float32=data), ids=self._next_ids(len(rows)))

    def _add_picture(self, picture: Picture) -> Iterator[pb.Samples]:
        data = picture if isinstance(picture, bytes) else self._read(picture)
        num_bytes = self._checked_size(len(data))
        if self._picture_bytes + num_bytes > self._usual_bytes or len(self._pictures) == _MOST_SAMPLES:
            yield from self._flush()
        self._pictures.append(data)
        self._picture_bytes += num_bytes

    def _flush(self) -> Iterator[pb.Samples]:
        if self._pictures:
            pictures = pb.EncodedImages(images=self._pictures)
            ids = self._next_ids(len(self._pictures))
            self._pictures, self._picture_bytes = [], 0
            yield pb.Samples(images=pictures, ids=ids)

    def _next_ids(self, count: int) -> Sequence[str]:
        start = self._num_samples
        self._num_samples += count
        if self._ids is None:
            return ()
        if len(self._ids) < self._num_samples:
            raise self._error(f"ids: expected one for each sample, at least {self._num_samples}, got {len(self._ids)}")
        return self._ids[start : self._num_samples]

    def _read(self, path: str | os.PathLike[str]) -> bytes:
        try:
            return pathlib.Path(path).read_bytes()
        except OSError as error:
            raise self._error(f"{os.fspath(path)}: expected a file to read, got: {error.strerror}") from error

    def _checked_size(self, num_bytes: int) -> int:
        """Of the next sample, with its id."""
        size = num_bytes + self._id_bytes
        if size > self._max_bytes:
            index = self._num_samples + len(self._pictures)
            raise self._error(f"sample {index}: expected at most {self._max_bytes} bytes, got {size}")
        return size

    def _error(self, message: str) -> SampleError:
        return SampleError(message, self._group)
