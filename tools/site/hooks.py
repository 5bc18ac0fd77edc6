"""What MkDocs does beside reading docs/: pages from the root of the repository, links out of docs/.

The pages in docs/ are written to be read in the repository as well as on the site. So links to
files that are no part of the site become the names of those files, and examples with prompts are
coloured as such, without what they say to doctest.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
FROM_ROOT = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
_LINK = re.compile(r"\[([^\]]*)\]\(((?:\.\./)+)([^)#\s]+)(#[^)\s]*)?\)")
_DIRECTIVE = re.compile(r"  # doctest: \+.*$", re.MULTILINE)
_FENCE = re.compile(r"^```python\n(?=>>>)", re.MULTILINE)


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that stand in the root of the repository."""
    for name, page in FROM_ROOT.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text.replace("](docs/", "](")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Mend the links that lead out of docs/, and name the language of sessions."""
    here = Path(config.docs_dir, page.file.src_uri).parent

    def mended(found: re.Match[str]) -> str:
        text, up, path, anchor = found.groups()
        target = (here / up / path).resolve()
        if target.is_relative_to(config.docs_dir):
            return found.group()
        name = target.relative_to(ROOT).as_posix()
        if name in FROM_ROOT:
            depth = len(Path(page.file.src_uri).parts) - 1
            return f"[{text}]({'../' * depth}{FROM_ROOT[name]}{anchor or ''})"
        return text if text == name else f"{text} (`{name}`)"

    return _DIRECTIVE.sub("", _FENCE.sub("```pycon\n", _LINK.sub(mended, markdown)))
