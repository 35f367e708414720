"""Blocks that name a file become files; everything else is only shown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.agents.reading.file_names import is_path
from bottega.agents.reading.files import FILE_FORM, File, Files, files
from tests.agents.reading.compose import cut
from tests.agents.reading.corpus.case import READ, fence
from tests.hunt import examples

NAMED = {
    "behind the language": ("```html index.html\nx\n```\n", "index.html", "x\n"),
    "a title": ('```js title="src/app.js"\nx\n```\n', "src/app.js", "x\n"),
    "a title in single quotes": ("```js title='src/app.js'\nx\n```\n", "src/app.js", "x\n"),
    "a file name with a key": ("```css filename=style.css\nx\n```\n", "style.css", "x\n"),
    "a key in braces": ('```js {1,3} file="a.js"\nx\n```\n', "a.js", "x\n"),
    "behind a colon": ("```python:src/app.py\nx\n```\n", "src/app.py", "x\n"),
    "instead of the language": ("```src/app.py\nx\n```\n", "src/app.py", "x\n"),
    "in parentheses": ("```ts (src/a.ts)\nx\n```\n", "src/a.ts", "x\n"),
    "a shell script that is named": ("```bash run.sh\nx\n```\n", "run.sh", "x\n"),
    "a name without an ending": ("```Dockerfile\nFROM x\n```\n", "Dockerfile", "FROM x\n"),
    "a hidden file": ("```text .gitignore\nx\n```\n", ".gitignore", "x\n"),
    "a slash comment": ("```js\n// src/app.js\nx\n```\n", "src/app.js", "// src/app.js\nx\n"),
    "a hash comment": ("```python\n# app.py\nx\n```\n", "app.py", "# app.py\nx\n"),
    "an HTML comment": (
        "```html\n<!-- index.html -->\nx\n```\n",
        "index.html",
        "<!-- index.html -->\nx\n",
    ),
    "a CSS comment": ("```css\n/* style.css */\nx\n```\n", "style.css", "/* style.css */\nx\n"),
    "an SQL comment": ("```sql\n-- x.sql\nx\n```\n", "x.sql", "-- x.sql\nx\n"),
    "a comment with a word": ("```js\n// File: a/b.js\nx\n```\n", "a/b.js", "// File: a/b.js\nx\n"),
    "bold before it": ("**index.html**\n```html\nx\n```\n", "index.html", "x\n"),
    "bold with a colon": ("**index.html:**\n```html\nx\n```\n", "index.html", "x\n"),
    "a heading before it": ("### src/app.js\n```js\nx\n```\n", "src/app.js", "x\n"),
    "a heading with backticks": ("## `src/app.js`\n```js\nx\n```\n", "src/app.js", "x\n"),
    "a numbered heading": ("1. `a.js`\n```js\nx\n```\n", "a.js", "x\n"),
    "backticks before it": ("`src/app.js`:\n```js\nx\n```\n", "src/app.js", "x\n"),
    "a word and backticks": ("File: `x.py`\n```python\nx\n```\n", "x.py", "x\n"),
    "a bold word": ("**File:** `x.py`\n```python\nx\n```\n", "x.py", "x\n"),
    "tildes around it": ("~~~html index.html\nx\n~~~\n", "index.html", "x\n"),
    "windows line ends": ("```html index.html\r\nx\r\n```\r\n", "index.html", "x\r\n"),
    "in a list": ("- here:\n  ```js a.js\n  x\n    y\n  ```\n", "a.js", "x\n  y\n"),
    "empty lines": ("```js a.js\n\n\nx\n\n```\n", "a.js", "\n\nx\n\n"),
    "nothing in it": ("```js a.js\n```\n", "a.js", ""),
    "fences in a longer fence": (
        "````md README.md\n# T\n```sh\nmake\n```\n````\n",
        "README.md",
        "# T\n```sh\nmake\n```\n",
    ),
    "fences of the same length in markdown": (
        "```md README.md\n# T\n```sh\nmake\n```\nend\n```\n",
        "README.md",
        "# T\n```sh\nmake\n```\nend\n",
    ),
    "a signal and a call in it": (
        f"````md notes.md\nTASK_COMPLETE\n{fence()}````\n",
        "notes.md",
        f"TASK_COMPLETE\n{fence()}",
    ),
    "a path with umlauts and brackets": (
        "```ts app/[id]/größe.ts\nx\n```\n",
        "app/[id]/größe.ts",
        "x\n",
    ),
    "a path that leads away": (
        "```text ../../etc/passwd.txt\nx\n```\n",
        "../../etc/passwd.txt",
        "x\n",
    ),
    "an absolute path": ("```text /etc/hosts.txt\nx\n```\n", "/etc/hosts.txt", "x\n"),
}


@pytest.mark.parametrize("words", NAMED)
def test_a_block_that_names_a_file_is_that_file(words: str) -> None:
    text, path, content = NAMED[words]
    assert files(text) == (File(path, content),)
    assert files(f"Here it is.\n\n{text}\nDone.\n") == (File(path, content),)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "```js\nlet a\n```\n",
        "```\nindex.html\n```\n",
        "```bash\nnpm i\n```\n",
        "```bash\n# setup.sh\nnpm i\n```\n",
        "```console\n$ cat a.py\n```\n",
        "Run this:\n```sh\n# x.sh\n./x.sh\n```\n",
        "**a.py**\n```diff\n-x\n+y\n```\n",
        "I changed index.html and\n```html\nx\n```\n",
        "The file index.html is\n```html\nx\n```\n",
        "index.html\n```html\nx\n```\n",
        "**index.html**\n\nSome words.\n```html\nx\n```\n",
        "```js https://x.y/a.js\nx\n```\n",
        "```js\n// https://x.y/a.js\nx\n```\n",
        "```js\n// ... app.js\nx\n```\n",
        "```js\n// ...\nx\n```\n",
        "```js\n// set up app.js\nx\n```\n",
        "```python\n# TODO\nx\n```\n",
        "```python\n#!/usr/bin/env python3.py x\n```\n",
        "```json\n{}\n```\n",
        "```node.js\nx\n```\n",
        "```c++\nx\n```\n",
        "```html *.html\nx\n```\n",
        "```js src/\nx\n```\n",
        "```js {1,3-5}\nx\n```\n",
        '```js title="two words.js"\nx\n```\n',
        "```tool_call\n" + READ + "\n```\n",
        "> ```html index.html\n> x\n> ```\n",
        "<!--\n```html index.html\nx\n```\n-->\n",
        "````\n```html index.html\nx\n```\n````\n",
        "    ```html index.html\n    x\n    ```\n",
        "`index.html` is `x`.",
    ],
)
def test_what_names_no_file_is_only_shown(text: str) -> None:
    assert files(text) == ()


@pytest.mark.parametrize(
    "name", ["a.py", "src/a.test.ts", ".env", "Makefile", "a/b/LICENSE", "x-1_y.tar.gz", "./a.py"]
)
def test_a_path_is_known(name: str) -> None:
    assert is_path(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "bash",
        "js",
        "a b.py",
        "http://x.y/z.js",
        "...",
        "a/...",
        "src/",
        "*.py",
        "{a}.py",
        "1.5",
        "e.g.",
        "a.py,",
        "a" * 400 + ".py",
    ],
)
def test_what_is_no_path_is_known(name: str) -> None:
    assert not is_path(name)


def test_a_later_block_replaces_an_earlier_one_in_its_place() -> None:
    text = "```js a.js\n1\n```\n```js b.js\n2\n```\n```js a.js\n3\n```\n"
    assert files(text) == (File("a.js", "3\n"), File("b.js", "2\n"))


def test_a_block_that_was_not_closed_is_not_complete() -> None:
    assert files("```html index.html\n<p>\nhal") == (
        File("index.html", "<p>\nhal", complete=False),
    )
    assert files("```html\nno name") == ()


def test_what_was_cut_off_does_not_replace_what_is_whole() -> None:
    assert files("```js a.js\n1\n```\n```js a.js\n2") == (File("a.js", "1\n"),)


def test_a_file_is_ready_as_soon_as_its_fence_closes() -> None:
    reader = Files()
    assert reader.feed("Hi\n```html index.html\n<p>\n``") == []
    assert reader.feed("`\n") == [File("index.html", "<p>\n")]
    assert reader.feed("```js a.js\nx\n```\n```css b.css\n") == [File("a.js", "x\n")]
    assert reader.feed("y\n```") == []
    assert reader.rest() == [File("b.css", "y\n")]
    assert reader.rest() == []


PIECES = st.lists(
    st.sampled_from([text for text, _, _ in NAMED.values()] + ["words\n", "```\n", "\n"]),
    max_size=6,
)


@pytest.mark.fuzz
@given(st.data())
@settings(max_examples=examples(80, 20_000), deadline=None, database=None)
def test_files_are_the_same_however_the_answer_comes(drawn: st.DataObject) -> None:
    text = "".join(drawn.draw(PIECES))
    reader = Files()
    ready = [file for piece in drawn.draw(cut(text)) for file in reader.feed(piece)]
    ready += reader.rest()
    whole = Files()
    assert ready == [*whole.feed(text), *whole.rest()]


def test_the_form_that_the_model_is_told_is_a_file() -> None:
    assert files(FILE_FORM) == (File("index.html", "<!doctype html>\n"),)
