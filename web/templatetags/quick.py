"""The tags `translate`, `blocktranslate`, `url` and `csrf_token` of Django, without what comes out the same each time.

The settings put them in the place of Django's in every template. A page of twenty test cases has a thousand of them.

How it works: each tag is the node that Django makes, and keeps what follows from the template and the language alone:
the translation of a literal, the sentence that a block is. What follows from the answer alone (its language, the prefix
of its addresses, its token) is found out once per rendering. Whatever is rarer than that is left to Django's node.
"""

from typing import Any

from django.template import Library, Node
from django.template.base import Parser, Token, render_value_in_context
from django.template.context import Context
from django.template.defaulttags import CsrfTokenNode, URLNode, csrf_token, url
from django.templatetags.i18n import BlockTranslateNode, TranslateNode, do_block_translate, do_translate
from django.urls import NoReverseMatch
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext

from web.addresses import address_within, surroundings

register = Library()
_LANGUAGE, _ADDRESSES, _TOKEN = object(), object(), object()  # keys of what one rendering keeps


def _kept(context: Context) -> dict[Any, Any]:
    """Return the mapping that lives as long as one rendering with all that it includes."""
    kept: dict[Any, Any] = context.render_context.dicts[0]
    return kept


def _language(context: Context) -> str | None:
    kept = _kept(context)
    if _LANGUAGE not in kept:
        kept[_LANGUAGE] = get_language()
    language: str | None = kept[_LANGUAGE]
    return language


class _Translate(TranslateNode):
    """`{% translate "..." %}`, whose text is the same for all readers of a language."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        said = self.filter_expression
        self._is_literal = said.var.literal is not None and not said.filters and not self.message_context
        self._said: dict[str | None, Any] = {}

    def render(self, context: Context) -> str:
        """Return the sentence, or set the variable."""
        language = _language(context)
        said = self._said.get(language)
        if said is None:
            rendered = super().render(context)
            if not self._is_literal:
                return rendered
            said = self._said[language] = context[self.asvar] if self.asvar else rendered
        if not self.asvar:
            return str(said)
        context[self.asvar] = said
        return ""


class _BlockTranslate(BlockTranslateNode):
    """`{% blocktranslate %}`, whose sentence is put together once."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._one, names = self.render_token_list(self.singular)
        self._many, more = self.render_token_list(self.plural) if self.plural else ("", [])
        self._names = tuple(dict.fromkeys([*names, *more]))
        self._said: dict[str | None, str] = {}

    def render(self, context: Context, nested: bool = False) -> str:
        """Return the sentence with its values, or set the variable. Django's node copes with a faulty catalogue."""
        if nested or self.message_context:
            return str(super().render(context, nested))
        context.update({name: value.resolve(context) for name, value in self.extra_context.items()})
        try:
            sentence = self._sentence(context)
            missing = context.template.engine.string_if_invalid if context.template else ""
            values = {name: render_value_in_context(context.get(name, missing), context) for name in self._names}
        finally:
            context.pop()
        try:
            said = sentence % values
        except (KeyError, ValueError):
            return str(super().render(context))
        if not self.asvar:
            return said
        context[self.asvar] = SafeString(said)
        return ""

    def _sentence(self, context: Context) -> str:
        if self.plural and self.countervar and self.counter:
            count = context[self.countervar] = self.counter.resolve(context)
            return ngettext(self._one, self._many, count)
        language = _language(context)
        if language not in self._said:
            self._said[language] = gettext(self._one)
        return self._said[language]


class _Url(URLNode):
    """`{% url %}`, by `web.addresses`."""

    def render(self, context: Context) -> str:
        """Return the address, or set the variable."""
        if self.kwargs:
            return str(super().render(context))
        kept = _kept(context)
        if _ADDRESSES not in kept:
            kept[_ADDRESSES] = surroundings()
        try:
            values = [each.resolve(context) for each in self.args]
            address = address_within(kept[_ADDRESSES], self.view_name.resolve(context), values)
        except NoReverseMatch:
            if self.asvar is None:
                raise
            address = ""
        if self.asvar is None:
            return conditional_escape(address) if context.autoescape else address
        context[self.asvar] = address
        return ""


class _CsrfToken(CsrfTokenNode):
    """`{% csrf_token %}`: one field for all forms of an answer."""

    def render(self, context: Context) -> str:
        """Return the hidden field."""
        kept = _kept(context)
        if not kept.get(_TOKEN):
            kept[_TOKEN] = super().render(context)
        return str(kept[_TOKEN])


@register.tag("translate")
@register.tag("trans")
def translate(parser: Parser, token: Token) -> Node:
    """Parse as Django does."""
    node = do_translate(parser, token)
    return _Translate(node.filter_expression, node.noop, node.asvar, node.message_context)


@register.tag("blocktranslate")
@register.tag("blocktrans")
def blocktranslate(parser: Parser, token: Token) -> Node:
    """Parse as Django does."""
    node = do_block_translate(parser, token)
    return _BlockTranslate(
        node.extra_context, node.singular, node.plural, node.countervar, node.counter, node.message_context,
        trimmed=node.trimmed, asvar=node.asvar, tag_name=token.split_contents()[0],
    )  # fmt: skip


@register.tag("url")
def quick_url(parser: Parser, token: Token) -> Node:
    """Parse as Django does."""
    node = url(parser, token)
    return _Url(node.view_name, node.args, node.kwargs, node.asvar)


@register.tag("csrf_token")
def quick_csrf_token(parser: Parser, token: Token) -> Node:
    """Parse as Django does."""
    csrf_token(parser, token)
    return _CsrfToken()
