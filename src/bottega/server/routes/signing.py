"""Signing in and out, who I am, and the passes that I have given out."""

from fastapi import APIRouter, Request, Response

from bottega.accounts.passes import LASTS
from bottega.accounts.people import Person
from bottega.errors import Conflict
from bottega.server.house import House
from bottega.server.problems import responses
from bottega.server.shapes.signing import PassList, PassShape, PersonShape, SignedInShape, SignIn
from bottega.server.who import Asked, Calling, OwnPass, Signed, cookie_in, cookie_name

router = APIRouter(tags=["people"])


@router.post("/sign-in", responses=responses(409))
async def sign_in(
    house: Asked, request: Request, wanted: SignIn, response: Response
) -> SignedInShape:
    """Exchange a sign-in link for the cookie of this browser, and the key of its pages.

    A link that was used, or is too old, is refused; and so is one of somebody else than who is signed in, unless that
    is meant: any page of the web can have a browser open a link, and whoever goes on would write in another's name.
    """
    before = _signed_in(house, request)
    link_of = house.passes.holder(wanted.link, "link")
    if before and link_of and before.n != link_of.n:
        if not wanted.instead:
            raise Conflict(
                f"You are signed in as {before.name!r}, and this link is for {link_of.name!r}.",
                hint=f"Whoever goes on works as {link_of.name!r}.",
            )
        response.headers.update(_FORGET)
    person, login = await house.passes.redeem(wanted.link)
    _set_cookie(house, request, response, login, LASTS["login"] // 1000)
    return SignedInShape.by(person, house.passes.page_key(login))


@router.post("/sign-out", status_code=204)
async def sign_out(house: Asked, caller: Calling, request: Request, response: Response) -> None:
    """End the pass that this request carries: it is good no longer, here or anywhere."""
    await house.passes.end(caller.words, caller.kind)
    _forget(house, request, response)


@router.get("/me")
async def me(person: Signed) -> PersonShape:
    """Who is signed in."""
    return PersonShape.of(person)


@router.get("/passes")
async def list_passes(house: Asked, caller: Calling) -> PassList:
    """All that prove to be me now: the browsers I am signed in with, tokens, links that nobody has used."""
    this = house.passes.id_of(caller.words, caller.kind)
    return PassList(passes=[PassShape.of(each, this) for each in house.passes.of(caller.person)])


@router.delete("/passes/{pass_id}", status_code=204, responses=responses(404))
async def revoke_pass(
    house: Asked, caller: Calling, known: OwnPass, request: Request, response: Response
) -> None:
    """Whoever has it is signed out from the next request on."""
    is_this = known.id == house.passes.id_of(caller.words, caller.kind)
    await house.passes.revoke(caller.person, known.id)
    if is_this:
        _forget(house, request, response)


_FORGET = {"Clear-Site-Data": '"cache", "storage"'}
"""Has a browser forget what it keeps of this address, but for cookies, which other servers of the host have too."""


def _forget(house: House, request: Request, response: Response) -> None:
    _set_cookie(house, request, response, "", 0)
    response.headers.update(_FORGET)


def _signed_in(house: House, request: Request) -> Person | None:
    """Whose login this browser has, whether or not a page of ours asks."""
    login = cookie_in(dict(request.scope["headers"]), house)
    return house.passes.holder(login, "login") if login else None


def _set_cookie(
    house: House, request: Request, response: Response, login: str, seconds: int
) -> None:
    response.set_cookie(
        cookie_name(house),
        login,
        max_age=seconds,
        path=house.options.base_path or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
