"""Opens every part from the settings: the only place where parts meet."""

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from bottega import destinations
from bottega.accounts.people import People
from bottega.accounts.tables import MIGRATIONS as PEOPLE
from bottega.agents.agent import Agent, Whereabouts
from bottega.agents.build import narrowed, tools_of
from bottega.agents.check import is_mcp
from bottega.agents.limits import NO_LIMITS, Limits, preset
from bottega.agents.model import Model, nobody
from bottega.agents.output import checked
from bottega.agents.plan import Elsewhere, Plan
from bottega.agents.shape import SAVE
from bottega.agents.shelf import Shelf
from bottega.agents.spec import Spec
from bottega.approvals.outgoing import COMMANDS, Outgoing
from bottega.errors import Misconfigured, Problem
from bottega.isolation import mcp_servers, sandboxes, way_out
from bottega.mcp.servers import Servers
from bottega.messages.block import Origin
from bottega.messages.message import Usage
from bottega.per_person import PerPerson
from bottega.projects.folders import Folders, Place, place_of
from bottega.projects.projects import Projects
from bottega.projects.tables import MIGRATIONS as PROJECTS
from bottega.providers import catalog, route, scripts
from bottega.providers.http.connect import Timeouts, Transport
from bottega.providers.of_model import OfModel
from bottega.providers.provider import Abilities, Finished, Provider, Wishes
from bottega.providers.route import Endpoint, Route, Routes
from bottega.providers.scripted import Scripted
from bottega.providers.vendors import DEMO, VENDORS
from bottega.sessions.asks import Asks
from bottega.sessions.attach import Attachments
from bottega.sessions.clients import declared
from bottega.sessions.inbox import Inbox, Prompt
from bottega.sessions.log import Log
from bottega.sessions.session import HOST, SessionRow, Sessions
from bottega.sessions.tables import MIGRATIONS as SESSIONS
from bottega.settings import PROJECT_FILE, Current, Settings, Values
from bottega.sharing import Sharing
from bottega.spending.approved import ApprovedAgents
from bottega.spending.key import KeyRing
from bottega.spending.tokens import consent_for, token_for
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from bottega.storage.home import Home
from bottega.tools.builtin import builtin_registry
from bottega.tools.builtin.planning.delegate import to_these
from bottega.tools.entry_points import extend
from bottega.tools.registry import Registry
from bottega.tools.tool import Tool
from bottega.tools.web.fetch import Fetcher
from bottega.workspaces import programs

MIGRATIONS = tuple(sorted((*SESSIONS, *PEOPLE, *PROJECTS), key=lambda each: each.number))

PRICES_AFTER = 0.3
"""Seconds from the first exchange's begin until the list of prices is read: its request goes out first, as reading
takes a third of a second in which everything else is slow; the answer, which needs a price, comes later still."""


DEEPEST = 3
"""How many sessions may stand above one that may still hand tasks on."""


class Chosen(msgspec.Struct, frozen=True):
    """The model of a new session, and why it is that one."""

    model: str
    why: str


class Runtime:
    def __init__(
        self,
        settings: Settings,
        tools: Iterable[Tool] = (),
        agents: Iterable[Agent | Spec] = (),
        *,
        serves: bool = False,
    ) -> None:
        """`serves`: others than the person at this machine name models here, over HTTP."""
        self._current = Current(settings)
        self._serves = serves
        self.on_change: Callable[[Values], None] | None = None
        """Is told of settings that were changed while this was open."""
        ca_file = settings.values.ca_file or settings.environment.get("SSL_CERT_FILE", "")
        self._ca_file = ca_file
        values, way = settings.values, way_out(settings)
        self.registry = builtin_registry(Fetcher(way, ca_file=ca_file))
        for tool in tools:
            self.registry.register(tool)
        self._extended = False
        self.notices: tuple[str, ...] = ()
        """Why tools of other distributions were left out, one sentence each."""
        self._told: dict[int, set[str]] = {}
        """By person, what is said once."""
        self._toolless: set[str] = set()
        """Models that were found to take no tools."""
        home = Home(settings.home)
        self.shelf = Shelf(home.agents, self.every_tool, agents)
        self.database = Database.open(home, MIGRATIONS)
        self.blobs = Blobs(home.blobs)
        self.log = Log(self.database)
        self.sessions = Sessions(self.database)
        self.folders = Folders(self.database)
        self.inbox = Inbox(self.log)
        self.per_person = PerPerson(self.database, home.path, lambda: self.settings.values)
        self.per_person.bound(self.inbox, self.sessions)
        self.attachments = Attachments(self.database, self.blobs, self.per_person.keeping)
        self.asks = Asks(self.log)
        self._way = way
        outgoing = Outgoing(lambda: self.settings.values.rules, COMMANDS)
        self.sandboxes = sandboxes(
            settings, way, values.sandbox_read, outgoing, self.per_person.places
        )
        self._servers: dict[Place, Servers] = {}
        self._replaced: dict[Place, list[Servers]] = {}
        """By place, those of settings that no longer hold; what runs may still use them."""
        self.sharing = Sharing(self.shelf, People(self.database), lambda: self.settings.values.mcp)
        self.keys = KeyRing(settings.home)
        self.approved = ApprovedAgents(settings.home)
        destinations.bind_old_keys(settings, self.keys)
        self._prices_begun = False
        self._closed_ring: Problem | None = None
        """Why kept keys cannot be used, if they cannot."""
        self.transport = Transport(ca_file=ca_file)
        self._workspaces = Projects(self.database).folders_ever
        programs.workspaces.append(self._workspaces)

    @property
    def settings(self) -> Settings:
        return self._current.settings

    @property
    def settings_problem(self) -> Problem | None:
        """Why the config file as it is now does not count, if it does not."""
        return self._current.problem

    def refresh(self) -> Settings:
        """The settings for what begins now: a config file that was changed, by whomever, counts from here on.

        All but `ca_file` and `trim_after_days`, which hold from the start of a process on.
        """
        before = self.settings.values
        if self._current.look():
            values = self.settings.values
            try:
                self._way.guard.open_to(values.network_private)
            except Problem as problem:  # what was open stays so
                self._current.problem = problem
            self.sandboxes.change(
                [Path(each).expanduser() for each in values.sandbox_read],
                unsandboxed=values.sandbox == "off",
            )
            self.per_person.bound(self.inbox, self.sessions)
            if values.mcp != before.mcp:
                for place, servers in self._servers.items():
                    self._replaced.setdefault(place, []).append(servers)
                self._servers = {}
            if self.on_change:
                self.on_change(values)
        return self.settings

    async def close(self) -> None:
        if self._workspaces in programs.workspaces:
            programs.workspaces.remove(self._workspaces)
        self.log.close()
        for place in {*self._servers, *self._replaced}:
            await self.close_servers(place)
        await self.transport.close()
        self.database.close()

    async def close_servers(self, place: Place) -> None:
        """End the MCP servers of a folder; they start again when they are next needed."""
        ended = self._replaced.pop(place, [])
        if servers := self._servers.pop(place, None):
            ended.append(servers)
        await asyncio.gather(*(each.close() for each in ended))

    async def close_servers_besides(self, projects: set[int]) -> None:
        """End the MCP servers of every project but these."""
        for place in {*self._servers, *self._replaced}:
            if place[0] not in projects:
                await self.close_servers(place)

    def routes(self) -> Routes:
        """Every provider that is set up: by variables, in the config file, or with a kept key."""
        table = destinations.routes(self.settings)
        try:
            return destinations.with_kept_keys(self.settings, table, self.keys)
        except Problem as problem:  # it must not keep the keys of the environment from working
            self._closed_ring = problem
            return table

    def choose(self, model: str = "", agent: Agent | None = None) -> Chosen:
        """The model that was asked for, else the agent's, else what settings or keys suggest, else the guide."""
        values, source = self.settings.values, self.settings.source("model")
        if model:
            return Chosen(model, "asked for")
        if values.model and source in ("flag", "environment"):
            return Chosen(values.model, f"set in the {source}")
        if own := self.model_of(agent):
            return own
        if values.model:
            if source == "project file" and route.is_scripted(values.model, self.routes()):
                raise scripts.refused_to_project(values.model, PROJECT_FILE)
            return Chosen(values.model, f"set in the {source}")
        table = self.routes()
        for name, vendor in VENDORS.items():
            if vendor.default_model and table.endpoints.get(name, Endpoint()).key:
                return Chosen(f"{name}/{vendor.default_model}", f"there is a key for {name}")
        elsewhere = next(iter(table.withheld), "")
        why = f"the key of {elsewhere} was saved for another address" if elsewhere else ""
        return Chosen("guide", why or "no key is configured")

    def model_of(self, agent: Agent | None) -> Chosen | None:
        """The model that the user chose for this agent, else the one that it names itself."""
        if agent is None:
            return None
        chosen = self.settings.values.agents.get(agent.slug)
        if chosen and chosen.model:
            return Chosen(chosen.model, f"chosen for the agent {agent.slug}")
        return Chosen(agent.model, f"the agent {agent.slug} names it") if agent.model else None

    def agent(self, name: str = "", owner: int = HOST) -> Agent:
        """The agent of that name with the settings' own wishes put in; refuse one that is not there, or is broken.

        `owner` is whose session it is for: a remote agent that is not shared with them is not there.
        """
        values = self.settings.values
        self.sharing.agent(name or values.agent, owner).usable()
        agent = self.shelf.get(name or values.agent)
        limits = agent.limits
        if agent.remote and limits == Limits():  # where it is, it has its own
            limits = NO_LIMITS
        if self.settings.source("limits") != "default":  # an agent may go further than the default
            limits = preset(values.limits).within(limits)
        return msgspec.structs.replace(
            agent,
            limits=limits,
            reasoning_in_answer=agent.reasoning_in_answer or values.reasoning_in_answer,
        )

    def most(self, session: SessionRow) -> Agent:
        """The agent of a session, with no more than those have that handed its task on."""
        return self._narrowed(session.agent, session, self.inbox.above(session))

    def _narrowed(self, name: str, session: SessionRow, above: Iterable[str]) -> Agent:
        agents = (self.agent(each, session.owner) for each in above)
        return narrowed(self.agent(name, session.owner), agents)

    def doer(self, name: str, owner: int = HOST) -> str:
        """Who carries out a plan of this agent, if it may only plan itself: the settings' agent, or the coder."""
        if self.agent(name, owner).mode != "plan":
            return ""
        usual = self.agent("", owner)
        return usual.slug if usual.mode != "plan" and usual.type != "StreamAgent" else "coder"

    def model(self, name: str, person: int = HOST) -> Model:
        """The model behind a name, ready to be asked; refuse a name that leads nowhere.

        Who spends another's money under a limit pays for a model whose price nobody knows as for the dearest.
        """
        table = self.routes()
        try:
            found = route.resolve(name, table)
        except Misconfigured:
            if self._closed_ring and person == HOST:
                raise self._closed_ring from None
            raise
        provider, origin = self._provider(found, table)

        of_model = self._of_model(name, table)
        assumes = person != HOST and self.settings.values.window_usd and route.is_paid(found, table)

        def price(answer: Finished) -> int | None:
            stated = of_model.cost(answer.usage) if answer.cost is None else answer.cost
            cost = catalog.cost(found.provider, found.model, answer.usage, stated)
            if cost is None and assumes:
                return catalog.dearest(found.provider, found.model, answer.usage)
            return cost

        def is_assumed() -> bool:
            if not assumes or not catalog.is_read():
                return False
            stated = of_model.cost(Usage(1, 1))
            return catalog.cost(found.provider, found.model, Usage(1, 1), stated) is None

        own = of_model.context_window or self.settings.values.context_window

        def window() -> int | None:
            known = catalog.is_read()
            return own or (
                catalog.facts(found.provider, found.model).context_window if known else None
            )

        return Model(
            name=name,
            wire_name=found.model,
            provider=provider,
            origin=origin,
            abilities=self._abilities(name, found),
            price=price,
            is_assumed=is_assumed,
            forgo_tools=lambda: self._toolless.add(name),
            window=window,
        )

    def _of_model(self, name: str, table: Routes) -> OfModel:
        """What is set for a model, under whichever of its names: what stands under the one that is used wins."""
        models = self.settings.values.models
        found = OfModel()
        for each in route.same(name, models, table):
            found = found.or_else(models[each])
        return found

    def _abilities(self, name: str, found: Route) -> Abilities:
        known = catalog.abilities(found.model) if found.wire else Abilities()
        if name in self.settings.values.text_calls or name in self._toolless:
            return msgspec.structs.replace(known, tools=False)
        return known

    def refuse_script(self, name: str) -> None:
        """Refuse a model that plays a script where this process may not; any other name passes."""
        if self._serves and route.is_scripted(name, table := self.routes()):
            scripts.checked(route.resolve(name, table).model, self.settings.scripts_folder)

    async def plan(self, session: SessionRow, prompt: Prompt) -> Plan:
        """What an exchange runs with: the prompt's wishes win over the session's, those over the settings'."""
        self.refresh()
        session = self.sessions.get(session.id)  # its model may have changed since
        self.folders.project_of(session)  # nothing runs for whoever has it no longer
        above = self.inbox.above(session)
        agent = self._narrowed(prompt.agent or session.agent, session, above)
        if prompt.schema is not None:
            await asyncio.to_thread(checked, prompt.schema, agent)
        if agent.remote:
            return self._elsewhere(agent, agent.remote, session, prompt)
        name = prompt.model or self._model_name(session, agent, bool(prompt.agent))
        model = self.model(name, session.owner)
        if not self._serves and session.owner != HOST and isinstance(model.provider, Scripted):
            raise scripts.refused()
        model = self.per_person.fair(model, session.owner)
        registry = self._registry(agent, session)
        for tool in await self._mcp_tools(agent, session):
            registry.register(tool)
        wishes = prompt.wishes.over(self._wishes(agent, model))
        if model.origin and not self._prices_begun:
            self._prices_begun = True
            asyncio.get_running_loop().call_later(PRICES_AFTER, catalog.load_beside)
        # What is said once is kept for a prompt that somebody reads the answer of.
        lacking = self.sharing.missing(agent, registry, session.owner)
        notices = self._new_notices(session, *lacking) if prompt.message_id else ()
        return Plan(
            agent,
            model,
            registry,
            session.folder,
            wishes,
            notices,
            prompt.schema,
            prompt.attended,
            self.settings.values.instructions if session.owner == HOST else "",
            session.id,
            prompt.hops,
            above,
        )

    def _elsewhere(
        self, agent: Agent, where: Whereabouts, session: SessionRow, prompt: Prompt
    ) -> Plan:
        """What an exchange runs with that another Bottega answers: hardly anything is needed here."""
        return Plan(
            agent,
            nobody(f"{where.agent or 'agent'} at {where.address}"),
            Registry(),
            session.folder,
            prompt.wishes,
            schema=prompt.schema,
            attended=prompt.attended,
            hops=prompt.hops,
            above=self.inbox.above(session),
            elsewhere=Elsewhere(
                where,
                lambda: self.token_for(where),
                consent_for(
                    self.approved,
                    agent.slug,
                    where,
                    trusted=self.shelf.find(agent.slug).origin
                    == "program",  # it could send it by itself
                    may_ask=session.owner == HOST,
                ),
                self.settings.values.remote_patience,
                self._ca_file,
            ),
        )

    def token_for(self, where: Whereabouts) -> str:
        return token_for(self.keys, where)

    def _model_name(self, session: SessionRow, agent: Agent, for_once: bool) -> str:
        """The session's, unless an agent with its own was asked for this once. A child has its agent's or parent's."""
        own = self.model_of(agent) if for_once or session.parent else None
        if own:
            return own.model
        if session.parent and not session.model:
            return self._model_name(self.sessions.numbered(session.parent), agent, for_once=False)
        return session.model or self.choose(agent=agent).model

    def _new_notices(self, session: SessionRow, *more: str) -> tuple[str, ...]:
        """Why some tools or agents are missing, said once to each whom it concerns."""
        servers = self._servers.get(place_of(session))
        of_program = self.notices if session.owner == HOST else ()
        of_servers = servers.notices if servers else ()
        found = (*of_program, *of_servers, *self.sharing.problems(session.owner), *more)
        told = self._told.setdefault(session.owner, set())
        fresh = tuple(each for each in dict.fromkeys(found) if each not in told)
        told.update(fresh)
        return fresh

    def every_tool(self) -> Registry:
        """All tools of this process; the first time, those of other distributions are looked for."""
        if not self._extended:
            self._extended = True
            self.notices = extend(self.registry)
        return self.registry

    def _registry(self, agent: Agent, session: SessionRow) -> Registry:
        """The tools of an exchange: the agent's own choice, and what the client of this session runs itself."""
        if agent.type == "StreamAgent":  # it is offered none; what it writes is saved with this one
            may_save = agent.tools is None or SAVE in agent.tools
            return self.registry.scoped((SAVE,) if may_save else ())
        chosen = tools_of(agent, self.every_tool())
        if (delegate := chosen.find("delegate")) and session.depth < DEEPEST:
            chosen.replace(to_these(delegate, self.sharing.others(session.owner)))
        else:
            chosen.remove("delegate")
        for tool in declared(self.database, session.n):
            if chosen.find(tool.name) is None:
                chosen.register(tool)
        return chosen

    async def _mcp_tools(self, agent: Agent, session: SessionRow) -> list[Tool]:
        """What MCP servers offer in this session's folder to its owner: all of it, or what the agent names."""
        named = None if agent.tools is None else {name for name in agent.tools if is_mcp(name)}
        theirs = self.sharing.servers(session.owner)
        if not theirs or agent.type == "StreamAgent" or named == set():
            return []
        place = place_of(session)
        servers = self._servers.get(place)
        if servers is None:
            folder = self.folders.path_of(session)
            servers = self._servers[place] = mcp_servers(
                *(self.settings, folder, self._way, lambda: self.folders.opened(session), theirs),
                *(self.per_person.places, session.owner),
            )
        return [tool for tool in await servers.tools() if named is None or tool.name in named]

    def _wishes(self, agent: Agent, model: Model) -> Wishes:
        """A flag or a variable wins over the agent, that over the model's table, that over the files' own."""
        called, filed = self.settings.wishes()
        of_model = self._of_model(model.name, self.routes())
        return called.over(agent.wishes).over(of_model).over(filed)

    def _provider(self, found: Route, table: Routes) -> tuple[Provider, Origin]:
        if found.provider == "guide":
            from bottega.providers.guide import Guide

            return Guide(), ""
        if found.provider == DEMO:
            from bottega.providers.demo import Demo

            return Demo(), ""
        if found.wire is None:
            if not self._serves:
                return Scripted(), ""
            return Scripted(read=scripts.reader(found.model, self.settings.scripts_folder)), ""
        from bottega.providers.http.transport import HttpProvider
        from bottega.providers.wires import wire

        values = self.settings.values
        timeouts = Timeouts(idle=values.idle_timeout, total=values.total_timeout)
        target = route.target(found, table)
        return HttpProvider(wire(found.wire), target, self.transport, timeouts=timeouts), found.wire
