"""For those who run the server: whether it works, what it measures, and who its operator is."""

from __future__ import annotations

import asyncio
import contextlib
import time

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException

from kibitz.version import VERSION
from kibitz.web import assets
from kibitz.web.access import visitor_with
from kibitz.web.answers import HealthAnswer, OperatorAnswer, ReadinessAnswer
from kibitz.web.listening import is_loopback
from kibitz.web.messages import OperatorRequest
from kibitz.web.openapi import errors, takes
from kibitz.web.requests import address, read
from kibitz.web.server import Server
from kibitz.web.tokens import forget_operator, remember_operator

STORE_SECONDS = 5.0  # to wait for the store
FRESH_SECONDS = 1.0  # for which what is known of the store is not asked again
RETRY_SECONDS = 5


def routes(server: Server) -> APIRouter:
    router = APIRouter()
    store = StoreCheck(server)

    @router.get("/health", responses=errors())
    async def health() -> HealthAnswer:
        """Whether the server is running."""
        return HealthAnswer(status="running", version=VERSION)

    @router.get("/health/ready", response_model=ReadinessAnswer, responses={**errors(), 503: _not_ready()})
    async def ready() -> Response:
        """Whether the server can do its work: tables can be loaded and saved."""
        is_reachable = await store.is_reachable()
        answer = ReadinessAnswer(
            ready=is_reachable,
            store="reachable" if is_reachable else "unreachable",
            not_compiled=await asyncio.to_thread(server.not_compiled),
        )
        later = {} if is_reachable else {"Retry-After": str(RETRY_SECONDS)}
        return JSONResponse(answer.model_dump(), 200 if is_reachable else 503, later)

    @router.get("/metrics", response_class=Response, responses={**errors(403), 200: {"content": {"text/plain": {}}}})
    async def metrics(request: Request) -> Response:
        """What the server measures of itself, for Prometheus; only for this machine, and for the operator."""
        if not is_loopback(address(request)) and not server.is_operator(request):
            raise HTTPException(403, "Only the operator of this server may read its metrics.")
        return Response(server.metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    @router.get("/operator", include_in_schema=False)
    async def page() -> Response:
        return HTMLResponse(assets.page("operator.html"))

    @router.get("/api/operator", responses=errors())
    async def who(request: Request) -> OperatorAnswer:
        """Whether you are the operator."""
        return OperatorAnswer(operator=server.is_operator(request))

    @router.post("/api/operator", responses=errors(403, 422, 429), openapi_extra=takes(OperatorRequest))
    async def sign_in(request: Request, response: Response) -> OperatorAnswer:
        """Have this browser remember the operator's secret, in a cookie that scripts cannot read."""
        server.questions.take(address(request))
        secret = (await read(OperatorRequest, request)).secret
        if not server.is_secret(visitor_with(secret)):
            raise HTTPException(403, "This is not the secret of this server's operator.")
        remember_operator(request, response, secret)
        return OperatorAnswer(operator=True)

    @router.delete("/api/operator", responses=errors())
    async def sign_out(response: Response) -> OperatorAnswer:
        """Have this browser forget the secret."""
        forget_operator(response)
        return OperatorAnswer(operator=False)

    return router


def _not_ready() -> dict[str, object]:
    return {**errors(503)[503], "model": ReadinessAnswer}


class StoreCheck:
    """Whether the store can be reached; asked at most once in a while, however often somebody wants to know."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._asked = -FRESH_SECONDS
        self._is_reachable = False
        self._one_at_a_time = asyncio.Lock()

    async def is_reachable(self) -> bool:
        async with self._one_at_a_time:
            if time.monotonic() - self._asked >= FRESH_SECONDS:
                self._is_reachable = False
                with contextlib.suppress(Exception):  # whatever it is, it is not reachable
                    await asyncio.wait_for(self._server.store.load_time(), STORE_SECONDS)
                    self._is_reachable = True
                self._asked = time.monotonic()
            return self._is_reachable
