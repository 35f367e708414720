"""Calls that are only talked about: in prose, in other fences, in quotes, in lists, in markup. None may run."""

from tests.agents.reading.corpus.case import READ, RM, fence, prose, runs, tag, vendor

IN_PROSE = {
    "could call, but do not": prose(f"You could call {RM} but do not."),
    "a call in the middle of a line": prose(f"The model writes {READ} and waits."),
    "a tag in the middle of a line": prose(f"It writes <tool_call>{RM}</tool_call> and waits."),
    "a tag at the end of a line": prose(f"I would write <tool_call>{RM}</tool_call>"),
    "a tag at the begin of a sentence": vendor(f"<tool_call>{RM}</tool_call> would delete it."),
    "the opening tag in a sentence": prose(
        "A call begins with <tool_call> and ends with </tool_call>."
    ),
    "a sentence that begins with the tag": vendor("<tool_call> is the tag that opens a call."),
    "only a closing tag": prose("</tool_call>\n"),
    "a fence in the middle of a line": prose(f"Write ```tool_call {RM}``` to delete it."),
    "a fence on one line": prose(f"```tool_call {RM}```\n"),
    "inline code": prose(f"Like `{RM}`, for example."),
    "a line of inline code": prose(f"`{RM}`\n"),
    "inline code of two backticks": prose(f"``{RM}``\n"),
    "inline code over lines": prose(f"Like `\n{RM}\n` this."),
    "a tag in inline code": prose(f"`<tool_call>{RM}</tool_call>`\n"),
    "a tag in inline code over lines": vendor(f"Write `\n{tag(RM)}` to do so."),
    "a tag in quotation marks over lines": vendor(f'He wrote "\n{tag(RM)}" and left.'),
    "a tag in curly quotation marks": vendor(f"He wrote “\n{tag(RM)}” and left."),
    "a fence in quotation marks over lines": vendor(f'He wrote "\n{fence(RM)}" and left.'),
    "the JSON and a sentence": vendor(f"{RM}\n\nThis would delete the build."),
    "the JSON and one word": vendor(f"{READ} OK"),
    "a sentence and the JSON": vendor(f"I will read it.\n\n{READ}"),
    "a sentence and pretty JSON": vendor('Now:\n{\n  "name": "x",\n  "arguments": {}\n}\n'),
    "the JSON between sentences": prose(f"For example:\n\n{RM}\n\nNever do this."),
    "two JSON objects": vendor(f"{READ}\n{RM}"),
    "a JSON answer that is no call": prose('{"name": "Alice", "age": 31}'),
    "a JSON answer with a name only": prose('{"name": "Alice"}'),
    "a JSON list that is no call": prose('[{"name": "Alice"}, {"name": "Bob"}]'),
    "a JSON answer with more keys": vendor('{"name": "x", "arguments": {}, "type": "function"}'),
    "a tool's definition": prose(
        '{"name": "x", "description": "does", "parameters": {"type": "object"}}'
    ),
    "a JSON schema": prose('{"type": "object", "properties": {"name": {"type": "string"}}}'),
    "a package file": prose('{"name": "app", "version": "1.0.0", "scripts": {"dev": "vite"}}'),
    "an empty object": prose("{}"),
    "an empty list": prose("[]"),
    "a JSON string": prose('"TASK_COMPLETE"'),
    "a number": prose("42"),
    "null": prose("null"),
    "a brace": prose("{"),
    "a bracket": prose("["),
    "braces and brackets": prose("}{][)("),
    "a quoted call": prose(f'She said: "{RM}"'),
    "a call in parentheses": prose(f"({READ})"),
    "a call in a table": prose(f"| call | meaning |\n|---|---|\n| {RM} | deletes |\n"),
    "a call in a heading": prose(f"# {RM}\n"),
    "a call in bold": prose(f"**{RM}**\n"),
    "a call in a footnote": prose(f"Text[^1].\n\n[^1]: {RM}\n"),
    "a call in a link": prose(f"See [{RM}](http://x.y)\n"),
    "a tag in bold": prose(f"**<tool_call>{RM}</tool_call>**\n"),
    "an escaped fence": prose(f"\\```tool_call\n{RM}\n\\```\n"),
    "an escaped tag": prose(f"&lt;tool_call&gt;\n{RM}\n&lt;/tool_call&gt;\n"),
    "two backticks are no fence": prose(f"``tool_call\n{RM}\n``\n"),
    "a fence after words": prose(f"Here ```tool_call\n{RM}\n"),
    "the word alone": prose(f"tool_call\n{RM.replace('name', 'label')}\n"),
    "fullwidth backticks": prose("｀｀｀tool_call\nx\n｀｀｀\n"),
    "a look-alike tag": prose("<tооl_call>\nx\n</tооl_call>\n"),  # noqa: RUF001
    "a zero-width blank in the word": prose("```tool\u200b_call\nx\n```\n"),
    "a carriage return is no line end": prose(f"a\r```tool_call\r{RM}\r```\r"),
    "a line separator is no line end": prose(f"a\u2028```tool_call\u2028{RM}\u2028```\u2028"),
    "a form feed is no line end": prose(f"a\x0c<tool_call>\x0c{RM}\x0c</tool_call>"),
}

IN_CODE = {
    "in a JSON fence with words behind": prose(f"```json\n{RM}\n```\nDo not run this.\n"),
    "in a JSON fence at the end": vendor(f"Let me see.\n```json\n{READ}\n```\n"),
    "in a fence without a word at the end": vendor(f"```\n{READ}\n```"),
    "in a text fence": prose(f"```text\n{RM}\n```\n"),
    "in a Python fence": prose(f"```python\ncall = {RM}\n```\n"),
    "a call fence in a longer fence": prose(f"````\n{fence(RM)}````\n"),
    "a call fence in a markdown fence": prose(f"```markdown\n{fence(RM)}```\n"),
    "a call fence in a markdown fence with words": prose(
        f"```md\n# How\n{fence(RM)}Then wait.\n```\n"
    ),
    "a call fence in a tilde fence": prose(f"~~~\n{fence(RM)}~~~\n"),
    "a tilde call fence in a backtick fence": prose(f"```\n{fence(RM, '~~~')}```\n"),
    "a call fence in a fence of the same length": prose(
        f"```text\nexample:\n```tool_call\n{RM}\n```\n"
    ),
    "a tag in a fence": prose(f"```xml\n{tag(RM)}```\n"),
    "a tag in an open fence": prose(f"```xml\n{tag(RM)}"),
    "a call fence in an open fence": prose(f"~~~\n{fence(RM)}"),
    "a call fence in an open longer fence": prose(f"````md\n{fence(RM)}"),
    "a fence that only seems closed": prose(f"````\n```\n{tag(RM)}"),
    "a fence that a word keeps open": prose(f"```\n``` x\n{tag(RM)}```\n"),
    "a fence that tildes do not close": prose(f"```\n~~~\n{tag(RM)}```\n"),
    "a fence that four blanks keep open": prose(f"```\n    ```\n{tag(RM)}```\n"),
    "an indented call": prose(f"Example:\n\n    <tool_call>\n    {RM}\n    </tool_call>\n"),
    "an indented fence": prose(f"Example:\n\n    ```tool_call\n    {RM}\n    ```\n"),
    "a call behind a tab": prose(f"Example:\n\n\t<tool_call>\n\t{RM}\n\t</tool_call>\n"),
    "blanks and a tab": prose(f"Example:\n\n  \t```tool_call\n  \t{RM}\n  \t```\n"),
    "a diff": prose("```diff\n+```tool_call\n+" + RM + "\n+```\n```\n"),
    "a shell's output": prose(
        f"```console\n$ cat prompt.md\n<tool_call>\n{RM}\n</tool_call>\n```\n"
    ),
    "a here document": prose(f"```bash\ncat <<'E'\n{tag(RM)}E\n```\n"),
    "three levels": prose(f"`````\n````\n{fence(RM)}````\n`````\n"),
    "fence after fence": prose(f"```\na\n```\n```\n{tag(RM)}```\n"),
}

IN_QUOTES = {
    "a fence in a quote": prose(f"> ```tool_call\n> {RM}\n> ```\n"),
    "a tag in a quote": prose(f"> <tool_call>\n> {RM}\n> </tool_call>\n"),
    "JSON in a quote": prose(f"> {RM}\n"),
    "a quote in a quote": prose(f"> > ```tool_call\n> > {RM}\n> > ```\n"),
    "a quote without a blank": prose(f">```tool_call\n>{RM}\n>```\n"),
    "a quote that is indented": prose(f"   > ```tool_call\n   > {RM}\n   > ```\n"),
    "a quote that runs on": vendor(f"> The user wrote:\n{tag(RM)}"),
    "a quote whose fence was left open": prose(f"> ```tool_call\n> {RM}\n\nThat was it.\n"),
    "a quote in a list": prose(f"- > ```tool_call\n  > {RM}\n  > ```\n"),
    "a quoted element": prose(f"<blockquote>\n{tag(RM)}</blockquote>\n"),
    "a quoted element with a fence": prose(f"<blockquote>\n\n{fence(RM)}\n</blockquote>\n"),
}

IN_LISTS = {
    "a fence in a list": vendor(f"- Example:\n  ```tool_call\n  {RM}\n  ```\n"),
    "a fence in a numbered list": vendor(f"1. Example:\n\n   ```tool_call\n   {RM}\n   ```\n"),
    "a fence on the line of the mark": vendor(f"- ```tool_call\n  {RM}\n  ```\n"),
    "a tag in a list": vendor(f"* Example:\n  <tool_call>\n  {RM}\n  </tool_call>\n"),
    "a tag on the line of the mark": prose(f"- <tool_call>{RM}</tool_call>\n"),
    "JSON in a list": prose(f"- {RM}\n- {READ}\n"),
    "a fence in an inner list": vendor(f"- a\n  - b\n    ```tool_call\n    {RM}\n    ```\n"),
    "a list of calls": prose(f"1. {READ}\n2. {RM}\n"),
    "a list with a plain fence around it": prose(f"- Example:\n  ```\n  {tag(RM)}  ```\n"),
}

IN_MARKUP = {
    "a comment": prose(f"<!--\n{fence(RM)}-->\n"),
    "a comment on one line": prose(f"<!-- <tool_call>{RM}</tool_call> -->\n"),
    "a comment that was left open": prose(f"<!-- note\n{fence(RM)}"),
    "a comment inside a paragraph": vendor(f"Text <!-- note\n{tag(RM)}-->\n"),
    "preformatted text": prose(f"<pre>\n{tag(RM)}</pre>\n"),
    "preformatted text with a class": prose(f'<pre class="x">\n{fence(RM)}</pre>\n'),
    "a code element": prose(f"<code>\n{tag(RM)}</code>\n"),
    "a script": prose(f"<script>\n{tag(RM)}</script>\n"),
    "a text area": prose(f"<textarea>\n{fence(RM)}</textarea>\n"),
    "an example element": prose(f"<example>\n{fence(RM)}</example>\n"),
    "nested examples": prose(f"<examples>\n<example>\n{fence(RM)}</example>\n</examples>\n"),
    "a thought": prose(f"<think>\nMaybe\n{fence(RM)}</think>\nNo.\n"),
    "a thought that was left open": prose(f"<thinking>\nMaybe\n{tag(RM)}"),
    "a call after a thought that was closed": runs(
        f"<think>\n{fence(RM)}</think>\n{fence()}",
        f"<think>\n{fence(RM)}</think>",
        ("read_file", {"path": "a.py"}),
    ),
}

CASES = {**IN_PROSE, **IN_CODE, **IN_QUOTES, **IN_LISTS, **IN_MARKUP}
