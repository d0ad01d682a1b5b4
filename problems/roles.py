"""Distinguish administrators, staff and instructors among accounts. `web.identity.accounts` makes somebody one; what
each may do says `web.access`.

The rules about rows (`visible_to`, `manageable_by`, `readable_by`) ask this. They take any object as a user: nobody is
an AnonymousUser, or None.
"""


def is_staff(user: object) -> bool:
    """Return whether this account may see and do everything."""
    return bool(getattr(user, "is_staff", False))


def is_administrator(user: object) -> bool:
    """Return whether this account also decides about the accounts of others: `manage.py createsuperuser` makes one."""
    return bool(getattr(user, "is_active", False) and getattr(user, "is_superuser", False))


def may_publish(user: object) -> bool:
    """Return whether this account may publish problems and experiments and teach a class: staff and the instructors."""
    has_permission = getattr(user, "has_perm", lambda _: False)
    return is_staff(user) or bool(has_permission("problems.add_problem"))
