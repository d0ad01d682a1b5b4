"""Django's templates with quicker values: `{{ each.problem.title|upper }}`, also in conditions and arguments of tags.

A page has thousands of values, most of them plain text or attributes of plain objects. For each attribute Django raises
and catches an exception, and each text goes through a dozen calls on its way into the page.

How it works: `Loader` is the cached loader of Django, but templates are compiled with our parser (settings.TEMPLATES).
It makes our expressions in the place of Django's, and our node of each `{{ }}`. What comes out is the same
(tests/web/test_templating.py compares them); what is rare is left to Django. Templates of an engine with `debug` are
Django's own, whose errors tell the line.
"""

from html import escape
from typing import Any

from django.template.base import (
    FilterExpression,
    Lexer,
    Node,
    NodeList,
    Origin,
    Parser,
    Template,
    Token,
    Variable,
    VariableDoesNotExist,
    VariableNode,
    render_value_in_context,
)
from django.template.context import Context
from django.template.exceptions import TemplateDoesNotExist
from django.template.loaders import base, cached
from django.utils.safestring import SafeData, SafeString, mark_safe
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]  # not in the stubs

_MISSING = object()


class _HasItems(dict[type, bool]):
    """Whether objects of a type may have items: `object[name]` is tried before `object.name`."""

    def __missing__(self, kind: type) -> bool:
        has_items = self[kind] = hasattr(kind, "__getitem__")
        return has_items


_has_items = _HasItems()


class _Variable(Variable):
    """A variable with its attributes."""

    __slots__ = ("_attributes", "_name")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._name, *self._attributes = self.lookups or ("",)

    def find(self, context: Context) -> Any:
        """Return its value; `_MISSING` where Django raises VariableDoesNotExist."""
        if self.lookups is None or self.translate:
            return self.resolve(context)
        first = self._name
        for names in reversed(context.dicts):
            if first in names:
                value = names[first]
                break
        else:
            return _MISSING
        try:
            if callable(value):
                value = _called(value)
            for name in self._attributes:
                value = self._attribute(value, name)
                if callable(value):
                    value = _called(value)
        except Exception as error:  # noqa: BLE001 - Django decides what becomes of it
            if getattr(error, "silent_variable_failure", False) and context.template:  # such as a row that is not there
                return context.template.engine.string_if_invalid
            try:
                return self.resolve(context)
            except VariableDoesNotExist:
                return _MISSING
        return value

    @staticmethod
    def _attribute(value: Any, name: str) -> Any:
        """Return the item, else the attribute of this name. Raises whatever they raise."""
        if _has_items[type(value)]:
            try:
                return value[name]
            except (TypeError, AttributeError, KeyError, ValueError, IndexError):
                pass
        return getattr(value, name)


def _called(value: Any) -> Any:
    """Return what a value that can be called stands for. Raises LookupError if Django is to decide."""
    if getattr(value, "do_not_call_in_templates", False):
        return value
    if getattr(value, "alters_data", False):
        raise LookupError
    return value()


class _Expression(FilterExpression):
    """A variable or literal with its filters."""

    __slots__ = ("_steps",)

    def __init__(self, token: str, parser: Parser) -> None:
        super().__init__(token, parser)
        if self.is_var:
            self.var = _Variable(self.var.var)
        self._steps = [
            (
                function,
                [(is_variable, value if is_variable else mark_safe(value)) for is_variable, value in arguments],  # noqa: S308
                getattr(function, "expects_localtime", False),
                getattr(function, "needs_autoescape", False),
                getattr(function, "is_safe", False),
            )
            for function, arguments in self.filters
        ]

    def resolve(self, context: Context, ignore_failures: bool = False) -> Any:
        """Return the value, after all filters."""
        value: Any = self.var
        if type(value) is _Variable:
            value = value.find(context)
            if value is _MISSING:
                if not ignore_failures:
                    return super().resolve(context)
                value = None
        elif self.is_var:  # what `{% translate %}` makes of a literal
            return super().resolve(context, ignore_failures)
        for function, given, expects_localtime, needs_autoescape, is_safe in self._steps:
            arguments = [each.resolve(context) if is_variable else each for is_variable, each in given]
            if expects_localtime:
                value = template_localtime(value, context.use_tz)
            filtered = (
                function(value, *arguments, autoescape=context.autoescape)
                if needs_autoescape
                else function(value, *arguments)
            )
            value = mark_safe(filtered) if is_safe and isinstance(value, SafeData) else filtered  # noqa: S308 - as Django
        return value


class _Value(VariableNode):
    """`{{ }}`."""

    def render(self, context: Context) -> str:
        """Return the value as text of a page."""
        try:
            value = self.filter_expression.resolve(context)
        except UnicodeDecodeError:
            return ""
        kind = type(value)
        if kind is SafeString:
            return str(value)
        if kind is str and context.autoescape:
            return escape(value)
        if kind is int and context.use_l10n is False:
            return str(value)
        return str(render_value_in_context(value, context))

    render_annotated = render  # what it adds is for an engine with `debug`


class _Parser(Parser):
    def compile_filter(self, token: str) -> FilterExpression:
        return _Expression(token, self)

    def extend_nodelist(self, nodelist: NodeList, node: Node, token: Token) -> None:
        quick = _Value(node.filter_expression) if type(node) is VariableNode else node
        super().extend_nodelist(nodelist, quick, token)


class _Template(Template):
    def compile_nodelist(self) -> NodeList:
        if self.engine.debug:
            return super().compile_nodelist()
        engine = self.engine
        parser = _Parser(
            Lexer(self.source).tokenize(), engine.template_libraries, engine.template_builtins, self.origin
        )
        nodes = parser.parse()
        self.extra_data = parser.extra_data
        return nodes


class _Compiling(base.Loader):
    """What finds and compiles a template that is not in the cache, as Django's base class does."""

    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        tried = []
        for origin in self.get_template_sources(template_name):
            if skip is not None and origin in skip:
                tried.append((origin, "Skipped to avoid recursion"))
                continue
            try:
                contents = self.get_contents(origin)  # type: ignore[attr-defined]  # of each kind of loader
            except TemplateDoesNotExist:
                tried.append((origin, "Source does not exist"))
                continue
            return _Template(contents, origin, str(origin.template_name), self.engine)
        raise TemplateDoesNotExist(template_name, tried=tried)


class Loader(cached.Loader, _Compiling):
    """The loader of settings.TEMPLATES: it keeps each template that it has compiled until the process ends."""
