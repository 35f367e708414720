"""Good bodies, one a protocol, with everything in them that has rules; the judges' tests spoil them."""

from typing import Any

Body = dict[str, Any]

PNG = "iVBORw0KGgo="
MARK = {"type": "ephemeral"}
OBJECT: Body = {"type": "object", "properties": {"path": {"type": "string"}}}
CLOSED: Body = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}


def chat() -> Body:
    def call(name: str) -> Body:
        return {"id": name, "type": "function", "function": {"name": "read", "arguments": "{}"}}

    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    file = {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PNG}"}
    marked = {"type": "text", "text": "Look.", "cache_control": MARK}
    return {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [marked, picture, {"type": "file", "file": file}]},
            {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")]},
            {"role": "tool", "tool_call_id": "b", "content": "two"},
            {"role": "tool", "tool_call_id": "a", "content": "one"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "Thanks."},
        ],
        "tools": [
            {
                "type": "function",
                "function": {"name": "read", "description": "Reads.", "parameters": OBJECT},
            }
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": CLOSED, "strict": True},
        },
        "temperature": 1,
        "max_tokens": 100,
        "prompt_cache_key": "ses_1",
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def responses() -> Body:
    def call(name: str) -> Body:
        return {"type": "function_call", "call_id": name, "name": "read", "arguments": "{}"}

    def output(name: str, said: Any) -> Body:
        return {"type": "function_call_output", "call_id": name, "output": said}

    picture = {
        "type": "input_image",
        "image_url": f"data:image/png;base64,{PNG}",
        "detail": "auto",
    }
    thought = {"type": "reasoning", "summary": [], "encrypted_content": "c2VhbA=="}
    return {
        "model": "m",
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Look."}, picture]},
            thought,
            call("a"),
            call("b"),
            output("a", [picture]),
            output("b", "two"),
            dict(thought),
            {"type": "message", "role": "assistant", "content": "Done.", "phase": "final_answer"},
            {"role": "user", "content": [{"type": "input_text", "text": "Thanks."}]},
        ],
        "tools": [
            {
                "type": "function",
                "name": "read",
                "description": "Reads.",
                "parameters": OBJECT,
                "strict": False,
            }
        ],
        "text": {
            "format": {"type": "json_schema", "name": "answer", "schema": CLOSED, "strict": True}
        },
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 16,
        "temperature": 1,
        "store": False,
        "stream": True,
    }


def anthropic() -> Body:
    def text(said: str) -> Body:
        return {"type": "text", "text": said}

    def use(name: str) -> Body:
        return {"type": "tool_use", "id": name, "name": "read", "input": {}}

    picture = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": PNG},
    }
    page = {"type": "text", "media_type": "text/plain", "data": "x"}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2VhbA=="}
    ran = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
    failed = {"type": "tool_result", "tool_use_id": "b", "content": [text("no")], "is_error": True}
    return {
        "model": "m",
        "max_tokens": 2000,
        "system": [{**text("Be brief."), "cache_control": MARK}],
        "messages": [
            {"role": "user", "content": [text("Look."), picture]},
            {"role": "assistant", "content": [ran, found, text("Found.")]},
            {"role": "user", "content": [{"type": "document", "source": page}]},
            {"role": "assistant", "content": [thought, use("a"), use("b")]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}, failed]},
        ],
        "tools": [{"name": "read", "description": "Reads.", "input_schema": OBJECT}],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "output_config": {"format": {"type": "json_schema", "schema": CLOSED}},
        "stream": True,
    }


def gemini() -> Body:
    def call(name: str) -> Body:
        return {"functionCall": {"id": name, "name": "read", "args": {}}}

    def response(name: str) -> Body:
        found = {"id": name, "name": "read", "response": {"output": "fine"}}
        return {"functionResponse": found}

    picture = {"inlineData": {"mimeType": "image/png", "data": PNG}}
    return {
        "contents": [
            {"role": "user", "parts": [{"text": "Look."}, picture]},
            {
                "role": "model",
                "parts": [
                    {"text": "Hm.", "thought": True, "thoughtSignature": "c2VhbA=="},
                    {**call("a"), "thoughtSignature": "c2VhbA=="},
                    call("b"),
                ],
            },
            {"role": "user", "parts": [response("a"), response("b"), {"text": "And?"}]},
            {"role": "model", "parts": [{"text": "Done."}]},
            {"role": "user", "parts": [{"text": "Thanks."}]},
        ],
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "read", "description": "Reads.", "parametersJsonSchema": OBJECT}
                ]
            }
        ],
        "generationConfig": {
            "temperature": 1,
            "maxOutputTokens": 100,
            "thinkingConfig": {"includeThoughts": True, "thinkingLevel": "LOW"},
            "responseMimeType": "application/json",
            "responseJsonSchema": CLOSED,
        },
    }
