"""The allow-list of HTML and MathML for statements. Everything not listed here is dropped."""

import re
from collections.abc import Callable

import nh3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HTML = _words(
    """a abbr b blockquote br caption code col colgroup dd del dfn div dl dt em figcaption figure h2 h3 h4 h5 h6 hr i
    img ins kbd li ol p pre q s samp section small span strong sub sup table tbody td tfoot th thead tr u ul var"""
)
_MATHML = _words(
    """math semantics mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover
    mmultiscripts mprescripts none mtable mtr mtd mstyle mpadded mphantom menclose merror"""
)
# With their content: what is no text, and the TeX source that pandoc adds to every formula.
_REMOVED_WHOLE = _words(
    """script style annotation annotation-xml title template noscript iframe object embed svg textarea select option
    noembed noframes xmp plaintext"""
)
_MATH_ATTRIBUTES = {
    "math": {"display"},
    "mo": _words("stretchy fence form separator accent lspace rspace minsize maxsize largeop movablelimits symmetric"),
    "mi": {"mathvariant"},
    "mn": {"mathvariant"},
    "mtext": {"mathvariant"},
    "mstyle": {"displaystyle", "scriptlevel", "mathvariant"},
    "mspace": {"width", "height", "depth"},
    "mpadded": {"width", "height", "depth", "lspace", "voffset"},
    "mfrac": {"linethickness"},
    "mover": {"accent"},
    "munder": {"accentunder"},
    "munderover": {"accent", "accentunder"},
    "menclose": {"notation"},
    "mtable": {"columnalign", "rowspacing", "columnspacing", "columnlines", "rowlines", "frame", "displaystyle"},
    "mtd": {"columnalign", "columnspan", "rowspan"},
}
_ATTRIBUTES = {
    "*": {"id"},
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start", "type"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    **{tag: set(names) for tag, names in _MATH_ATTRIBUTES.items()},
}
_LINK = re.compile(r"https?://[^\s\\]+|mailto:[^\s\\]+|#statement-[\w.:-]+", re.IGNORECASE)
_ID = re.compile(r"statement-[\w.:-]{1,100}")
_MATH_VALUE = re.compile(r"[\w .%+-]{1,60}", re.ASCII)
_ALIGNED = re.compile(r'<(t[dh])((?: \w+="[\w ]*")*) style="text-align: (left|right|center);"')
_PICTURE_SIZE = re.compile(r"[0-9]{1,4}%?", re.ASCII)
_PICTURE_PLACE = re.compile(r"files/[\w./%~-]+", re.ASCII)
_ALIGN = {"align": {"left", "right", "center"}}


def sanitise(html: str, picture: Callable[[str], str | None]) -> str:
    """Return the allowed part of the HTML: text, tables, links to http(s), mail and the statement, MathML.

    `picture` says for an img's src where on this site the picture is ("files/..."), or None: then the src is dropped,
    so that no browser asks for anything. It must not raise: nh3 swallows exceptions. No scripts, styles, classes,
    frames, forms or event and htmx attributes; ids begin with "statement-".
    """
    html = _ALIGNED.sub(r'<\1\2 align="\3"', html)  # styles are dropped, so column alignment goes the old way

    def attribute(tag: str, name: str, value: str) -> str | None:
        if tag == "img" and name == "src":
            place = picture(value)
            return place if place is not None and _PICTURE_PLACE.fullmatch(place) and ".." not in place else None
        if name == "href":
            return value if _LINK.fullmatch(value) else None
        if name == "id":
            return value if _ID.fullmatch(value) else None
        if tag == "img" and name != "alt":
            return value if _PICTURE_SIZE.fullmatch(value) else None
        if tag in _MATHML:
            return value if _MATH_VALUE.fullmatch(value) else None
        return value

    return nh3.clean(
        html,
        tags=set(_HTML | _MATHML),
        clean_content_tags=set(_REMOVED_WHOLE),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        tag_attribute_values={"td": _ALIGN, "th": _ALIGN},
        attribute_filter=attribute,
        generic_attribute_prefixes=set(),
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        strip_comments=True,
    )
