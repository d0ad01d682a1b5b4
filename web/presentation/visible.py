"""Show untrusted bytes and text safely: mark everything invisible, allow no markup.

Control characters and invalid UTF-8 show as `\\x00`, bidirectional controls and zero-width characters as `U+202E`
(the "Trojan Source" trick: CVE-2021-42574).
"""

import re
import unicodedata

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

EXCERPT_BYTES = 4_096  # what the judge keeps of a sample's output, error output and answer

_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_INVALID = r"\udc80-\udcff"
_DIRECTION_AND_WIDTH = (
    r"\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
# several in a row have one mark: 64 KiB of escapes in a compiler's message were 4 MiB of page
_INVISIBLE = re.compile(rf"[{_CONTROLS}]+|[{_INVALID}]+|([{_DIRECTION_AND_WIDTH}])\1*")
_CODE = re.compile(r"`([^`]+)`")


def visible_bytes(data: bytes | memoryview, capped_at: int = EXCERPT_BYTES) -> SafeString:
    """Return bytes as safe HTML text. A character cut in two by the cap is dropped, not shown as invalid."""
    content = bytes(data)
    text = content.decode("utf-8", "surrogateescape")
    if len(content) >= capped_at:
        tail = len(text)
        while tail > 0 and len(text) - tail < 3 and 0xDC80 <= ord(text[tail - 1]) <= 0xDCFF:
            tail -= 1
        cut = text[tail:]
        starts_a_character = bool(cut) and ord(cut[0]) - 0xDC00 >= 0xC2
        text = text[:tail] if starts_a_character else text
    return visible_text(text)


def visible_text(text: str) -> SafeString:
    """Return text as safe HTML text with everything invisible marked."""
    return mark_invisible(escape(text))


def with_code(text: str) -> SafeString:
    """Return text as safe HTML text, with code between backticks."""
    return mark_safe(_CODE.sub(r"<code>\1</code>", visible_text(text)))  # noqa: S308 - only <code> is added


def mark_invisible(html: SafeString) -> SafeString:
    """Replace the invisible characters in safe HTML's text by marks."""
    return mark_safe(_INVISIBLE.sub(_mark, conditional_escape(html)))  # noqa: S308 - only fixed markup is added


def _mark(match: re.Match[str]) -> str:
    run = match.group()
    if match[1] is None:
        codes = "".join(f"\\x{ord(character) & 0xFF:02x}" for character in run)
        title = escape(_("control character") if ord(run[0]) < 0xA0 else _("invalid UTF-8"))
        return f'<span class="invisible-mark" title="{title}">{codes}</span>'
    name = unicodedata.name(run[0], _("invisible character")).lower()
    codes = " ".join([f"U+{ord(run[0]):04X}"] * len(run))
    return f'<span class="invisible-mark invisible-mark-loud" title="{escape(name)}">{codes}</span>'
