"""`ask_user`: a question to the person, answered by a choice or in words of their own."""

from typing import Any

from bottega.tools.context import Context, Question
from bottega.tools.tool import Outcome, Tool, success


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    question = Question(arguments["question"], tuple(arguments.get("choices", ())))
    return success({"answer": await context.ask(question)})


ASK_USER = Tool(
    name="ask_user",
    description=(
        "Ask the person a question and wait for the answer. Use it when only they can know or "
        "decide; offer choices where there are a few. They may answer in words of their own."
    ),
    schema={
        "type": "object",
        "properties": {
            "question": {"type": "string", "minLength": 1, "maxLength": 4000},
            "choices": {
                "type": "array",
                "items": {"type": "string", "minLength": 1, "maxLength": 200},
                "minItems": 1,
                "maxItems": 10,
                "uniqueItems": True,
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    },
    category="PLANNING",
    effects=frozenset({"state"}),
    run=run,
    waits=True,
    examples=(
        {"question": "Which database should it use?", "choices": ["SQLite", "PostgreSQL"]},
        {"question": "What should the project be called?"},
    ),
)
