"""Sessions over HTTP."""

from tests.server.serving import Serving


async def test_a_fresh_home_has_no_sessions(serving: Serving) -> None:
    async with serving.client() as client:
        assert await client.get("/api/sessions") == {"sessions": [], "next": ""}


async def test_who_is_not_signed_in_learns_nothing_and_how_to_sign_in(serving: Serving) -> None:
    async with serving.client("no-such-token") as client:
        status, problem = await client.call("GET", "/api/sessions")
    assert status == 401
    assert problem["code"] == "not_signed_in"
    assert "sign-in link" in problem["hint"]
