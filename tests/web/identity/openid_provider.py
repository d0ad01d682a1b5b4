"""A small OpenID Connect provider: a real HTTP server in the process of the tests, which signs in whom it is told to.

It checks what a provider checks: the client's secret, the address to come back to, that a code is used once, and the
proof of PKCE.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "tally-test", "a secret of the tests"


class Provider:
    """The provider. `person`: the claims of whoever is signed in there; `is_broken`: it answers 500."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.person: dict[str, Any] = {}
        self.is_broken = False
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.codes: dict[str, dict[str, str]] = {}
        self.tokens: dict[str, dict[str, Any]] = {}

    def authorize(self, address: str) -> str:
        """Sign the person in at the address that the site sent the browser to; return where on it the browser goes."""
        back = urlsplit(self.way_back(address))
        return f"{back.path}?{back.query}"

    def way_back(self, address: str) -> str:
        """Sign the person in, and return the whole address of the site to go back to."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert address.startswith(f"{self.address}/authorize?")
        assert asked["client_id"] == CLIENT
        assert asked["response_type"] == "code"
        assert "openid" in asked["scope"].split()
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe()
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    def answer(self, path: str, form: Mapping[str, str], token: str) -> tuple[int, object]:
        """Return status and JSON of a request."""
        if self.is_broken:
            return 500, {}
        match path:
            case "/.well-known/openid-configuration":
                ends = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
                found: dict[str, Any] = {f"{name}_endpoint": f"{self.address}/{end}" for name, end in ends.items()}
                methods = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
                return 200, {"issuer": self.address, "jwks_uri": f"{self.address}/keys", **found, **methods}
            case "/token":
                return self._token(form)
            case "/userinfo" if token in self.tokens:
                return 200, self.tokens[token]
            case "/keys":
                return 200, {"keys": [json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))]}
        return 404, {}

    def _token(self, form: Mapping[str, str]) -> tuple[int, object]:
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None or form.get("redirect_uri") != asked["redirect_uri"] or form.get("client_secret") != SECRET:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != asked["code_challenge"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "iat": now, "exp": now + 60, **self.person}
        token = secrets.token_urlsafe()
        self.tokens[token] = dict(self.person)
        signed = jwt.encode(claims, self.key, algorithm="RS256")
        return 200, {"access_token": token, "token_type": "Bearer", "expires_in": 60, "id_token": signed}


@contextmanager
def running_provider() -> Iterator[Provider]:
    """It answers inside the `with`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if not self.path.startswith("/authorize?"):
                self._answer({})
                return
            self.send_response(302)
            self.send_header("Location", provider.way_back(f"{provider.address}{self.path}"))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(body).items()})

        def _answer(self, form: Mapping[str, str]) -> None:
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            status, content = provider.answer(urlsplit(self.path).path, form, token)
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider = Provider(f"http://127.0.0.1:{server.server_port}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield provider
        server.shutdown()
