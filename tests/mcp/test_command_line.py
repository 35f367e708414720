"""From which word of a command line on arguments are data: known for ordinary ones, and never guessed."""

import pytest

from bottega.mcp.entry.command_line import data_begins

ORDINARY = (
    "mcp-server-time |",
    "mcp-server-git | --repository {folder}",
    "/opt/server/bin/server | {folder} --flag",
    "npx -y @modelcontextprotocol/server-filesystem | {folder}",
    "npx --yes --package=@x/y server | {folder}",
    "npx -p @x/y server | {folder}",
    "npm exec -- @x/y | {folder}",
    "pnpm dlx @x/y | {folder}",
    "bunx @x/y | {folder}",
    "bun run /opt/server.ts | {folder}",
    "uvx mcp-server-git | --repository {folder}",
    "uvx --from git+https://example.com/x server | {folder}",
    "uvx --python 3.12 mcp-server-git@latest | {folder}",
    "uv run --directory /opt/server server | {folder}",
    "uv --directory /opt/server run server.py | {folder}",
    "uv tool run mcp-server-git | {folder}",
    "uv run --with mcp python /opt/server.py | {folder}",
    "pipx run mcp-server-git | {folder}",
    "python3 -m mcp_server_git | --repository {folder}",
    "python3.12 -I -u /opt/server.py | {folder}",
    "python -W ignore -X utf8 -m server | {folder}",
    "python3 -Im server | {folder}",
    "node /opt/server/dist/index.js | stdio",
    "node --no-warnings --enable-source-maps /opt/x.js | {folder}",
    "node --import /opt/hook.js /opt/x.js | {folder}",
    "deno run -A --allow-net=example.com /opt/x.ts | {folder}",
    "java -Xmx1g -jar /opt/x.jar | {folder}",
    "sh /opt/server.sh | {folder}",
    "ruby /opt/server.rb | {folder}",
)
UNKNOWN = (
    "sh -c server",
    "bash -lc server",
    "python3 -c pass",
    "python3 -",
    "python3",
    "node -e 1",
    "node --strange x /opt/x.js",
    "npx -c server",
    "npx python3 -c pass",
    "uvx env server",
    "uv sync",
    "npm start",
    "deno eval 1",
    "env A=1 server",
    "nice server",
    "make serve",
    "/lib64/ld-linux-x86-64.so.2 /opt/server",
)


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_command_lines_are_understood(line: str) -> None:
    code, _, data = line.partition("|")
    words = code.split()

    assert data_begins([*words, *data.split()]) == len(words)


@pytest.mark.parametrize("line", UNKNOWN)
def test_what_is_run_is_never_guessed(line: str) -> None:
    assert data_begins(line.split()) is None
