"""Signing in and out, who I am, and the passes that I have given out."""

from fastapi import APIRouter, Request, Response

from bottega.accounts.passes import LASTS
from bottega.server.house import House
from bottega.server.problems import responses
from bottega.server.shapes.signing import PassList, PassShape, PersonShape, SignedInShape, SignIn
from bottega.server.who import Asked, Calling, OwnPass, Signed, cookie_name

router = APIRouter(tags=["people"])


@router.post("/sign-in")
async def sign_in(
    house: Asked, request: Request, wanted: SignIn, response: Response
) -> SignedInShape:
    """Exchange a sign-in link for the cookie of this browser, and the key of its pages.

    A link that was used, or is too old, is refused.
    """
    person, login = await house.passes.redeem(wanted.link)
    _set_cookie(house, request, response, login, LASTS["login"] // 1000)
    return SignedInShape.by(person, house.passes.page_key(login))


@router.post("/sign-out", status_code=204)
async def sign_out(house: Asked, caller: Calling, request: Request, response: Response) -> None:
    """End the pass that this request carries: it is good no longer, here or anywhere."""
    await house.passes.end(caller.words, caller.kind)
    _set_cookie(house, request, response, "", 0)


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
async def revoke_pass(house: Asked, person: Signed, known: OwnPass) -> None:
    """Whoever has it is signed out from the next request on."""
    await house.passes.revoke(person, known.id)


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
