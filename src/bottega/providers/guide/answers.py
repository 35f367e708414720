"""What the guide says of itself and of the house: short, true, and never as if it were a model."""

from collections.abc import Sequence

I_AM = "I am the guide, a small set of rules, not a language model"


def greeting(hello: str, suggestions: Sequence[str]) -> str:
    return (
        f"{hello}! Welcome to Bottega.\n\n"
        f"{I_AM}: I need no key and no network, and I know only a few tricks. They are real, "
        "though: what I do here goes through the same tools that a language model would use.\n\n"
        f"Try one of these:\n\n{bullets(suggestions)}\n\n"
        "Or ask `how do I add a key?` to bring in a real model."
    )


def help_text(suggestions: Sequence[str]) -> str:
    house = (
        "what is Bottega?",
        "who are you?",
        "how do I add a key?",
        "how do I use a local model?",
    )
    here = f"What I can do here:\n\n{bullets(suggestions)}\n\nAnd what" if suggestions else "What"
    return f"{I_AM}. {here} I can tell you about:\n\n{bullets(house)}"


ABOUT = (
    "Bottega is a workshop: a place on your own machine where you work with language-model agents "
    "on real projects.\n\n"
    "- **You talk, agents work.** An agent reads, searches and changes files and runs commands "
    "with tools that stay inside the folder you gave it.\n"
    "- **Nothing is lost.** Every word and every tool call is stored before it is shown. Close "
    "the window, or let the machine crash: the conversation goes on where it was.\n"
    "- **Your models.** It speaks with the large providers and with models on your machine.\n\n"
    "The word is Italian: a master's workshop, where things are made together."
)

WHO = (
    f"{I_AM}. I match your words against patterns; I do not think, and I make nothing up. Bottega "
    "starts with me so that you can look around before you choose a model.\n\n"
    "Ask `what can you do?` for what I understand, or `how do I add a key?` for a real model."
)

KEY = (
    "To work with a language model of a provider:\n\n"
    "1. Get a key from the provider: Anthropic, OpenAI, Google (Gemini), OpenRouter or another.\n"
    "2. Put it into the environment in which you start Bottega, for example:\n\n"
    "   ```sh\n"
    "   export ANTHROPIC_API_KEY=…   # or OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY\n"
    "   ```\n\n"
    "3. Start Bottega again. Choose a model with `--model provider/name`.\n\n"
    "**Do not paste a key into this conversation**: what is written here is stored.\n\n"
    "No key at hand? A model on your own machine needs none: ask `how do I use a local model?`"
)

LOCAL = (
    "A model on your own machine needs no key, and your words never leave the machine. With "
    "Ollama, for example:\n\n"
    "1. Install Ollama and start it.\n"
    "2. Get a model that can use tools: `ollama pull <name>`.\n"
    "3. Start Bottega with `--model ollama/<name>`.\n\n"
    "Small models make more mistakes with tools than large ones; that is the model, not you."
)

PASTED_KEY = (
    "That looks like a key. I did not use it, and I do not repeat it here. But this conversation "
    "is stored, so please treat the key as known: **revoke it at the provider and make a new "
    "one.**\n\n"
    "A key belongs in the environment, not in the conversation: ask `how do I add a key?`"
)

THANKS = "You are welcome. What shall we look at next?"
BYE = "Goodbye! This conversation is kept; you find it here when you come back."
MOOD = "All my rules are in order, thank you. What would you like to look at?"

WHICH_COMMAND = (
    "Which command? I do not know how things are started here. Say it as you would in a "
    "terminal, for example `run make test`."
)

MODEL_KNOWS_MORE = (
    "More than that I cannot tell you. A language model could read the code and explain it: ask "
    "`how do I add a key?`"
)


def unsure(suggestions: Sequence[str]) -> str:
    return (
        "I have no question open, so I do not know what that answers. I am only the guide, a "
        f"small set of rules. Try:\n\n{bullets(suggestions)}"
    )


def unknown(suggestions: Sequence[str]) -> str:
    return (
        f"I did not understand that, and I would rather say so than guess. {I_AM}; a real model "
        f"would understand you. These I do understand:\n\n{bullets(suggestions)}\n\n"
        "`how do I add a key?` tells you how to bring in a real model."
    )


def no_tool(wish: str, suggestions: Sequence[str]) -> str:
    return (
        f"You want me to {wish}, and I would, but there is no tool for that in this "
        f"conversation. What I can do here:\n\n{bullets(suggestions)}"
    )


def no_pictures(suggestions: Sequence[str]) -> str:
    return (
        "I read only words; I cannot see pictures or files that are sent to me. Try:\n\n"
        f"{bullets(suggestions)}"
    )


def bullets(suggestions: Sequence[str]) -> str:
    return "\n".join(f"- `{each}`" for each in suggestions)
