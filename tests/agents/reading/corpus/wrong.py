"""Calls that are meant and not right: each is answered, none is run, and none is lost in silence."""

from tests.agents.reading.corpus.case import READ, RM, broken, fence, tag

UNREADABLE = "unreadable_call"

JSON = {
    "a comma too many": broken(fence('{"name": "x", "arguments": {"a": 1,}}'), "", "x"),
    "a comma at the end of a list": broken(fence(f"[{READ},]"), "", "read_file"),
    "single quotes": broken(fence("{'name': 'x', 'arguments': {}}"), "", UNREADABLE),
    "single quotes and an apostrophe": broken(
        fence("{'name': 'x', 'arguments': {'t': 'don't'}}"), "", UNREADABLE
    ),
    "Python's constants": broken(
        fence('{"name": "x", "arguments": {"a": True, "b": None}}'), "", "x"
    ),
    "a comment in the JSON": broken(fence('{"name": "x", // why\n"arguments": {}}'), "", "x"),
    "a hash comment": broken(fence('{"name": "x", "arguments": {}} # now'), "", "x"),
    "no number": broken(fence('{"name": "x", "arguments": {"n": NaN}}'), "", "x"),
    "endless": broken(fence('{"name": "x", "arguments": {"n": -Infinity}}'), "", "x"),
    "a number out of range": broken(fence('{"name": "x", "arguments": {"n": 1e999}}'), "", "x"),
    "a newline in a text": broken(fence('{"name": "x", "arguments": {"t": "a\nb"}}'), "", "x"),
    "a tab in a text": broken(fence('{"name": "x", "arguments": {"t": "a\tb"}}'), "", "x"),
    "quotes in a text": broken(fence('{"name": "x", "arguments": {"t": "say "hi""}}'), "", "x"),
    "a wrong escape": broken(fence(r'{"name": "x", "arguments": {"t": "\d+"}}'), "", "x"),
    "half a character": broken(fence(r'{"name": "x", "arguments": {"t": "\ud83d"}}'), "", "x"),
    "keys without quotes": broken(fence('{name: "x", arguments: {}}'), "", UNREADABLE),
    "a brace too few": broken(fence('{"name": "x", "arguments": {"a": 1}'), "", "x"),
    "a brace too many": broken(fence('{"name": "x", "arguments": {"a": 1}}}'), "", "x"),
    "text before the JSON": broken(fence(f"Call: {READ}"), "", "read_file"),
    "text behind the JSON": broken(fence(f"{READ}\nPlease."), "", "read_file"),
    "two objects in a block": broken(fence(f"{READ}\n{RM}"), "", "read_file"),
    "a key twice": broken(fence('{"name": "x", "name": "y", "arguments": {}}'), "", "x"),
    "an argument twice": broken(fence('{"name": "x", "arguments": {"p": "a", "p": "b"}}'), "", "x"),
    "a key twice deep inside": broken(
        fence('{"name": "x", "arguments": {"o": [{"p": 1, "p": 2}]}}'), "", "x"
    ),
    "a byte order mark": broken(fence("\ufeff" + READ), "", "read_file"),
    "typographic quotes": broken(fence("{“name”: “x”, “arguments”: {}}"), "", UNREADABLE),
    "nested too deeply": broken(
        fence('{"name": "x", "arguments": {"a": ' + "[" * 5000 + "]" * 5000 + "}}"), "", "x"
    ),
    "deeper than can be stored": broken(
        fence('{"name": "x", "arguments": {"a": ' + "[" * 300 + "]" * 300 + "}}"), "", "x"
    ),
}

SHAPE = {
    "an empty block": broken(fence(""), "", UNREADABLE),
    "a blank block": broken(fence("\n  \n"), "", UNREADABLE),
    "an empty tag": broken("<tool_call></tool_call>\n", "", UNREADABLE),
    "an empty object in a block": broken(fence("{}"), "", UNREADABLE),
    "an empty list in a block": broken(fence("[]"), "", UNREADABLE),
    "a text in a block": broken(fence('"read_file"'), "", UNREADABLE),
    "no name": broken(fence('{"arguments": {}}'), "", UNREADABLE),
    "no arguments at all": broken(fence('{"name": "x"}'), "", "x"),
    "arguments as a text": broken(fence('{"name": "x", "arguments": "{\\"a\\": 1}"}'), "", "x"),
    "arguments as a list": broken(fence('{"name": "x", "arguments": [1]}'), "", "x"),
    "arguments are null": broken(fence('{"name": "x", "arguments": null}'), "", "x"),
    "the name is a number": broken(fence('{"name": 7, "arguments": {}}'), "", UNREADABLE),
    "the name is empty": broken(fence('{"name": "", "arguments": {}}'), "", UNREADABLE),
    "the name has a newline": broken(fence('{"name": "a\\nb", "arguments": {}}'), "", UNREADABLE),
    "a name of a megabyte": broken(
        fence('{"name": "' + "a" * 1_000_000 + '", "arguments": {}}'), "", UNREADABLE
    ),
    "other keys": broken(fence('{"name": "x", "arguments": {}, "why": "because"}'), "", "x"),
    "parameters for arguments": broken(fence('{"name": "x", "parameters": {}}'), "", "x"),
    "tool for name": broken(fence('{"tool": "x", "arguments": {}}'), "", UNREADABLE),
    "the form of an API": broken(
        fence('{"type": "function", "function": {"name": "x"}}'), "", UNREADABLE
    ),
    "keys in capitals": broken(fence('{"Name": "x", "Arguments": {}}'), "", UNREADABLE),
    "a list of lists": broken(fence(f"[[{READ}]]"), "", UNREADABLE),
    "a fence in a tag": broken(tag(f"```json\n{READ}\n```"), "", "read_file"),
    "a tag in a fence that calls": broken(fence(f"<tool_call>{READ}</tool_call>"), "", "read_file"),
    "XML in a tag": broken(
        tag("<function=read_file>\n<parameter=path>a</parameter>"), "", UNREADABLE
    ),
    "a name and keys in a tag": broken(tag("read_file\n<arg_key>path</arg_key>"), "", UNREADABLE),
    "two tags on one line": broken(
        f"<tool_call>{READ}</tool_call><tool_call>{RM}</tool_call>\n", "", "read_file"
    ),
    "YAML": broken(fence("name: x\narguments:\n  a: 1"), "", UNREADABLE),
    "a shell command": broken(fence("rm -rf build"), "", UNREADABLE),
    "Python": broken(fence('read_file(path="a.py")'), "", UNREADABLE),
}

CUT = {
    "a fence that was not closed": broken(
        f"Reading.\n```tool_call\n{READ}\n", "Reading.", "read_file"
    ),
    "a fence cut in its JSON": broken(
        '```tool_call\n{"name": "write", "arguments": {"te', "", "write"
    ),
    "a fence cut in its name": broken('```tool_call\n{"name": "wri', "", UNREADABLE),
    "a fence cut right away": broken("Now\n```tool_call", "Now", UNREADABLE),
    "a fence closed by other marks": broken(f"```tool_call\n{READ}\n~~~\n", "", "read_file"),
    "a fence closed by too few": broken(f"````tool_call\n{READ}\n```\n", "", "read_file"),
    "a fence closed behind its JSON": broken(f"```tool_call\n{READ}```\n", "", "read_file"),
    "a tag that was not closed": broken(
        f"Reading.\n<tool_call>\n{READ}\n", "Reading.", "read_file"
    ),
    "a tag on one line that was not closed": broken(f"<tool_call>{READ}", "", "read_file"),
    "a tag cut in its JSON": broken('<tool_call>\n{"name": "x", "argum', "", "x"),
    "a tag cut in its end": broken(f"<tool_call>\n{READ}\n</tool_ca", "", "read_file"),
    "a tag closed as another": broken(f"<tool_call>\n{READ}\n</tool>\n", "", "read_file"),
    "a tag opened again for its end": broken(
        f"<tool_call>\n{READ}\n<tool_call>\n", "", "read_file"
    ),
    "a bare call that was cut": broken('{"name": "write", "arguments": {"text": "hel', "", "write"),
    "a bare call that was cut early": broken('{"name": "wri', "", UNREADABLE),
    "a bare call that begins for ever": broken('{"name": ' * 20_000, "", UNREADABLE),
    "a bare list that was cut": broken(f"[{READ}, ", "", "read_file"),
    "a bare call with a comma too many": broken('{"name": "x", "arguments": {"a": 1,},}', "", "x"),
    "a bare call with its arguments as text": broken('{"name": "x", "arguments": "{}"}', "", "x"),
    "a bare call with a key twice": broken(
        '{"name": "x", "arguments": {}, "arguments": {}}', "", "x"
    ),
}

CASES = {**JSON, **SHAPE, **CUT}
