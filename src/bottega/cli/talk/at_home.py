"""A conversation in this process's own home: who can be chosen is on its shelf, what was changed in its blobs."""

from pathlib import Path

from bottega.approvals.mode import Mode
from bottega.cli.looking import differences
from bottega.cli.screen.clean import one_line
from bottega.cli.screen.terminal import Terminal
from bottega.cli.screen.tools import Part
from bottega.cli.talk import who
from bottega.cli.talk.conversation import Conversation
from bottega.cli.talk.turn import Turns
from bottega.cli.talk.typed import Reader
from bottega.cli.talk.who import Wish
from bottega.cli.talk.words import why
from bottega.errors import Problem
from bottega.runtime import Runtime
from bottega.studio import Session, Studio


class AtHome(Conversation):
    def __init__(self, studio: Studio, reader: Reader, terminal: Terminal, wish: Wish) -> None:
        runtime = studio.runtime

        def fill(model: str, tokens: int) -> float | None:
            return _full(runtime, model, tokens)

        turns = Turns(terminal, differences(runtime), fill)
        super().__init__(studio, reader, terminal, wish, turns)
        self._studio = studio

    def open(self) -> None:
        """Say who answers, and why, and where."""
        agent = self._studio.runtime.agent(self._wish.agent)
        where = self._at(Path(self._wish.folder))
        if agent.remote and not self._wish.model:
            self._say([(f"{one_line(agent.remote.address)}", "bold"), (" answers.", "")])
            self._say([(f"{where} · /help lists the commands", "dim")])
            return
        chosen = self._studio.runtime.choose(self._wish.model, agent)
        self._studio.runtime.model(chosen.model)
        self._wish.model = chosen.model
        self._say([(one_line(chosen.model), "bold"), (why(chosen), "")])
        self._say([(f"{where} · /help lists the commands", "dim")])

    def farewell(self) -> None:
        self._say([("Go on with: bottega chat --continue", "dim")])

    async def _found(self, session_id: str) -> Session:
        session = await self._studio.take(session_id)
        parked = session.row.status == "waiting"
        return session if parked else await self._studio.resume(session_id)

    @property
    def mode(self) -> Mode:
        return who.mode(self._studio, self.session, self._wish)

    def _held(self) -> list[Part]:
        return who.held(self._studio, self._wish)

    async def choose(self, name: str) -> None:
        if not name:
            self._say(
                [(self._wish.model, "bold"), (" answers. `bottega models` lists who else can.", "")]
            )
            return
        self._studio.runtime.model(name)
        if self.session:
            await self.session.change_model(name)
        self._wish.model = name
        self._say([(one_line(name), "bold"), (" answers from now on.", "")])

    async def choose_agent(self, name: str, *, all_: bool = False) -> None:
        if all_:
            self._rows(who.listed(self._studio, self._wish.agent, self._terminal.width))
        elif name:
            self._say(await who.choose(self._studio, self.session, self._wish, name))
        else:
            self._say(who.shown(self._studio, self._wish))


def _full(runtime: Runtime, model: str, tokens: int) -> float | None:
    """How full the model's window is, in percent; None: nobody says how large it is."""
    try:
        window = runtime.model(model).window()
    except Problem:
        return None
    return 100 * tokens / window if window else None
