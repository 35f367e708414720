"""Takes pictures of the studio as it is: a real server, a scripted model, a real browser.

    python web/tools/see.py OUT [--script FILE.json] [--do STEPS.py]

Without steps it takes the first view in light, dark and 390 px wide. STEPS.py has `async def steps(visit, shot)`: it
opens pages with `await visit.page(path, **options)` and takes pictures with `await shot(page, "name")`.
"""

import argparse
import asyncio
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

from playwright.async_api import Page, async_playwright  # noqa: E402
from tests.server.serving import Serving  # noqa: E402
from tests.studio.conftest import CHROMIUM, Visit  # noqa: E402


async def views(visit: Visit, shot: Any) -> None:
    await shot(await visit.page(), "light")
    await shot(await visit.page(color_scheme="dark"), "dark")
    await shot(await visit.page(viewport={"width": 390, "height": 844}), "narrow")


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--script", default="")
    parser.add_argument("--do", type=Path)
    wanted = parser.parse_args()
    wanted.out.mkdir(parents=True, exist_ok=True)
    steps = runpy.run_path(str(wanted.do))["steps"] if wanted.do else views

    async def shot(page: Page, name: str) -> None:
        await page.wait_for_timeout(400)
        await page.screenshot(path=wanted.out / f"{name}.png")
        print(wanted.out / f"{name}.png")

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "project")
        folder.mkdir()
        (folder / "notes.txt").write_text("hello world\n")
        model: dict[str, str] = {}
        if wanted.script:
            played = Path(wanted.script).absolute()
            model = {"BOTTEGA_MODEL": f"scripted/{played}", "BOTTEGA_SCRIPTS": str(played.parent)}
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            with Serving(Path(place, "home"), folder, environment=model) as serving:
                visit = Visit(serving, browser)
                await steps(visit, shot)
                await visit.close()
            await browser.close()
    for problem in [*visit.problems, *visit.foreign]:
        print("!", problem)


# Servers are begun by a process of their own, which reads this file too.
if __name__ == "__main__":
    asyncio.run(main())
