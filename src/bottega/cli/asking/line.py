"""A line that a person types in answer to something: edited on a terminal that can, taken as it comes elsewhere."""

from typing import TYPE_CHECKING, Protocol

from bottega.cli.asking.keys import Keys
from bottega.cli.screen.clean import visible
from bottega.cli.screen.terminal import Terminal

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent


class Typed(Protocol):
    async def __call__(self, prompt: str, text: str = "") -> str | None:
        """What was typed, beginning with `text`; None if the person thought better of it."""
        ...


def editor(colour: bool) -> Typed:
    """Lines with all that an editor does; Alt-Enter begins a new one."""

    async def typed(prompt: str, text: str = "") -> str | None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.formatted_text import FormattedText
        from prompt_toolkit.output import ColorDepth

        session: PromptSession[str] = PromptSession(
            FormattedText([("ansiyellow", prompt)]),
            multiline=True,
            prompt_continuation=lambda width, number, wraps: " " * width,
            key_bindings=_bindings(),
            color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
        )
        try:
            return await session.prompt_async(default=text, handle_sigint=False)
        except (EOFError, KeyboardInterrupt):
            return None

    return typed


def _bindings() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    bindings = KeyBindings()

    @bindings.add("enter")
    def _(event: "KeyPressEvent") -> None:
        event.current_buffer.validate_and_handle()

    @bindings.add("escape", "enter")
    def _(event: "KeyPressEvent") -> None:
        event.current_buffer.insert_text("\n")

    @bindings.add("c-c")
    def _(event: "KeyPressEvent") -> None:
        event.app.exit(exception=KeyboardInterrupt())

    return bindings


def plain(terminal: Terminal, descriptor: int) -> Typed:
    """One line, character by character, where the cursor cannot be moved; Enter alone keeps what there was."""

    async def typed(prompt: str, text: str = "") -> str | None:
        said: list[str] = []
        with Keys(descriptor) as keys:
            if text:
                terminal.write(f"It is: {visible(text)}\nType it anew, or Enter to keep it.\n")
            terminal.write(prompt)
            while True:
                for key in await keys.some():
                    if key == "enter":
                        terminal.write("\n")
                        return "".join(said) or text
                    if key in ("escape", "end of input"):
                        terminal.write("\n")
                        return None
                    if key == "backspace":
                        if said:
                            said.pop()
                            terminal.command("\b \b")
                    elif len(key) == 1:
                        said.append(key)
                        terminal.write(key)

    return typed
