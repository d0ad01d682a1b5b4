"""Name what describes a field: `{{ field|described }}` where the template has the help, not the form."""

from django import template
from django.forms.boundfield import BoundField
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def described(field: BoundField) -> SafeString:
    """Return the field with the ids of its help (`<auto_id>_helptext`) and of its errors, for screen readers."""
    ids = [f"{field.auto_id}_helptext", *([f"{field.auto_id}_error"] if field.errors else [])]
    return field.as_widget(attrs={"aria-describedby": " ".join(ids)})
