"""The hooks of allauth.mfa: secrets of second factors are encrypted with a key that settings.SECRET_KEY gives."""

import base64
import hashlib
import hmac

from allauth.account.utils import user_username
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ImproperlyConfigured

_PURPOSE = b"web.identity.second_factor"


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """An authenticator app shows the account's name. The database, and a backup of it, has no secret in clear."""

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return str(user_username(user))

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """Return the secret. Raises ImproperlyConfigured when SECRET_KEY has changed since."""
        try:
            return _cipher().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            raise ImproperlyConfigured(
                "a second factor was stored under another TALLY_SECRET_KEY; set that key again,"
                " or run manage.py remove_second_factor NAME"
            ) from None


def remove(user: AbstractBaseUser) -> bool:
    """Take an account's second factor and recovery codes away; return whether it had one."""
    deleted: int = Authenticator.objects.filter(user_id=user.pk).delete()[0]
    return deleted > 0


def _cipher() -> Fernet:
    key = hmac.digest(settings.SECRET_KEY.encode(), _PURPOSE, hashlib.sha256)
    return Fernet(base64.urlsafe_b64encode(key))
