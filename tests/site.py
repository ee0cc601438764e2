"""What MkDocs is told beside mkdocs.yml: pages that stand outside of docs/ come in as they are.

Pages link to one another as files of the repository, so that they can be read there. On the site a
link goes where that file has come to; one to a folder is none there.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = "docs/"
PAGES = {  # beside docs/, by where they are on the site
    "guide.md": "README.md",
    "architecture.md": "ARCHITECTURE.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
    "security.md": "SECURITY.md",
    "code_of_conduct.md": "CODE_OF_CONDUCT.md",
}
FILES = "files/"  # where the others are that pages link to
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
LINK_TO_NOTHING = re.compile(r"\[([^\[\]]+)\]\(\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every decision has its place, in their order."""
    decisions = sorted(Path(config.docs_dir, "adr").glob("*.md"))
    for part in config.nav or []:
        if "Decisions" in part:
            part["Decisions"] = [f"adr/{path.name}" for path in decisions]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for uri, name in PAGES.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / name)))
    for page in [each for each in files if each.is_documentation_page()]:
        for target, _ in LINK.findall(page.content_string):
            uri = place(page.src_uri, target)
            if uri.startswith(FILES) and files.get_file_from_path(uri) is None:
                source = ROOT / uri.removeprefix(FILES)
                files.append(File.generated(config, uri, abs_src_path=str(source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    here = posixpath.dirname(page.file.src_uri) or "."

    def moved(link: re.Match[str]) -> str:
        uri = place(page.file.src_uri, link[1])
        return f"]({posixpath.relpath(uri, here)}{link[2] or ''})" if uri else "]()"

    return LINK_TO_NOTHING.sub(r"\1", LINK.sub(moved, markdown))


def place(uri: str, target: str) -> str:
    """Where on the site a file is that this page of it links to; "" for a folder."""
    page = PAGES.get(uri, DOCS + uri)
    name = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
    if (ROOT / name).is_dir():
        return ""
    if name.startswith(DOCS):
        return name.removeprefix(DOCS)
    return next((uri for uri, page in PAGES.items() if page == name), FILES + name)
