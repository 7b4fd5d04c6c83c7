"""What holds for every answer: headers, methods, other sites, and that nothing long is repeated."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from visitors import bearing

from kibitz.web.access import new_token

ADDRESSES = ["/", "/operator", "/nothing", "/api/games", "/api/nothing", "/static/style.css", "/health", "/metrics"]


@pytest.mark.parametrize("path", ADDRESSES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "BREW"])
def test_every_answer_is_secured_and_readable_by_no_other_site(client, method, path):
    origin = {"origin": "http://elsewhere.example", "access-control-request-method": "POST"}
    headers = client.http.request(method, path, headers=origin).headers
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control")]
    assert "cache-control" in headers or path.startswith("/api/")


def test_a_name_that_is_not_the_servers_is_secured_too(client):
    answer = client.http.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 421
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/", "/api/games", "/static/style.css", "/health", "/nothing"])
def test_head_is_get_without_the_body(client, path):
    get, head = client.http.get(path), client.http.head(path)
    assert head.status_code == get.status_code
    assert head.headers["content-length"] == get.headers["content-length"]
    assert head.content == b""


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/", "GET, HEAD"),
        ("OPTIONS", "/api/games", "GET, HEAD"),
        ("GET", "/api/tables/x/seats", "POST"),
        ("HEAD", "/api/tables/x/seats", "POST"),
        ("DELETE", "/api/tables/x/record", "GET, HEAD"),
        ("PUT", "/api/operator", "GET, HEAD, POST, DELETE"),
        ("POST", "/static/style.css", "GET, HEAD"),
        ("POST", "/static/x/style.css", "GET, HEAD"),
        ("BREW", "/api/records", "GET, HEAD, POST"),
    ],
)
def test_a_method_that_is_not_there_is_answered_with_those_that_are(client, method, path, allowed):
    answer = client.http.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    if method != "HEAD":
        assert answer.json() == {"error": "Method Not Allowed"}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://elsewhere.example"},
        {"origin": "null"},
        {"origin": "http://[x"},
        {"origin": "http://testserver.elsewhere.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://testserver"},
        {"sec-fetch-site": "none"},
    ],
)
def test_a_socket_of_another_site_is_refused(client, headers):
    table = client.ready_table("nim", "you", "you")
    with (
        pytest.raises(WebSocketDisconnect),
        client.http.websocket_connect(f"/ws/{table['id']}", headers={**headers, **bearing(table["token"])}),
    ):
        pass


def test_a_cookie_counts_on_a_socket_only_if_the_browser_says_where_it_comes_from(client):
    table = client.ready_table("nim", "you", "you")
    cookie = {"cookie": f"kibitz={table['token']}"}
    for more, seats in (({}, []), ({"origin": "http://testserver", "sec-fetch-site": "same-origin"}, [0, 1])):
        with client.http.websocket_connect(f"/ws/{table['id']}", headers={**cookie, **more}) as session:
            assert session.receive_json()["you"] == seats


def test_who_follows_a_link_from_elsewhere_keeps_their_token(client):
    """SameSite=Lax: the cookie comes with such a request, and no new one replaces it."""
    assert "SameSite=lax" in TestClient(client.http.app).get("/").headers["set-cookie"]
    token = new_token()
    answer = client.http.get("/table/x", headers={"sec-fetch-site": "cross-site", "cookie": f"kibitz={token}"})
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/tables", {"x" * 10_000: 1}),
        ("/api/tables", {"game": "x" * 200, "seats": []}),
        ("/api/tables", {"game": "nim:heap=" + "9" * 180, "seats": [{"you": True}, {"you": True}]}),
        ("/api/tables", {"game": "nim", "seats": [{"you": True}, {"bot": "y" * 200}]}),
        ("/api/records", {"log": "z" * 200, "game": 1}),
    ],
)
def test_an_error_repeats_nothing_long_and_no_paths(client, path, body):
    answer = client.http.post(path, json=body)
    assert answer.status_code == 422
    assert len(answer.content) < 800
    assert ".py" not in answer.text


def test_an_error_at_a_table_names_no_paths_either(client):
    with client.playing("nim", "you", "open") as browser:
        browser.send("seat bot", seat=1, bot="nosuch")
        error = browser.error()
    assert error.startswith("There is no bot for nim called 'nosuch'.")
    assert ".py" not in error
