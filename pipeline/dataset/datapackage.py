"""The dataset as a Frictionless Data Package, so that other people's tools can read it and check it."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from pipeline.manifest import Manifest
from pipeline.record import Record, json_schema

DATAPACKAGE: Final = "datapackage.json"

_TYPES: Final = {"string": "string", "integer": "integer", "boolean": "boolean", "array": "array", "object": "object"}
_TABLES: Final = {
    "records.jsonl": "A record a line.",
    "tombstones.jsonl": "Errors that are gone, in their last form.",
    "samples.jsonl": "Messages as errors would print them, with the ids of their records.",
}
_PARQUET: Final = "records.parquet"


def datapackage(manifest: Manifest, files: Mapping[str, bytes]) -> dict[str, Any]:
    """The content of datapackage.json. files: the dataset's by name; what is no data or empty is left out."""
    name = re.sub("[^a-z0-9._-]+", "-", f"{manifest.repo}-errors".lower())
    return {
        "profile": "data-package",
        "name": name,
        "title": f"Errors of {manifest.repo} at {manifest.revision}",
        "description": "Every error that a repository's source raises at one revision, a record each; see README.md.",
        "version": manifest.revision,
        "created": manifest.datasetVersion,
        "keywords": ["python", "errors", "exceptions", manifest.repo.rpartition("/")[2].lower()],
        "licenses": [{"name": "Apache-2.0", "title": "Apache License 2.0; excerpts keep their repository's licence"}],
        "sources": [{"title": f"{manifest.repo} at {manifest.analyzedSha or manifest.revision}"}],
        "resources": [_resource(name, files[name]) for name in (*_TABLES, _PARQUET) if files.get(name)],
    }


def _resource(file: str, data: bytes) -> dict[str, Any]:
    stem, _, form = file.rpartition(".")
    resource = {
        "name": stem if file in _TABLES else f"{stem}-{form}",
        "path": file,
        "bytes": len(data),
        "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
    }
    if file == _PARQUET:
        # Frictionless Framework reads no lists out of Parquet; as a file its size and hash are checked.
        media = "application/vnd.apache.parquet"
        return {
            **resource,
            "description": "The records as a table.",
            "mediatype": media,
            "format": form,
            "type": "file",
        }
    return {
        **resource,
        "description": _TABLES[file],
        "profile": "tabular-data-resource",
        "format": "jsonl",
        "mediatype": "application/jsonl",
        "encoding": "utf-8",
        "schema": _sample_schema() if file == "samples.jsonl" else _record_schema(),
    }


def _record_schema() -> dict[str, Any]:
    schema = json_schema()
    fields = [_field(name, field, schema["$defs"]) for name, field in schema["properties"].items()]
    return {"fields": fields, "primaryKey": ["id"], "missingValues": []}


def _sample_schema() -> dict[str, Any]:
    fields = [{"name": name, "type": "string"} for name in ("id", "errorClass", "message")]
    return {"fields": fields, "missingValues": []}


def _field(name: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    kind = schema["anyOf"][0] if "anyOf" in schema else schema
    kind = definitions[kind["$ref"].rpartition("/")[2]] if "$ref" in kind else kind
    required = "anyOf" not in schema
    return {
        "name": name,
        "type": _TYPES[kind["type"]],
        "description": schema["description"],
        **({"constraints": {"required": True}} if required and name in Record.model_fields else {}),
    }
