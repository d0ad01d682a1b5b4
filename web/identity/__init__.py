"""Who somebody is: the hooks of django-allauth (mail, second factor, OpenID Connect), and each account's preferences.

How it works: `web.views.accounts` looks at the password, under django-axes and `web.identity.login_throttle`; then
allauth's login stages ask for a second factor. allauth's own pages for signing in and up have no address here, so no
account comes into being beside `web.identity.signing_up`, except by OpenID Connect where a setting allows it.
"""
