"""What the user wants to talk about, where no tool is asked for."""

import re
from typing import Literal

Topic = Literal[
    "greeting",
    "help",
    "about",
    "who",
    "key",
    "local",
    "pasted_key",
    "thanks",
    "bye",
    "mood",
    "yes_or_no",
    "unknown",
]

GREETINGS: dict[str, tuple[str, ...]] = {
    "Hello": (
        *("hello", "hi", "hey", "hiya", "howdy", "yo", "greetings", "hi there", "good day"),
        *("good morning", "good afternoon", "good evening", "morning", "sup", "what's up"),
    ),
    "Hallo": (
        *("hallo", "guten tag", "guten morgen", "guten abend", "moin", "servus", "grüezi"),
        *("grüß gott", "gruss gott", "tag"),
    ),
    "Bonjour": ("bonjour", "salut", "bonsoir", "coucou"),
    "¡Hola": ("hola", "buenos días", "buenos dias", "buenas", "buenas tardes", "buenas noches"),
    "Ciao": ("ciao", "buongiorno", "buonasera", "salve"),
    "Olá": ("olá", "ola", "bom dia", "boa tarde", "oi"),
}
_FIRST_WORD = {word: hello for hello, words in GREETINGS.items() for word in words}
_NAMES = re.compile(r"[\s,]+(?:there|guide|bottega|all|everyone|everybody|world|again|you|friend)$")

_KEY_PASTED = re.compile(r"\b(?:sk-[\w-]{16,}|sk_[\w-]{16,}|AIza[\w-]{20,}|gsk_\w{16,})")
_PATTERNS: tuple[tuple[Topic, str], ...] = (
    (
        "local",
        r"\b(?:ollama|llama\.?cpp|lm\s?studio|llamafile|vllm)\b|\blocal(?:ly)?\b.*\b(?:model|llm|ai)s?\b"
        r"|\b(?:model|llm|ai)s?\b.*\b(?:local(?:ly)?|offline|own\s+(?:machine|computer))\b",
    ),
    (
        "key",
        r"\b(?:api|access|secret)[\s-]?keys?\b|\b(?:add|set|get|need|use|put|enter|have|paste|where|my)\b.*"
        r"\bkeys?\b|\b(?:openai|chat\s?gpt|gpt(?:-?\d\w*)?|claude|anthropic|gemini|openrouter|mistral)\b"
        r"|\b(?:real|other|another|better|different|proper)\s+(?:model|ai|llm)s?\b"
        r"|\b(?:switch|change|choose|select|use|which|what|connect|add)\b.*\b(?:models?|llms?)\b",
    ),
    (
        "who",
        r"\b(?:who|what)\s+(?:are|r)\s+(?:you|u)\b|\bare\s+you\s+(?:an?\s+|really\s+)*\w+"
        r"|\byour\s+name\b|\b(?:about|introduce)\s+yourself\b|\bwhat\s+model\b",
    ),
    (
        "about",
        r"\bwhat(?:['’]?s|\s+is)\s+(?:this|bottega|all\s+this)(?:\s+(?:thing|place|app|program|tool))?$"
        r"|\babout\s+bottega\b|\bbottega\b.*\b(?:do|mean|for|work)\b|^(?:about|bottega)$"
        r"|\bwhat\s+does\s+bottega\b|\bwhere\s+am\s+i$",
    ),
    (
        "help",
        r"^(?:/?help(?:\s+me)?|\?+|h|commands?|usage|options|menu|man|ayuda|hilfe|aide|aiuto|ajuda)$"
        r"|\bwhat\s+(?:can|could|do|should|shall)\s+(?:you|i|we|u)\b|\bhow\s+(?:do|can|should|does)\s+"
        r"(?:i|we|this|it|you|that)\b|\bget(?:ting)?\s+started\b|\bwhat\s+now\b|\bi(?:['’]m|\s+am)\s+"
        r"(?:new|lost|stuck|confused)\b|\bi\s+need\s+help\b",
    ),
    (
        "thanks",
        r"^(?:many\s+)?(?:thanks?|thank\s+you|thx|ty|cheers|danke|merci|gracias|grazie|obrigad[oa])\b"
        r"|^(?:great|nice|cool|good\s+job|well\s+done|awesome|perfect|wow|lovely|super)\b",
    ),
    (
        "bye",
        r"^(?:bye|good\s?bye|see\s+(?:you|ya)|cya|exit|quit|:q|tschüss|tschuess|ad[ií]os|au\s+revoir"
        r"|good\s+night|farewell|stop|end)\b",
    ),
    ("mood", r"\bhow\s+(?:are|r)\s+(?:you|u|things)\b|\bhow['’]?s\s+it\s+going\b"),
    (
        "yes_or_no",
        r"^(?:y|n|yes|no|yeah|yep|nope|ok|okay|sure|right|hm+|maybe|si|ja|oui|non|nein)$",
    ),
)
_TOPICS: list[tuple[Topic, re.Pattern[str]]] = [
    (name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _PATTERNS
]


def topic(text: str) -> tuple[Topic, str]:
    """The topic of these words, and for a greeting the word to answer it with."""
    if _KEY_PASTED.search(text):
        return "pasted_key", ""
    begun = " ".join(text[:500].split())
    said = begun.strip("!.?…,;: 👋¡¿🙂😊").casefold() or begun
    hello = _hello(said)
    if hello:
        return "greeting", hello
    for name, pattern in _TOPICS:
        if pattern.search(said):
            return name, ""
    return "unknown", ""


def _hello(said: str) -> str:
    for words in (said, _NAMES.sub("", said)):
        if words in _FIRST_WORD:
            return _FIRST_WORD[words]
    squeezed = re.sub(r"(.)\1+", r"\1", _NAMES.sub("", said))
    return "Hello" if squeezed in ("helo", "hi", "hey", "hulo") else ""
