"""Calls in the three documented forms, in all kinds of company: every one has to be found."""

import json

from tests.agents.reading.corpus.case import A_PY, GONE, READ, RM, call, fence, runs, tag

LIST = call("list_files")
BIG = {"path": "big.txt", "content": "line\n" * 20_000}

FENCES = {
    "alone": runs(fence(), "", A_PY),
    "without the last newline": runs(fence().rstrip(), "", A_PY),
    "after a sentence": runs(f"I will read it.\n\n{fence()}", "I will read it.", A_PY),
    "right under a sentence": runs(f"I will read it.\n{fence()}", "I will read it.", A_PY),
    "under a colon": runs(f"Reading the file:\n{fence()}", "Reading the file:", A_PY),
    "between two paragraphs": runs(f"First.\n\n{fence()}\nThen.\n", "First.\n\nThen.\n", A_PY),
    "between two lines": runs(f"First.\n{fence()}Then.\n", "First.\nThen.\n", A_PY),
    "with blank lines around": runs(f"One.\n\n\n\n{fence()}\n\n\nTwo.", "One.\n\nTwo.", A_PY),
    "at the very begin": runs(f"{fence()}\nNow I wait.", "Now I wait.", A_PY),
    "capitals": runs(fence(word="TOOL_CALL"), "", A_PY),
    "mixed case": runs(fence(word="Tool_Call"), "", A_PY),
    "a blank before the word": runs(fence(word=" tool_call"), "", A_PY),
    "blanks behind the word": runs(fence(word="tool_call  "), "", A_PY),
    "tildes": runs(fence(mark="~~~"), "", A_PY),
    "four backticks": runs(fence(mark="````"), "", A_PY),
    "ten tildes": runs(fence(mark="~" * 10), "", A_PY),
    "a longer closing fence": runs(f"```tool_call\n{READ}\n``````\n", "", A_PY),
    "blanks behind the closing fence": runs(f"```tool_call\n{READ}\n```   \n", "", A_PY),
    "one blank of indentation": runs(f" ```tool_call\n {READ}\n ```\n", "", A_PY),
    "three blanks of indentation": runs(f"   ```tool_call\n   {READ}\n   ```\n", "", A_PY),
    "windows line ends": runs(f"Hi.\r\n\r\n```tool_call\r\n{READ}\r\n```\r\n", "Hi.", A_PY),
    "windows line ends in between": runs(
        f"Hi.\r\n\r\n```tool_call\r\n{READ}\r\n```\r\n\r\nBye.\r\n", "Hi.\r\n\r\nBye.\r\n", A_PY
    ),
    "pretty JSON": runs(fence(json.dumps(json.loads(READ), indent=2)), "", A_PY),
    "JSON with tabs": runs(fence(json.dumps(json.loads(READ), indent="\t")), "", A_PY),
    "empty lines around the JSON": runs(fence(f"\n\n{READ}\n\n"), "", A_PY),
    "arguments first": runs(
        fence('{"arguments": {"path": "a.py"}, "name": "read_file"}'), "", A_PY
    ),
    "with an id": runs(fence('{"id": "x1", "name": "list_files", "arguments": {}}'), "", LIST),
    "no arguments": runs(fence('{"name": "list_files", "arguments": {}}'), "", LIST),
    "one call in a list": runs(fence(f"[{READ}]"), "", A_PY),
    "two calls in a list": runs(fence(f"[{READ}, {RM}]"), "", A_PY, GONE),
    "two fences": runs(fence() + fence(RM), "", A_PY, GONE),
    "two fences with words between": runs(
        f"A\n{fence()}B\n{fence(RM)}C\n", "A\nB\nC\n", A_PY, GONE
    ),
    "twenty fences": runs(fence() * 20, "", *[A_PY] * 20),
    "a hundred in a list": runs(fence(f"[{','.join([READ] * 100)}]"), "", *[A_PY] * 100),
    "umlauts and emoji": runs(
        fence('{"name": "say", "arguments": {"text": "Grüße 👋 — “schön”"}}'),
        "",
        call("say", text="Grüße 👋 — “schön”"),
    ),
    "escaped characters": runs(
        fence(r'{"name": "say", "arguments": {"text": "\u00e9\n\t\"x\" \\ \/ \ud83d\ude00"}}'),
        "",
        call("say", text='é\n\t"x" \\ / 😀'),
    ),
    "a fence inside the arguments": runs(
        fence(r'{"name": "write", "arguments": {"text": "```js\nlet a\n```\n"}}'),
        "",
        call("write", text="```js\nlet a\n```\n"),
    ),
    "a call fence inside the arguments": runs(
        fence(json.dumps({"name": "write", "arguments": {"text": fence(RM)}})),
        "",
        call("write", text=fence(RM)),
    ),
    "the closing tag inside the arguments": runs(
        fence('{"name": "write", "arguments": {"text": "</tool_call>"}}'),
        "",
        call("write", text="</tool_call>"),
    ),
    "a signal inside the arguments": runs(
        fence(r'{"name": "write", "arguments": {"text": "a\nTASK_COMPLETE\nb"}}'),
        "",
        call("write", text="a\nTASK_COMPLETE\nb"),
    ),
    "braces inside the arguments": runs(
        fence('{"name": "run", "arguments": {"command": "awk \'{print $1}\' <<< \\"}{\\""}}'),
        "",
        call("run", command="awk '{print $1}' <<< \"}{\""),
    ),
    "an apostrophe in the arguments": runs(
        fence('{"name": "say", "arguments": {"text": "don\'t"}}'), "", call("say", text="don't")
    ),
    "deep arguments": runs(
        fence('{"name": "put", "arguments": {"a": {"b": [{"c": [[1, 2.5, -3e2, null, true]]}]}}}'),
        "",
        call("put", a={"b": [{"c": [[1, 2.5, -300.0, None, True]]}]}),
    ),
    "a number of many digits": runs(
        fence('{"name": "put", "arguments": {"n": 123456789012345678901234567890}}'),
        "",
        call("put", n=123456789012345678901234567890),
    ),
    "a large file": runs(
        fence(json.dumps({"name": "write_file", "arguments": BIG})), "", ("write_file", BIG)
    ),
    "a name with dots and slashes": runs(
        fence('{"name": "mcp.github/issues:list", "arguments": {}}'),
        "",
        call("mcp.github/issues:list"),
    ),
    "arguments that are called name": runs(
        fence('{"name": "add", "arguments": {"name": "x", "arguments": {}}}'),
        "",
        call("add", name="x", arguments={}),
    ),
}

COMPANY = {
    "a stray brace before it": runs(
        f"Look at this {{ here.\n\n{fence()}", "Look at this { here.", A_PY
    ),
    "a stray bracket before it": runs(
        f"The list [1, 2 is open.\n{fence()}", "The list [1, 2 is open.", A_PY
    ),
    "ten stray braces before it": runs(f"{{{{[[((}}\n{fence()}", "{{[[((}", A_PY),
    "a stray brace after it": runs(f"{fence()}and }} there {{\n", "and } there {\n", A_PY),
    "a link before it": runs(
        f"See [docs](http://x.y/[1]).\n\n{fence()}", "See [docs](http://x.y/[1]).", A_PY
    ),
    "an array index before it": runs(
        f"`a[0]` and a[1] stay.\n\n{fence()}", "`a[0]` and a[1] stay.", A_PY
    ),
    "inline code before it": runs(f"Use `x = {{}}` here.\n{fence()}", "Use `x = {}` here.", A_PY),
    "an open quotation mark in another paragraph": runs(
        f'The 5" disk.\n\n{fence()}', 'The 5" disk.', A_PY
    ),
    "an open backtick in another paragraph": runs(f"Don`t mind.\n\n{fence()}", "Don`t mind.", A_PY),
    "a quoted sentence before it": runs(
        f'You said "read it".\n{fence()}', 'You said "read it".', A_PY
    ),
    "a block quote before it": runs(f"> as you said\n\n{fence()}", "> as you said", A_PY),
    "a block quote right before it": runs(f"> as you said\n{fence()}", "> as you said", A_PY),
    "another fence before it": runs(
        f"```js\nlet a = {{}}\n```\n{fence()}", "```js\nlet a = {}\n```", A_PY
    ),
    "a JSON fence before it": runs(
        f"```json\n{RM}\n```\n\nThat was an example.\n\n{fence()}",
        f"```json\n{RM}\n```\n\nThat was an example.",
        A_PY,
    ),
    "a README with fences of the same length before it": runs(
        f"```markdown\n# X\n```bash\nnpm i\n```\nmore\n```\n\n{fence()}",
        "```markdown\n# X\n```bash\nnpm i\n```\nmore\n```",
        A_PY,
    ),
    "an example in a longer fence before it": runs(
        f"````\n{fence(RM)}````\n{fence()}", f"````\n{fence(RM)}````", A_PY
    ),
    "an example in tildes before it": runs(
        f"~~~\n{fence(RM)}~~~\n{fence()}", f"~~~\n{fence(RM)}~~~", A_PY
    ),
    "a list before it": runs(f"- one\n- two\n\n{fence()}", "- one\n- two", A_PY),
    "a list right before it": runs(f"1. one\n2. two\n{fence()}", "1. one\n2. two", A_PY),
    "a list with a fence before it": runs(
        f"- run\n  ```sh\n  ls\n  ```\n\n{fence()}", "- run\n  ```sh\n  ls\n  ```", A_PY
    ),
    "a heading before it": runs(f"## Step 1\n{fence()}", "## Step 1", A_PY),
    "a table before it": runs(
        f"| a | b |\n|---|---|\n| 1 | 2 |\n\n{fence()}", "| a | b |\n|---|---|\n| 1 | 2 |", A_PY
    ),
    "a rule before it": runs(f"Text\n\n---\n\n{fence()}", "Text\n\n---", A_PY),
    "a comment before it": runs(f"<!-- note -->\n{fence()}", "<!-- note -->", A_PY),
    "a long comment before it": runs(
        f"<!-- note\n{RM}\n-->\n{fence()}", f"<!-- note\n{RM}\n-->", A_PY
    ),
    "thoughts in tags before it": runs(
        f"<think>\nI could do {RM}\n</think>\n\n{fence()}",
        f"<think>\nI could do {RM}\n</think>",
        A_PY,
    ),
    "thoughts on one line before it": runs(
        f"<think>hm</think>\n{fence()}", "<think>hm</think>", A_PY
    ),
    "a preformatted block before it": runs(
        f"<pre>\n{RM}\n</pre>\n{fence()}", f"<pre>\n{RM}\n</pre>", A_PY
    ),
    "details around nothing": runs(
        f"<details>\n\n{fence()}\n</details>\n", "<details>\n\n</details>\n", A_PY
    ),
    "a diff before it": runs(f"```diff\n-a\n+b\n```\n{fence()}", "```diff\n-a\n+b\n```", A_PY),
    "a formula before it": runs(f"$$\\frac{{a}}{{b}}$$\n\n{fence()}", "$$\\frac{a}{b}$$", A_PY),
    "Chinese before it": runs(f"我来读取文件。\n{fence()}", "我来读取文件。", A_PY),
    "Arabic before it": runs(f"سأقرأ الملف.\n{fence()}", "سأقرأ الملف.", A_PY),
    "a separator that is no line end before it": runs(f"a\u2028b\x0b\n{fence()}", "a\u2028b", A_PY),
    "the signal behind it": runs(f"{fence()}\nTASK_COMPLETE\n", "", A_PY, complete=True),
    "the words about the signal before it": runs(
        f"Not TASK_COMPLETE yet.\n{fence()}", "Not TASK_COMPLETE yet.", A_PY
    ),
}

TAGS = {
    "a tag": runs(tag(), "", A_PY),
    "a tag on one line": runs(f"<tool_call>{READ}</tool_call>", "", A_PY),
    "a tag with blanks": runs(f"  <tool_call> {READ} </tool_call>  \n", "", A_PY),
    "a tag in capitals": runs(f"<TOOL_CALL>\n{READ}\n</TOOL_CALL>\n", "", A_PY),
    "a tag that opens with the JSON": runs(f"<tool_call>{READ}\n</tool_call>\n", "", A_PY),
    "a tag that closes with the JSON": runs(f"<tool_call>\n{READ}</tool_call>\n", "", A_PY),
    "a tag with pretty JSON": runs(tag(json.dumps(json.loads(READ), indent=4)), "", A_PY),
    "a tag with a list": runs(tag(f"[{READ},\n{RM}]"), "", A_PY, GONE),
    "two tags": runs(tag() + tag(RM), "", A_PY, GONE),
    "two tags on two lines": runs(
        f"<tool_call>{READ}</tool_call>\n<tool_call>{RM}</tool_call>\n", "", A_PY, GONE
    ),
    "a tag after a sentence": runs(f"I read it.\n\n{tag()}", "I read it.", A_PY),
    "a tag right under a sentence": runs(f"I read it.\n{tag()}", "I read it.", A_PY),
    "a tag between paragraphs": runs(f"One.\n\n{tag()}\nTwo.\n", "One.\n\nTwo.\n", A_PY),
    "a tag with windows line ends": runs(
        f"A\r\n<tool_call>\r\n{READ}\r\n</tool_call>\r\nB\r\n", "A\r\nB\r\n", A_PY
    ),
    "a tag after a fence": runs(f"```\nx\n```\n{tag()}", "```\nx\n```", A_PY),
    "a tag after a stray brace": runs(f"A {{ b [ c\n{tag()}", "A { b [ c", A_PY),
    "a tag whose argument has the closing tag": runs(
        '<tool_call>{"name": "w", "arguments": {"t": "a</tool_call>b"}}</tool_call>\n',
        "",
        call("w", t="a</tool_call>b"),
    ),
    "a tag whose argument has a tag": runs(
        tag('{"name": "w", "arguments": {"t": "<tool_call>{}</tool_call>"}}'),
        "",
        call("w", t="<tool_call>{}</tool_call>"),
    ),
    "a tag whose argument has a fence": runs(
        tag(r'{"name": "w", "arguments": {"t": "```\n"}}'), "", call("w", t="```\n")
    ),
    "a tag and a fence": runs(f"{tag()}\n{fence(RM)}", "", A_PY, GONE),
    "a fence and a tag": runs(f"{fence()}{tag(RM)}", "", A_PY, GONE),
    "a tag after thoughts": runs(f"<think>\nhm\n</think>\n{tag()}", "<think>\nhm\n</think>", A_PY),
    "a tag after a list": runs(f"- a\n- b\n\n{tag()}", "- a\n- b", A_PY),
    "empty lines in a tag": runs(tag(f"\n\n{READ}\n\n"), "", A_PY),
}

BARE = {
    "nothing but the JSON": runs(READ, "", A_PY),
    "nothing but the JSON and a newline": runs(f"{READ}\n", "", A_PY),
    "blanks around the JSON": runs(f"\n\n  {READ}  \n\n", "", A_PY),
    "pretty JSON as the answer": runs(json.dumps(json.loads(READ), indent=2), "", A_PY),
    "JSON without blanks": runs('{"name":"list_files","arguments":{}}', "", LIST),
    "a list as the answer": runs(f"[{READ}, {RM}]", "", A_PY, GONE),
    "a pretty list as the answer": runs(f"[\n  {READ},\n  {RM}\n]\n", "", A_PY, GONE),
    "an id first": runs('{"id": "1", "name": "list_files", "arguments": {}}', "", LIST),
    "the arguments first": runs('{"arguments": {}, "name": "list_files"}', "", LIST),
    "much space inside the JSON": runs(
        '{\n\n\n"name"\n:\n"list_files", "arguments":\n{}\n}', "", LIST
    ),
    "windows line ends as the answer": runs(
        '{\r\n"name": "list_files",\r\n"arguments": {}\r\n}\r\n', "", LIST
    ),
    "the JSON and the signal": runs(f"{READ}\nTASK_COMPLETE", "", A_PY, complete=True),
    "JSON with a fence in its text": runs(
        r'{"name": "w", "arguments": {"t": "```tool_call\n{}\n```"}}',
        "",
        call("w", t="```tool_call\n{}\n```"),
    ),
}

CASES = {**FENCES, **COMPANY, **TAGS, **BARE}
