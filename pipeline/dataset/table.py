"""The records as a Parquet table, with the types of the record's JSON Schema."""

from typing import TYPE_CHECKING, Any

from pipeline.record import json_schema

if TYPE_CHECKING:
    import pyarrow as pa


def parquet(lines: bytes) -> bytes:
    """The Parquet file of records given as JSON lines: same rows, same order, zstd."""
    import pyarrow as pa
    import pyarrow.json
    import pyarrow.parquet

    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(_table(lines), sink, compression="zstd")
    return bytes(sink.getvalue())


def _table(lines: bytes) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.json

    schema = arrow_schema()
    if not lines:
        return schema.empty_table()
    return pyarrow.json.read_json(
        pa.BufferReader(lines),
        read_options=pyarrow.json.ReadOptions(block_size=len(lines) + 1),  # a record must not straddle two blocks
        parse_options=pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
    )


def arrow_schema() -> "pa.Schema":
    """The table's columns, in the record's order."""
    import pyarrow as pa

    schema = json_schema()
    return pa.schema([(name, _arrow_type(field, schema["$defs"])) for name, field in schema["properties"].items()])


def _arrow_type(schema: dict[str, Any], definitions: dict[str, Any]) -> "pa.DataType":
    import pyarrow as pa

    if "$ref" in schema:
        return _arrow_type(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:  # X or null; every column may be null
        return _arrow_type(schema["anyOf"][0], definitions)
    match schema["type"]:
        case "object":
            fields = schema["properties"].items()
            return pa.struct([(name, _arrow_type(field, definitions)) for name, field in fields])
        case "array":
            return pa.list_(_arrow_type(schema["items"], definitions))
        case simple:
            return {"string": pa.string(), "integer": pa.int64(), "boolean": pa.bool_()}[simple]
