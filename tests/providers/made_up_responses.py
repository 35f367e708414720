"""The events and items of made-up responses."""

from typing import Any

Event = dict[str, Any]


def created() -> Event:
    return {"type": "response.created", "response": {**FRAME, "status": "in_progress"}}


FRAME: dict[str, Any] = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


def ended(*output: Event, status: str = "completed", **more: Any) -> Event:
    response = {**FRAME, "status": status, "output": list(output), **more}
    return {"type": f"response.{status}", "response": response}


def delta(kind: str, text: str, index: int | None = 0, id: str = "i0") -> Event:
    place = {} if index is None else {"output_index": index}
    return {"type": f"response.{kind}.delta", "item_id": id, "delta": text, **place}


def added(index: int, item: Event) -> Event:
    return {"type": "response.output_item.added", "output_index": index, "item": item}


def done(index: int, item: Event) -> Event:
    return {"type": "response.output_item.done", "output_index": index, "item": item}


def message(text: str, id: str = "i0", **part: Any) -> Event:
    said = {"type": "output_text", "text": text, "annotations": [], **part}
    return {"type": "message", "id": id, "role": "assistant", "status": "completed",
            "content": [said]}  # fmt: skip


def call(arguments: str, name: str = "f", call_id: str = "c1", id: str = "i0") -> Event:
    return {"type": "function_call", "id": id, "call_id": call_id, "name": name,
            "arguments": arguments, "status": "completed"}  # fmt: skip


def thought(*summary: str, id: str = "i0", **more: Any) -> Event:
    parts = [{"type": "summary_text", "text": text} for text in summary]
    return {"type": "reasoning", "id": id, "summary": parts, **more}


WEB = {"type": "web_search_call", "id": "ws_1", "status": "completed",
       "action": {"type": "search", "query": "q"}}  # fmt: skip
