"""Pages as text. All that comes from elsewhere is escaped on its way in, and there is no other way in."""

from html import escape
from typing import Any

from bottega.accounts.people import Person

_TITLE = "Bottega"


def home(root: str) -> str:
    """For whoever is not signed in: what this is, and what to do next."""
    return _page(
        root,
        _TITLE,
        "<h1>Bottega</h1>"
        '<p class="lead quiet">A workshop where people work with LLM agents on real projects.</p>'
        "<h2>Sign in</h2><p>On the machine that runs this server, run</p>"
        "<pre><code>bottega people link</code></pre>"
        "<p>and open what it prints: it is good once, and for a minute. Somebody who has no name here yet gets one"
        " with <code>bottega people add NAME</code>.</p>"
        "<h2>Work from a terminal</h2>"
        "<pre><code>bottega attach</code></pre>"
        f'<p>For programs there is <a href="{escape(root)}/reference">every route in words</a>.</p>',
        name="home",
    )


def unbuilt(root: str, person: Person) -> str:
    """For a source tree whose pages nobody has built."""
    return _page(
        root,
        _TITLE,
        f"<h1>Bottega</h1><p>You are signed in as <strong>{escape(person.name)}</strong>.</p>"
        "<p>The studio's pages are not built yet. In the folder of its sources, run</p>"
        "<pre><code>make run</code></pre><p>which builds them; then load this page again.</p>"
        '<p><button id="sign-out" type="button" hidden>Sign out</button></p>',
    )


def nowhere(root: str) -> str:
    """For an address at which nothing is."""
    return _page(
        root,
        "Not found",
        "<h1>There is nothing here</h1><p>No page of this server has that address. Sessions and settings are reached"
        f' from <a href="{escape(root)}/">the first page</a>.</p>',
    )


def sign_in(root: str, *, asks: bool) -> str:
    """`asks`: a page of somebody else's may have led here, so nobody is signed in unasked."""
    return _page(
        root,
        "Sign in",
        '<h1>One moment</h1><p id="said" role="status">You are being signed in.</p>'
        "<noscript><p>Signing in needs a script of this page: it takes the link out of the address, so that it is"
        " nowhere kept. Allow scripts for this address, and open a new link of <code>bottega people link</code>."
        "</p></noscript>"
        '<p><button id="go-on" type="button" hidden>Sign in</button></p>'
        f'<p><a href="{escape(root)}/">To the first page</a></p>',
        name="sign-in-asked" if asks else "sign-in",
    )


def reference(root: str, document: dict[str, Any]) -> str:
    """Every route of an OpenAPI document, by its group."""
    groups: dict[str, list[str]] = {}
    for path, methods in document.get("paths", {}).items():
        for method, route in methods.items():
            tag = (route.get("tags") or ["others"])[0]
            groups.setdefault(tag, []).append(_route(method.upper(), path, route))
    links = "".join(f'<li><a href="#{escape(tag)}">{escape(tag)}</a></li>' for tag in groups)
    parts = "".join(
        f'<section aria-labelledby="{escape(tag)}"><h2 id="{escape(tag)}">{escape(tag.capitalize())}</h2>'
        f'<ul class="routes">{"".join(rows)}</ul></section>'
        for tag, rows in groups.items()
    )
    return _page(
        root,
        "Routes",
        f'<nav aria-label="Bottega"><a href="{escape(root)}/">Bottega</a></nav>'
        '<h1>Routes</h1><p class="quiet">Errors are <code>application/problem+json</code>: what happened, and what to'
        " do next. Shapes and bounds are in the"
        f' <a href="{escape(root)}/api/openapi.json">OpenAPI document</a>.</p>'
        f'<nav aria-label="Groups"><ul>{links}</ul></nav>{parts}',
    )


def _route(method: str, path: str, route: dict[str, Any]) -> str:
    told = route.get("description") or route.get("summary") or ""
    asks = [each["name"] for each in route.get("parameters", []) if each.get("in") == "query"]
    body = route.get("requestBody", {}).get("content", {})
    shapes = [each.get("schema", {}).get("$ref", "").rpartition("/")[2] for each in body.values()]
    said = [f"?{name}" for name in asks] + [shape for shape in shapes if shape]
    items = "".join(f"<li><code>{escape(each)}</code></li>" for each in said)
    return (
        f'<li><h3><span class="method {escape(method)}">{escape(method)}</span>'
        f"<code>{escape(path)}</code></h3><p>{_marked(told)}</p>"
        + (f'<ul class="asks" aria-label="Takes">{items}</ul>' if items else "")
        + "</li>"
    )


def _page(root: str, title: str, body: str, name: str = "plain") -> str:
    whole = title if title == _TITLE else f"{title} · {_TITLE}"
    return (
        f'<!doctype html>\n<html lang="en" data-root="{escape(root)}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<title>{escape(whole)}</title><link rel="icon" href="{escape(root)}/icon.svg">'
        f'<link rel="stylesheet" href="{escape(root)}/page.css">'
        f'<script src="{escape(root)}/page.js" defer></script></head>'
        f'<body id="{name}"><main>{body}</main></body></html>\n'
    )


def _marked(text: str) -> str:
    """Escaped, and what stands between backticks as code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if n % 2 else part for n, part in enumerate(parts))
