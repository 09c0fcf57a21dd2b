"""JSON, text, bytes and protocol buffers: one small file each."""

from __future__ import annotations

import sys
from typing import Any

from perdure import _core
from perdure._src.handlers.json_text import json_bytes, parse_json
from perdure._src.handlers.native import Item, NativeHandler, read_file
from perdure.errors import CorruptError, InputTypeError


class JsonHandler(NativeHandler):
    """Whatever JSON can hold, as Orbax stores it. For one name: trees take dicts and lists unless this is registered for the name."""

    recorded_as, secondary_typestrs, _files = _core.handler_names("JsonHandler")

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        return _core.files_writer({self._files[0]: json_bytes(checkpointable)})

    def read(self, item: Item, abstract: Any) -> Any:
        return parse_json(item, read_file(item, self._files, or_any=True))

    def is_handleable(self, checkpointable: Any) -> bool:
        try:
            json_bytes(checkpointable)
            return True
        except InputTypeError:
            return False


class MetricsHandler(JsonHandler):
    """The metrics of a step, which stand beside its items under the name ``metrics``."""

    recorded_as, secondary_typestrs, _files = _core.handler_names("MetricsHandler")


class TextHandler(NativeHandler):
    """A str in a file of its own. For one name: without it, a str is a tree of one leaf."""

    recorded_as, secondary_typestrs, _files = _core.handler_names("TextHandler")

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        return _core.files_writer({self._files[0]: checkpointable.encode(errors="surrogatepass")})

    def read(self, item: Item, abstract: Any) -> str:
        try:
            return read_file(item, self._files).decode(errors="surrogatepass")
        except UnicodeDecodeError as error:
            raise CorruptError(f"no text in '{item.path}': {error}") from error

    def is_handleable(self, checkpointable: Any) -> bool:
        return type(checkpointable) is str


class BytesHandler(NativeHandler):
    """Bytes in a file of their own. For one name, as ``TextHandler``."""

    recorded_as, secondary_typestrs, _files = _core.handler_names("BytesHandler")

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        return _core.files_writer({self._files[0]: bytes(checkpointable)})

    def read(self, item: Item, abstract: Any) -> bytes:
        return read_file(item, self._files)

    def is_handleable(self, checkpointable: Any) -> bool:
        return type(checkpointable) in (bytes, bytearray, memoryview)


class ProtoHandler(NativeHandler):
    """A protocol buffer, as text like Orbax's; other objects with ``SerializeToString`` and ``FromString`` as their bytes.

    To load one, its class is asked for: ``{"config": MyMessage}``.
    """

    recorded_as, secondary_typestrs, _text_files = _core.handler_names("ProtoHandler")
    _file = "message.bin"

    def writer(self, checkpointable: Any) -> _core.ItemWriter:
        if _is_protobuf(type(checkpointable)):
            from google.protobuf import text_format

            return _core.files_writer({self._text_files[0]: text_format.MessageToString(checkpointable).encode()})
        return _core.files_writer({self._file: bytes(checkpointable.SerializeToString())})

    def read(self, item: Item, abstract: Any) -> Any:
        if abstract is None:
            raise InputTypeError("to load a protocol buffer its class must be asked for")
        cls = abstract if isinstance(abstract, type) else type(abstract)
        if not _is_protobuf(cls):
            return cls.FromString(read_file(item, (self._file,)))
        from google.protobuf import text_format

        return text_format.Parse(read_file(item, self._text_files, or_any=True), cls())

    def is_handleable(self, checkpointable: Any) -> bool:
        return not isinstance(checkpointable, type) and _is_message(type(checkpointable))

    def is_abstract_handleable(self, abstract_checkpointable: Any) -> bool | None:
        return _is_message(abstract_checkpointable if isinstance(abstract_checkpointable, type) else type(abstract_checkpointable))


def _is_protobuf(cls: type) -> bool:
    """Only whoever has such an object has imported the library."""
    library = sys.modules.get("google.protobuf.message")
    return library is not None and issubclass(cls, library.Message)


def _is_message(cls: type) -> bool:
    return _is_protobuf(cls) or (callable(getattr(cls, "SerializeToString", None)) and callable(getattr(cls, "FromString", None)))
