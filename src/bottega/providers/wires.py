"""The wire protocols by name; a module is imported when its protocol is first spoken."""

from typing import Literal

from bottega.providers.provider import Wire

WireName = Literal["openai-chat", "openai-responses", "anthropic", "gemini"]


def wire(name: WireName) -> Wire:
    match name:
        case "openai-chat":
            from bottega.providers import openai_chat as found
        case "openai-responses":
            from bottega.providers import openai_responses as found
        case "anthropic":
            from bottega.providers import anthropic as found
        case "gemini":
            from bottega.providers import gemini as found
    return found
