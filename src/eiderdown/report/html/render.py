"""A page's view model as HTML: templates that escape all texts, with scripts and styles inside.

The page forbids itself to load anything, and to run any script but its own: its policy names them
by their hashes.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from eiderdown.report.html.packing import script_json
from eiderdown.report.html.view import Page
from eiderdown.terminal import visible

_SCRIPTS = ("tables.js", "graphs.js", "thresholds.js", "why_not.js", "controls.js")


def render_page(page: Page) -> str:
    """Return the page as HTML."""
    library = asset("cytoscape.min.js") if page.has_graph else ""
    scripts = "\n".join(asset(name) for name in _SCRIPTS)
    style, theme = asset("tokens.css") + asset("report.css"), asset("theme.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {' '.join(map(_hash, filter(None, (theme, library, scripts))))}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    template = _environment().get_template("page.html.jinja")
    return template.render(
        page=page,
        policy=policy,
        style=Markup(style),
        theme=Markup(theme),
        library=Markup(library),
        scripts=Markup(scripts),
    )


@cache
def asset(name: str) -> str:
    """Return the text of a file that goes into pages."""
    return files("eiderdown.report.html").joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}'"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("eiderdown.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["script_json"] = lambda plain: Markup(script_json(plain))
    return environment


def _shown(value: Any) -> Any:
    """Write what nobody would see, or what turns the direction of writing, as escapes."""
    return visible(value) if type(value) is str else value
