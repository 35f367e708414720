"""All that is stored of a person, taken along and deleted."""

import io
import zipfile

import msgspec

from tests.server.api.using import Api, begun, prompted, ran, until
from tests.server.serving import Client

KEY = "sk-canary-0123456789abcdef-kept"


async def taken(client: Client) -> zipfile.ZipFile:
    async with client.session.get("/api/data") as response:
        assert response.status == 200
        assert response.content_type == "application/zip"
        assert response.headers["Content-Disposition"].startswith("attachment")
        return zipfile.ZipFile(io.BytesIO(await response.read()))


async def test_everything_of_mine_and_nothing_else_goes_into_the_zip(own: Api) -> None:
    async with own.client() as host, own.client("ada") as ada:
        await host.call("PUT", "/api/keys/openai", {"key": KEY})
        first, second = await begun(host, title="first"), await begun(host)
        await ran(host, first, "hello heliotrope")
        await ran(host, second, "many")
        found = await taken(host)
        assert found.testzip() is None
        assert set(found.namelist()) == {
            *("me.json", "projects.json", "settings.json"),
            *(f"sessions/{each}.jsonl" for each in (first, second)),
        }
        async with host.session.get(f"/api/sessions/{first}/export") as response:
            exported = await response.text()
        assert found.read(f"sessions/{first}.jsonl").decode() == exported
        assert "heliotrope" in exported
        everything = b"".join(found.read(name) for name in found.namelist())
        assert b"canary" not in everything
        assert msgspec.json.decode(found.read("settings.json"))["mode"] == "ask"
        assert (await taken(ada)).namelist() == ["me.json", "projects.json"]


async def test_all_my_sessions_are_deleted_once_i_give_my_name_and_nothing_runs(own: Api) -> None:
    async with own.client() as host:
        me = (await host.get("/api/me"))["name"]
        session = await begun(host)
        prompt = await prompted(host, session, "gate-a")
        await until(host, session, "text_delta", prompt)
        for confirm, expected in {"": 422, "yes": 422, me: 409}.items():
            status, _ = await host.call("DELETE", "/api/data", {"confirm": confirm})
            assert status == expected, confirm
        own.open("gate-a")
        await until(host, session, "exchange_response", prompt)
        await begun(host)
        assert len((await host.get("/api/sessions"))["sessions"]) == 2
        status, told = await host.call("DELETE", "/api/data", {"confirm": me})
        assert (status, told) == (200, {"sessions": 2})
        assert (await host.get("/api/sessions"))["sessions"] == []
        assert (await host.get("/api/search", params={"q": "gate"}))["hits"] == []
        assert (await host.get("/api/projects"))["projects"] != []
