"""The server answers as /openapi.json says, whatever is sent: valid requests, and those that violate its schemas."""

import os

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from real_servers import listening
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from kibitz.web.access import new_token

EXAMPLES = 500 if os.environ.get("KIBITZ_SOAK") else 8
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
)


@pytest.fixture(scope="module")
def api():
    """The description of a server that listens."""
    with listening(secret=new_token()) as server:
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")


RUNS = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("mode", GenerationMode, ids=lambda mode: mode.value)
def test_every_answer_is_as_described(api, mode):
    for found in api.get_all_operations():
        try:
            strategy = found.ok().as_strategy(generation_mode=mode)

            @RUNS
            @given(strategy)
            def check(case):
                case.validate_response(case.call(), checks=CHECKS)

            check()
        except Unsatisfiable:
            assert mode is GenerationMode.NEGATIVE  # where nothing can be wrong


def test_every_endpoint_says_what_it_answers(client):
    """A model for what it answers, what each error means, and what a body consists of."""
    for path, operations in client.http.app.openapi()["paths"].items():
        for method, operation in operations.items():
            where, answers = f"{method} {path}", operation["responses"]
            assert operation["description"], where
            assert "421" in answers, where
            if path != "/metrics":
                assert all(content["schema"] != {} for content in answers["200"]["content"].values()), where
            if method == "post" and not path.endswith(("/stop", "/resume")):
                assert operation["requestBody"]["content"]["application/json"]["schema"], where
            for status, answer in answers.items():
                assert status == "200" or answer["content"]["application/json"]["schema"], where
                assert status not in ("429", "503") or "Retry-After" in answer["headers"], where


@pytest.mark.parametrize("game", ["nim", "camelup", "ur", "connect_four"])
def test_games_bots_and_rules_are_as_described(client, game):
    from kibitz.web.answers import BotsAnswer, GamesAnswer, RulesAnswer

    GamesAnswer.model_validate(client.http.get("/api/games").json(), strict=True)
    BotsAnswer.model_validate(client.http.get(f"/api/games/{game}/bots").json(), strict=True)
    RulesAnswer.model_validate(client.http.get(f"/api/games/{game}/rules").json(), strict=True)


def test_a_record_is_as_described(client):
    from kibitz.web.answers import RecordAnswer

    with client.playing("nim:heap=5", "you", "you") as browser:
        browser.play_on()
        answer = client.http.get(f"/api/tables/{browser.id}/record")
        RecordAnswer.model_validate(answer.json(), strict=True)
        again = client.http.post("/api/records", json=answer.json())
        assert again.status_code == 200
