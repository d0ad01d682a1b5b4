"""Columns drawn without a template: `{% histogram_svg histogram %}`, `{% distribution_svg bins %}`."""

from collections.abc import Sequence
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from web.presentation.setter.class_view import Bin
from web.presentation.statistics.histogram import Column, Histogram
from web.presentation.units import count

register = template.Library()
_AXIS = '<line class="axis" x1="0" x2="100%" y1="90" y2="90"/>'


@register.simple_tag
def histogram_svg(histogram: Histogram) -> SafeString:
    """Return the picture of a histogram, which tells its columns in words too."""
    columns = [column for column in histogram.columns if column.number]
    own = _("you are here")
    told = "".join(f"{column.title}, {own}. " if column.is_own else f"{column.title}. " for column in columns)
    drawn = (
        f'<svg class="distribution histogram" width="100%" height="110" role="img" aria-label="'
        f'{escape(histogram.label)}: {escape(told)}"><svg y="16" width="100%" height="74">'
        f"{''.join(_column(each, ' own' if each.is_own else '') for each in columns)}</svg>{_AXIS}"
        f"{''.join(map(_words_of_column, histogram.columns))}</svg>"
    )
    return mark_safe(drawn)  # noqa: S308 - the words are escaped


def _column(column: Column | Bin, more_class: str = "") -> str:
    return (
        f'<rect class="bin{more_class}" x="{column.x}%" y="{column.y}%" width="{column.width}%"'
        f' height="{column.height}%"><title>{escape(column.title)}</title></rect>'
    )


def _words_of_column(column: Column) -> str:
    number = f'<text class="bin-number" x="{column.x}%" dx="1" y="{column.number_y}">{count(column.number)}</text>'
    label = f'<text class="bin-label" x="{column.x}%" y="106">{escape(column.label)}</text>'
    return (number if column.number else "") + (label if column.is_labelled else "")


@register.simple_tag
def distribution_svg(bins: Sequence[Bin]) -> SafeString:
    """Return the picture of a class: a column for each bin, under the line of the whole class."""
    filled = [each for each in bins if each.number]
    told = "".join(f"{each.title}. " for each in filled)
    drawn = (
        f'<svg class="distribution" width="100%" height="110" role="img" aria-label="{escape(told)}">'
        f'<svg y="14" width="100%" height="76">{"".join(map(_column, filled))}</svg>'
        f'<line class="whole-class" x1="0" x2="100%" y1="14" y2="14"/>{_AXIS}'
        f"{''.join(_words_of_bin(each, is_even=place % 2 == 0) for place, each in enumerate(bins))}</svg>"
    )
    return mark_safe(drawn)  # noqa: S308 - the words are escaped


def _words_of_bin(one: Bin, *, is_even: bool) -> str:
    number = (
        f'<svg y="14" width="100%" height="76" class="bin-over"><text class="bin-number" x="{one.x}%" dx="2"'
        f' y="{one.y}%" dy="-3">{count(one.number)}</text></svg>'
    )
    even = " even" if is_even else ""
    label = f'<text class="bin-label{even}" x="{one.x}%" y="106">{escape(one.label)}</text>'
    return (number if one.number else "") + label
