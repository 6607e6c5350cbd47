"""The server against its own description, by schemathesis: what it sends is what is described, whatever it is sent."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from conftest import make_run, three_records
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import BaseSchema
from serving import Server, serving

from pipeline import dataset

GONE = three_records()[2].model_copy(update={"id": "00000000000000cc", "aliases": ("00000000000000dd",)})
IDS = [record.id for record in three_records()] + [GONE.id, *GONE.aliases, "ffffffffffffffff"]
PATHS = {"/api/errors": "GET", "/api/errors/{id}": "GET", "/api/match": "POST", "/healthz": "GET"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    scratch = tmp_path_factory.mktemp("scratch")
    folder = dataset.write(scratch / "out", three_records(), make_run(3), [GONE])
    with serving(folder, scratch) as running:
        yield running
    assert running.said == []


@pytest.fixture(scope="module")
def described(server: Server) -> BaseSchema:
    return schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")


def test_all_that_is_described_is_tried(described: BaseSchema) -> None:
    operations = [found.ok() for found in described.get_all_operations() if isinstance(found, Ok)]
    assert {operation.path: operation.method.upper() for operation in operations} == PATHS


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        (path, mode)
        for path in PATHS
        for mode in GenerationMode
        if (path, mode) != ("/healthz", GenerationMode.NEGATIVE)
    ],
)
def test_it_does_what_it_says(described: BaseSchema, path: str, mode: GenerationMode) -> None:
    operation = described[path][PATHS[path]]

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    @given(operation.as_strategy(generation_mode=mode))
    def run(case: Case[Any]) -> None:
        case.call_and_validate()

    run()


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(IDS), st.sampled_from([None, 2, 3]))
def test_every_kind_of_id(described: BaseSchema, identifier: str, version: int | None) -> None:
    query = {"schemaVersion": version} if version else {}
    case = described["/api/errors/{id}"]["GET"].Case(path_parameters={"id": identifier}, query=query)
    case.call_and_validate()
