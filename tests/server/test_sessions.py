"""Sessions over HTTP."""

import aiohttp

from tests.server.serving import Serving


async def test_a_fresh_home_has_no_sessions(serving: Serving) -> None:
    async with serving.client() as client:
        assert await client.get("/api/sessions") == {"sessions": [], "next": ""}


async def test_who_is_not_signed_in_learns_nothing_and_how_to_sign_in(serving: Serving) -> None:
    for token, hint in (("no-such-token", "people token NAME"), ("", "sign-in link")):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        async with (
            aiohttp.ClientSession(headers=headers) as anybody,
            anybody.get(f"{serving.address}/api/sessions") as answer,
        ):
            problem = await answer.json(content_type=None)
        assert answer.status == 401
        assert problem["code"] == "not_signed_in"
        assert hint in problem["hint"]
