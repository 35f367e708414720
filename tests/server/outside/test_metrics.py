"""Figures for Prometheus, and who may read them."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from bottega.errors import Misconfigured
from bottega.server.outside.counts import Counts, Times
from bottega.server.outside.metrics import metrics_token
from bottega.settings import load
from tests.server.outside.beside import run_beside
from tests.server.serving import Client, Serving

TOKEN = "metrics-canary-0123456789"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    place = tmp_path_factory.mktemp("metrics")
    (place / "project").mkdir()
    environment = {"BOTTEGA_METRICS_TOKEN": TOKEN}
    with Serving(place / "home", place / "project", environment=environment) as server:
        yield server


@pytest.fixture(scope="module")
def tokens(shared: Serving) -> dict[str, str]:
    return {name: shared.token(name) for name in ("host", "ada")}


async def figures(client: Client) -> dict[str, float]:
    """Every sample by its name and labels."""
    status, text = await client.call("GET", "/metrics")
    assert status == 200
    return {
        f"{sample.name}{sorted(sample.labels.items())}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_the_host_and_who_has_the_token_may_read_them_and_nobody_else(
    shared: Serving, tokens: dict[str, str]
) -> None:
    for token, expected in (
        (tokens["host"], 200),
        (TOKEN, 200),
        (tokens["ada"], 403),
        (TOKEN[:-1], 401),
        ("nobody", 401),
    ):
        async with shared.client(token) as client:
            assert (await client.call("GET", "/metrics"))[0] == expected
    async with shared.client(TOKEN) as client:
        assert (await client.call("GET", "/api/sessions"))[0] == 401, "it opens nothing else"


async def test_requests_are_counted_by_template_and_status_and_by_nothing_of_a_clients_own(
    shared: Serving, tokens: dict[str, str]
) -> None:
    async with shared.client(tokens["host"]) as client:
        for n in range(30):
            await client.call("GET", f"/api/agents/canary-{n}?canary={n}")
            await client.call("GET", f"/canary/{n}")
            await client.call(f"CANARY{n}", "/healthz")
        seen = await figures(client)
        _, text = await client.call("GET", "/metrics")

    by_template = "bottega_requests_total[('method', 'GET'), ('route', '/api/agents/{slug}'), ('status', '404')]"
    assert seen[by_template] == 30
    assert (
        seen["bottega_requests_total[('method', 'GET'), ('route', '(none)'), ('status', '404')]"]
        >= 30
    )
    odd = [name for name in seen if "('method', 'other')" in name and "_total" in name]
    assert len(odd) == 1
    buckets = "bottega_request_seconds_bucket[('le', '+Inf'), ('method', 'GET'), ('route', '/api/agents/{slug}')]"
    assert seen[buckets] == 30
    assert "canary" not in text.lower()
    for token in tokens.values():
        assert token not in text


async def test_what_happens_in_the_home_is_counted(shared: Serving, tokens: dict[str, str]) -> None:
    async with shared.client(tokens["host"]) as client:
        before = await figures(client)
        assert await run_beside(shared.home, shared.folder, "guide", "hello canary") == 0
        async with asyncio.timeout(10):
            while (seen := await figures(client))["bottega_events_total[]"] <= before[
                "bottega_events_total[]"
            ]:
                await asyncio.sleep(0.05)
        _, text = await client.call("GET", "/metrics")
    assert seen["bottega_commit_seconds_count[]"] > 0
    assert seen["bottega_process_resident_memory_bytes[]"] > 1_000_000
    for name in (
        "bottega_exchanges[('state', 'running')]",
        "bottega_exchanges[('state', 'queued')]",
        "bottega_exchanges[('state', 'waiting')]",
        "bottega_open_sockets[]",
        "bottega_tabs[]",
        "bottega_followers[]",
        "bottega_worker_restarts_total[]",
        "bottega_loop_stalls_total[]",
        "bottega_log_lines_dropped_total[]",
    ):
        assert seen[name] >= 0
    assert seen["bottega_open_requests[]"] == 1
    assert seen["bottega_loop_stall_max_seconds[]"] < 30
    assert "canary" not in text
    assert "ses_" not in text


def test_a_token_that_could_be_guessed_keeps_the_server_from_starting(home: Path) -> None:
    def given(token: str) -> str:
        return metrics_token(load(home=home, environment={"BOTTEGA_METRICS_TOKEN": token}))

    with pytest.raises(Misconfigured, match="BOTTEGA_METRICS_TOKEN is too short") as refused:
        given("short-canary")
    assert "canary" not in str(refused.value)
    assert given("") == ""
    assert given(f" {TOKEN}\n") == TOKEN


def test_a_time_falls_into_the_bucket_that_holds_it() -> None:
    times = Times()
    for seconds in (0.001, 0.0011, 99.0):
        times.note(seconds)
    assert times.buckets()[0] == ("0.001", 1)
    assert times.buckets()[1] == ("0.0025", 2)
    assert times.buckets()[-2:] == [("10.0", 2), ("+Inf", 3)]


def test_a_method_that_nobody_knows_makes_no_label_of_its_own() -> None:
    counts = Counts()
    for n in range(100):
        counts.answered(f"X{n}", "/healthz", 405, 0.0)
    assert len(counts.answers) == len(counts.latency) == 1
