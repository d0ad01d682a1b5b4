"""The page as a screen reader gets it: Chromium's accessibility tree (CDP `Accessibility.getFullAXTree`)."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page

_NAMED = {"button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "spinbutton", "slider"}
_NAMED |= {"progressbar", "image", "region", "navigation", "DisclosureTriangle", "switch", "menuitem"}
_LANDMARKS = {"banner", "main", "contentinfo", "navigation", "complementary", "search", "form", "region"}
_ONCE = ("main", "banner")
_NEED_NO_NAME = {"RootWebArea", "generic", "none", "alert"}  # an alert that takes the focus is read as a whole


@dataclass(frozen=True, kw_only=True, slots=True)
class Node:
    """One node that is told to a screen reader."""

    role: str
    name: str
    level: int
    is_focusable: bool
    parts: tuple[str, ...] = field(default=())  # roles of the nodes above it


def tree(page: Page) -> list[Node]:
    """Return the nodes that are not ignored, in the order in which they are read."""
    session = page.context.new_cdp_session(page)
    nodes = {node["nodeId"]: node for node in session.send("Accessibility.getFullAXTree")["nodes"]}
    session.detach()
    return list(_walk(next(node for node in nodes.values() if "parentId" not in node), nodes, ()))


def _walk(node: dict[str, Any], nodes: dict[str, Any], above: tuple[str, ...]) -> Iterator[Node]:
    role = node.get("role", {}).get("value", "")
    if not node.get("ignored"):
        told = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
        yield Node(
            role=role,
            name=str(node.get("name", {}).get("value", "")).strip(),
            level=int(told.get("level", 0)),
            is_focusable=bool(told.get("focusable")),
            parts=above,
        )
        above = (*above, role)
    for child in node.get("childIds", []):
        if child in nodes:
            yield from _walk(nodes[child], nodes, above)


def of_tree(nodes: list[Node]) -> Iterator[str]:
    """Names and roles (4.1.2), the outline (1.3.1, 2.4.6), the landmarks and the page's title (2.4.2)."""
    root = nodes[0]
    if not root.name.endswith("Tally"):
        yield f"the page's title is {root.name!r}"
    for node in nodes:
        if (node.role in _NAMED or (node.is_focusable and node.role not in _NEED_NO_NAME)) and not node.name:
            yield f"without a name: {node.role} in {' > '.join(node.parts[-4:])}"
    yield from _outline([node for node in nodes if node.role == "heading"])
    landmarks = [node for node in nodes if node.role in _LANDMARKS]
    for role in _ONCE:
        if (number := sum(node.role == role for node in landmarks)) != 1:
            yield f"{number} landmarks {role}"
    for role, name in {(node.role, node.name) for node in landmarks if node.role not in _ONCE}:
        if role == "form" and not name:  # no landmark
            continue
        if (number := sum((node.role, node.name) == (role, name) for node in landmarks)) > 1:
            yield f"{number} landmarks {role} of the name {name!r}"


def _outline(headings: list[Node]) -> Iterator[str]:
    firsts = [heading for heading in headings if heading.level == 1]
    if len(firsts) != 1:
        yield f"{len(firsts)} headings of level 1: {[heading.name for heading in firsts]}"
    before = 0
    for heading in headings:
        if not heading.name:
            yield f"an empty heading of level {heading.level}"
        if heading.level > before + 1:
            yield f"heading {heading.name!r}: level {heading.level} after {before}"
        before = heading.level
