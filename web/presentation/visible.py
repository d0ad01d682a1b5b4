"""Bytes and text of strangers made visible: nothing invisible stays invisible, nothing becomes markup.

Control characters and invalid UTF-8 show as `\\x00`, bidirectional controls and zero-width characters as `U+202E`
(the "Trojan Source" trick: CVE-2021-42574).
"""

import re
import unicodedata

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe

EXCERPT_BYTES = 4_096  # what the judge keeps of a sample's output, error output and answer

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff"
_DIRECTION_AND_WIDTH = (
    r"\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_INVISIBLE = re.compile(f"[{_CONTROLS}{_DIRECTION_AND_WIDTH}]")
_CODE = re.compile(r"`([^`]+)`")


def visible_bytes(data: bytes | memoryview, capped_at: int = EXCERPT_BYTES) -> SafeString:
    """Bytes as safe HTML text. A character that the cap cut in two is dropped, not shown as invalid."""
    content = bytes(data)
    text = content.decode("utf-8", "surrogateescape")
    if len(content) >= capped_at:
        text = _without_cut_character(text)
    return visible_text(text)


def visible_text(text: str) -> SafeString:
    """Text as safe HTML text with everything invisible marked."""
    return mark_invisible(escape(text))


def with_code(text: str) -> SafeString:
    """Text as safe HTML text in which what stands between backticks is code."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", visible_text(text)))  # noqa: S308 - only <code> is added


def mark_invisible(html: SafeString) -> SafeString:
    """Safe HTML with the invisible characters in its text replaced by marks."""
    return mark_safe(_INVISIBLE.sub(_mark, conditional_escape(html)))  # noqa: S308 - only fixed markup is added


def _mark(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f'<span class="invisible-mark" title="invalid UTF-8">\\x{code - 0xDC00:02x}</span>'
    if code < 0xA0:
        return f'<span class="invisible-mark" title="control character">\\x{code:02x}</span>'
    name = unicodedata.name(character, "invisible character").lower()
    return f'<span class="invisible-mark invisible-mark-loud" title="{escape(name)}">U+{code:04X}</span>'


def _without_cut_character(text: str) -> str:
    tail = len(text)
    while tail > 0 and len(text) - tail < 3 and 0xDC80 <= ord(text[tail - 1]) <= 0xDCFF:
        tail -= 1
    cut = text[tail:]
    starts_a_character = bool(cut) and ord(cut[0]) - 0xDC00 >= 0xC2
    return text[:tail] if starts_a_character else text
