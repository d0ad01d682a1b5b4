"""The pages of one's own account. Signing in and up: `web.views.accounts`."""
