"""Django's settings: everything that environment variables decide. Each has a default, a type and a unit.

Wrong values stop the start with a sentence for each, which names the variable.
"""

import os
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from csp.constants import NONCE, NONE, SELF

from judge.grading import languages  # their names would be a setting of Django's
from web.operations import services
from web.server.db_pool import with_timeouts
from web.settings import environment
from web.settings.connections import database, mail_settings, openid_providers, package_storage, redis
from web.settings.environment import boolean as _bool, integer as _int, text as _text

environment.gather()
BASE_DIR = Path(__file__).resolve().parents[2]
_DAY_S = 24 * 60 * 60

VAR_DIR = Path(_text("TALLY_VAR_DIR", str(BASE_DIR / "var")))  # what this installation writes for itself
WORK_DIR = Path(_text("TALLY_WORK_DIR", "/var/lib/tally/work"))  # jails' folders; everybody must be able to search it
STORE_DIR = Path(_text("TALLY_STORE_DIR", "/var/lib/tally/store"))  # immutable package versions by digest

# What lies behind the package store, so that workers on other hosts have the packages: docs/settings.md.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
if _packages := package_storage():
    STORAGES["packages"] = _packages
PACKAGE_CACHE_BYTES = _int("TALLY_PACKAGE_CACHE_BYTES", 8 * 1024**3, least=0)  # STORE_DIR is then a cache of so much

DEBUG = _bool("TALLY_DEBUG", False)
SECRET_KEY = environment.secret("TALLY_SECRET_KEY") or environment.kept_secret_key(VAR_DIR)
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"]  # how this machine calls itself, and asks whether all is well
ALLOWED_HOSTS = [*environment.hosts("TALLY_ALLOWED_HOSTS"), *LOOPBACK_HOSTS]
DEMO_ACCOUNTS = _bool("TALLY_DEMO_ACCOUNTS", False)  # set by `make run` only

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "axes",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.mfa",
    "problems",
    "judge",
    "web",
]
MIDDLEWARE = [
    "web.server.middleware.give_back",
    "web.server.middleware.secure_cookies",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "web.server.middleware.CompressedPages",
    "csp.middleware.CSPMiddleware",
    "web.server.middleware.refuse_nul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "web.identity.preferences.own_time_zone",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
    "web.server.middleware.Outages",
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
ROOT_URLCONF = "web.urls"
ASGI_APPLICATION = "web.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "web" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "web.identity.preferences.in_templates",
            ],
            "builtins": ["django.templatetags.i18n"],  # every template has sentences
        },
    },
    {  # what stands on a page hundreds of times: web.templatetags.drawing
        "BACKEND": "django.template.backends.jinja2.Jinja2",
        "DIRS": [BASE_DIR / "web" / "jinja2"],
        "OPTIONS": {"trim_blocks": True, "lstrip_blocks": True},
    },
]

# `make run`, `make test` and the worker set both; without them the embedded services' addresses are the default.
DATABASES = {
    "default": with_timeouts(database(environment.secret("DATABASE_URL", services.postgres_url(VAR_DIR / "postgres"))))
}
REDIS_URL = redis(environment.secret("REDIS_URL", services.redis_url(VAR_DIR / "redis")))
EMBEDDED_POSTGRES = not environment.is_given("DATABASE_URL")  # `make run` starts them
EMBEDDED_REDIS = not environment.is_given("REDIS_URL")
HOST = _text("TALLY_HOST", "127.0.0.1")  # where `make run` listens
PORT = _int("TALLY_PORT", 8000, most=65_535)
TRUSTED_PROXIES = environment.networks("TALLY_TRUSTED_PROXIES", "127.0.0.1,::1")  # who may say whom it asks for
WEB_PROCESSES = _int("TALLY_WEB_PROCESSES", max(1, min(4, (os.cpu_count() or 1) // 2)))  # the workers want cores too
MOST_STREAMS = _int("TALLY_MOST_STREAMS", 2000, least=0)  # live pages at once, of each web process
MOST_STREAMS_PER_READER = _int("TALLY_MOST_STREAMS_PER_READER", 20)  # likewise of one account, or address
REQUESTS_AT_ONCE = _int("TALLY_REQUESTS_AT_ONCE", 4)  # that a web process works on; the others stand in line
EXPORTS_AT_ONCE = 2  # pieces of long downloads that a web process makes at a time
# Connections of each web process: two more for live pages, two for /readyz and /metrics. Tests set 0: no pool.
DATABASE_POOL = REQUESTS_AT_ONCE + 2 + 2 + EXPORTS_AT_ONCE
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Sentences are written in English in the source. Another language needs its catalogue below web/locale and its entry
# here, under the name that it gives itself. web/identity/language.py says how a reader's language is found.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("ko", "한국어")]
USE_I18N = True
LOCALE_PATHS = [BASE_DIR / "web" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "web" / "static"]
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]  # our files alone
STATIC_ROOT = BASE_DIR / "web" / "collected"  # made by `make setup`; files of earlier builds stay
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "problem_list"
LOGOUT_REDIRECT_URL = "home"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SIGN_UP = environment.choice("TALLY_SIGN_UP", "open", ("open", "invitation", "closed"))  # who may make an account
SIGN_UPS_PER_ADDRESS = _int("TALLY_SIGN_UPS_PER_ADDRESS", 60)  # accounts within an hour, without an invitation
AXES_FAILURE_LIMIT = _int("TALLY_LOGIN_FAILURE_LIMIT", 8)  # wrong passwords for one account from one address
AXES_COOLOFF_TIME = timedelta(minutes=_int("TALLY_LOGIN_COOLOFF_MINUTES", 10, most=_DAY_S // 60))
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # a classroom shares an address: one typo locks nobody else
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "web.server.client_address.client_address"
LOGIN_FAILURES_PER_ADDRESS = _int("TALLY_LOGIN_FAILURES_PER_ADDRESS", 50)  # then each further try waits
AXES_LOCKOUT_TEMPLATE = "accounts/locked.html"
AXES_VERBOSE = False

# What allauth counts (docs/settings.md): in the database, since web processes share its limits and used codes.
CACHES = {"default": {"BACKEND": "django.core.cache.backends.db.DatabaseCache", "LOCATION": "cache_entries"}}
ACCOUNT_ADAPTER = "web.identity.account_adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "optional"  # an account needs no address; one that it has was confirmed by a link
ACCOUNT_CHANGE_EMAIL = True  # the confirmed address stays until the new one is confirmed
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Tally] "
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before changes with which somebody else could take an account over
PASSWORD_RESET_TIMEOUT = 60 * 60  # seconds that a link to set a new password works
MFA_ADAPTER = "web.identity.account_adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Tally"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # an account is a name and a password, so nobody takes another's address with one
SOCIALACCOUNT_ADAPTER = "web.identity.openid_adapter.OpenIdAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = False  # a link of somebody else's could connect an identity: web.views.account.openid
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
OPENID_NAME = _text("TALLY_OPENID_NAME", "OpenID")  # what the button says
OPENID_SIGN_UP = _bool("TALLY_OPENID_SIGN_UP", False)  # whether the provider's people get an account by signing in
SOCIALACCOUNT_PROVIDERS = openid_providers(OPENID_NAME)
DEFAULT_FROM_EMAIL = _text("TALLY_MAIL_FROM", "tally@localhost")
globals().update(mail_settings())

SESSION_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "web.views.errors.csrf_failure"
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

# Limits of what people may send.
MAX_SOURCE_BYTES = _int("TALLY_MAX_SOURCE_BYTES", 128 * 1024)
MAX_FORM_BYTES = 4 * 1024 * 1024 + 2 * MAX_SOURCE_BYTES  # of any request but a package upload; above: 413
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_FORM_BYTES  # the same for a form's text, where a package upload may be larger
DATA_UPLOAD_MAX_NUMBER_FILES = 200  # each is an open file until its request is answered; more go as a zip
MAX_IN_FLIGHT_PER_USER = _int("TALLY_MAX_IN_FLIGHT_PER_USER", 10)  # submissions queued or judging at once
SENT_AGAIN_S = _int("TALLY_SENT_AGAIN_S", 10, least=0, most=60)  # so long the same from one person is one piece of work
# Custom runs: a program on samples or on an input of its author's, without a submission.
MAX_CUSTOM_INPUT_BYTES = _int("TALLY_MAX_CUSTOM_INPUT_BYTES", 1024**2, most=4 * 1024**2)  # a form takes no more
MAX_CUSTOM_RUNS_PER_USER = _int("TALLY_MAX_CUSTOM_RUNS_PER_USER", 2)  # queued or running at once
MAX_CUSTOM_RUNS = _int("TALLY_MAX_CUSTOM_RUNS", 100)  # likewise of all people together
CUSTOM_RUN_TIME_MS = _int("TALLY_CUSTOM_RUN_TIME_MS", 10_000)  # of CPU time, where a problem allows more
CUSTOM_RUNS_KEPT_HOURS = _int("TALLY_CUSTOM_RUNS_KEPT_HOURS", 24, most=24 * 365)
# Then what each test case did is deleted; verdicts, sources and totals stay: judge.retention. 0: nothing is.
LEAST_RESULTS_KEPT_DAYS = 30
RESULTS_KEPT_DAYS = environment.days("TALLY_RESULTS_KEPT_DAYS", least=LEAST_RESULTS_KEPT_DAYS)
# Files that people send lie here while they come in: an archive keeps its place by a further name, it is not copied.
FILE_UPLOAD_TEMP_DIR = STORE_DIR / "incoming"
with suppress(OSError):  # a process that may not make it takes no files
    FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
MAX_PACKAGE_BYTES = _int("TALLY_MAX_PACKAGE_BYTES", 256 * 1024 * 1024)  # of an uploaded archive
DISABLED_LANGUAGES = environment.words("TALLY_DISABLED_LANGUAGES", allowed=languages.LANGUAGES)  # ids

# The queue: see docs/architecture.md.
LEASE_S = _int("TALLY_LEASE_S", 30, least=3, most=_DAY_S)  # a claim not renewed for this long is taken back
MAX_ATTEMPTS = _int("TALLY_MAX_ATTEMPTS", 3)
STOP_GRACE_S = _int("TALLY_STOP_GRACE_S", 10, least=0, most=_DAY_S)  # so long a worker finishes what it has
SELF_TEST = _bool("TALLY_SELF_TEST", True)  # False: a worker starts without grading its test programs
SWEEP_EVERY_S = _int("TALLY_SWEEP_EVERY_S", 15, most=_DAY_S)
PROBE_EVERY_S = _int("TALLY_PROBE_EVERY_S", 30, most=_DAY_S)  # whether a worker's host is still well

WORKER_ROLE = environment.choice("TALLY_WORKER_ROLE", "both", ("grade", "profile", "both"))  # judge.models.WorkerRole

# The log, on stderr: docs/alerts.md.
_log_format = environment.choice("TALLY_LOG_FORMAT", "text", ("text", "json"))
_log_level = environment.choice("TALLY_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
_FORMATTERS = {
    "text": {"()": "judge.observability.logs.TextLines", "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
    "json": {"()": "judge.observability.logs.JsonLines"},
}
# Each message's and each login's coming and going; uvicorn's own line per request, which shows the tokens of links.
_CHATTER = ("celery.worker.strategy", "celery.app.trace", "uvicorn.access", "axes")
_root_level = "INFO" if _log_level == "DEBUG" else _log_level  # Celery's DEBUG would drown ours
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": _FORMATTERS[_log_format]},
    "filters": {"tokens": {"()": "judge.observability.logs.WithoutTokens"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["tokens"]}},
    "root": {"handlers": ["stderr"], "level": _root_level},
    "loggers": {
        **{name: {"level": _log_level} for name in ("sandbox", "problems", "judge", "web")},
        **{name: {"level": "WARNING"} for name in _CHATTER},
        "uvicorn": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"level": "ERROR"},
    },
}

# Seen from outside.
METRICS_TOKEN = environment.secret("TALLY_METRICS_TOKEN")  # who may read /metrics; "": this machine alone
COUNTS_DIR = _text("PROMETHEUS_MULTIPROC_DIR", "")  # `web.server.serving` sets it

environment.stop_if_wrong()
