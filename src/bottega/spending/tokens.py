"""The tokens of remote agents: kept like keys, for the agent's address, and sent once the owner has agreed."""

from bottega.agents.agent import Whereabouts
from bottega.agents.plan import Consent
from bottega.errors import Misconfigured
from bottega.origin import is_secure, origin_of
from bottega.spending.approved import ApprovedAgents, fingerprint
from bottega.spending.key import KeyRing


def token_for(ring: KeyRing, where: Whereabouts) -> str:
    """The token that another Bottega knows us by: a kept key, saved for that address, and nothing else."""
    name, origin = where.token_name, origin_of(where.address)
    if not is_secure(origin):
        raise Misconfigured(
            f"The address {where.address} is plain http: a token would be read on its way.",
            hint="Correct `remote.address` to one that begins with https://.",
        )
    token = ring.get(name, origin)
    if not token:
        raise Misconfigured(
            f"The server at {where.address} wants a token, and none is kept for {name!r}.",
            hint=f"Have one made there (`bottega people token NAME`), then: bottega keys set {name}",
        )
    return token


def consent_for(
    approved: ApprovedAgents, slug: str, where: Whereabouts, *, trusted: bool, may_ask: bool
) -> Consent:
    """Whether that agent may send its token. `trusted`: no one need be asked about it."""
    return Consent(
        question=f"The agent {slug!r} would send the token {where.token_name!r}, and what is said to it, to"
        f" {origin_of(where.address)}. Is that meant?",
        hash=fingerprint(slug, where),
        is_given=lambda: trusted or approved.is_approved(slug, where),
        give=lambda: approved.approve(slug, where),
        may_ask=may_ask,
        command=f"bottega agents approve {slug}",
    )
