"""The forms of other vendors: named where they stand as if meant, left alone in code and quotes, and never run."""

from tests.agents.reading.corpus.case import prose, vendor

CMD = '{"command": "rm -rf build"}'

MEANT = {
    "function calls and invoke": vendor(
        '<function_calls>\n<invoke name="bash">\n<parameter name="c">ls</parameter>\n</invoke>\n</function_calls>'
    ),
    "invoke alone": vendor(
        'I go.\n<invoke name="bash">\n<parameter name="c">ls</parameter>\n</invoke>'
    ),
    "invoke with a prefix": vendor('<invoke name="bash">\n</invoke>'),
    "a tool_use element": vendor("<tool_use>\n<name>bash</name>\n</tool_use>"),
    "a tool element": vendor('<tool name="bash">ls</tool>'),
    "a function tag with a name": vendor(
        "<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>"
    ),
    "a function tag with JSON": vendor(f"<function=bash>{CMD}</function>"),
    "a functioncall tag": vendor(f'<functioncall> {{"name": "bash", "arguments": {CMD}}}'),
    "a function_call tag": vendor(
        f'<function_call>\n{{"name": "bash", "arguments": {CMD}}}\n</function_call>'
    ),
    "a TOOLCALL list": vendor(f'<TOOLCALL>[{{"name": "bash", "arguments": {CMD}}}]</TOOLCALL>'),
    "a tool_calls tag": vendor(
        f'<tool_calls>\n[{{"name": "bash", "arguments": {CMD}}}]\n</tool_calls>'
    ),
    "a tag with attributes": vendor('<tool_call name="bash">\n<command>ls</command>\n</tool_call>'),
    "a tag with a prefix": vendor(
        '<minimax:tool_call>\n<invoke name="x">\n</invoke>\n</minimax:tool_call>'
    ),
    "another tag with a prefix": vendor("<seed:tool_call>\nx\n</seed:tool_call>"),
    "a long tag": vendor("<longcat_tool_call>bash\n</longcat_tool_call>"),
    "a name behind the tag": vendor("<tool_call>bash\n<arg_key>command</arg_key>\n</tool_call>"),
    "an MCP tool": vendor("<use_mcp_tool>\n<server_name>x</server_name>\n</use_mcp_tool>"),
    "a [TOOL_CALLS] list": vendor(f'[TOOL_CALLS][{{"name": "bash", "arguments": {CMD}}}]'),
    "a [TOOL_CALLS] name": vendor(f"[TOOL_CALLS]bash{CMD}"),
    "[TOOL_CALLS] behind words": vendor(f"Sure. [TOOL_CALLS] bash {CMD}"),
    "a tool_call token": vendor(f"<|tool_call|>{CMD}"),
    "a tool_call token with a name": vendor(f"<|tool_call>call:bash{CMD}<tool_call|>"),
    "a section of tool calls": vendor(
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>{CMD}"
    ),
    "tokens with wide bars": vendor(
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash"
    ),
    "tokens with wide bars behind words": vendor("I look.<｜tool▁calls▁begin｜>"),
    "a Python token": vendor('<|python_tag|>bash.call(command="ls")'),
    "a channel": vendor(
        f"<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{CMD}<|call|>"
    ),
    "a start token": vendor("<|start|>assistant<|channel|>commentary to=functions.bash"),
    "a plugin token": vendor(f"<|action_start|><|plugin|>\n{CMD}<|action_end|>"),
    "functions with a dot": vendor(f"functions.bash({CMD})"),
    "functions with a number": vendor(f"functions.bash:0 {CMD}"),
    "functions addressed": vendor(f"to=functions.bash {CMD}"),
    "the default API": vendor('print(default_api.bash(command="ls"))'),
    "the default API alone": vendor('default_api.bash(command="ls")'),
    "a tool_code fence": vendor('```tool_code\nprint(default_api.bash(command="ls"))\n```'),
    "a tool_code tag": vendor('<tool_code>\nprint(bash("ls"))\n</tool_code>'),
    "a tool_calls fence": vendor(f'```tool_calls\n[{{"name": "bash", "arguments": {CMD}}}]\n```'),
    "a tool-call fence": vendor(f'```tool-call\n{{"name": "bash", "arguments": {CMD}}}\n```'),
    "a function_call fence": vendor(
        f'```function_call\n{{"name": "bash", "arguments": {CMD}}}\n```'
    ),
    "a fence with more behind its word": vendor(
        f'```tool_call json\n{{"name": "b", "arguments": {CMD}}}\n```'
    ),
    "a fence with the JSON behind its word": vendor('```tool_call {"name": "b"}\n```'),
    "JSON with a tool key": vendor(f'```json\n{{"tool": "bash", "input": {CMD}}}\n```'),
    "JSON with an action": vendor(f'```json\n{{"action": "bash", "action_input": {CMD}}}\n```'),
    "bare JSON with a tool key": vendor(f'{{"tool": "bash", "parameters": {CMD}}}'),
    "bare JSON with tool calls": vendor(
        '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]}'
    ),
    "bare JSON with a function": vendor(
        '{"type": "function", "function": {"name": "bash", "arguments": "{}"}}'
    ),
    "bare JSON with parameters": vendor(f'{{"name": "bash", "parameters": {CMD}}}'),
    "Action and Action Input": vendor(f"Thought: I look.\nAction: bash\nAction Input: {CMD}\n"),
    "bold Action and Action Input": vendor(f"**Action:** bash\n**Action Input:** {CMD}\n"),
    "Action Input with a text": vendor(
        "Action: search\nAction Input: weather in Bern\nObservation:"
    ),
    "windows line ends and invoke": vendor('Hi.\r\n<invoke name="x">\r\n</invoke>\r\n'),
}

TALKED_ABOUT = {
    "invoke in a fence": prose('```xml\n<invoke name="bash">\n</invoke>\n```\nThat is their form.'),
    "invoke in inline code": prose('They write `<invoke name="bash">` there.'),
    "invoke in a quote": prose('> <invoke name="bash">\n> </invoke>\n'),
    "invoke in the middle of a sentence": prose("The <invoke> element of another vendor."),
    "a token in inline code": prose("Their token is `<|tool_call|>`."),
    "a token in quotation marks": prose('Their token is "<|tool_call|>".'),
    "a token in a fence": prose("```\n<|python_tag|>\n```\n"),
    "[TOOL_CALLS] in inline code": prose("Mistral writes `[TOOL_CALLS]` first."),
    "[TOOL_CALLS] in quotation marks": prose('Mistral writes "[TOOL_CALLS]" first.'),
    "functions in a sentence": prose("The module functions.bash(x) is old."),
    "an action without input": prose("Action: we meet on Monday.\n"),
    "a word about actions": prose("The action input is validated first.\n"),
    "JSON with a tool key, explained": prose(
        '```json\n{"tool": "x", "input": {}}\n```\nThis is what they send.'
    ),
    "Python in a fence": prose('```python\nprint(default_api.bash(command="ls"))\n```\n'),
    "a function in HTML": prose("<p>functions</p>\n<ul><li>a</li></ul>\n"),
    "a pipe in angle brackets": prose("a <| b |> c is an operator in F#."),
    "a tools element": prose("<tools>\n<hammer/>\n</tools>\n"),
    "an indented token": prose("Text:\n\n    <|tool_call|>\n"),
    "a comment with invoke": prose('<!-- <invoke name="x"> -->\n'),
}

CASES = {**MEANT, **TALKED_ABOUT}
