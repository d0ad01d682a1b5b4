"""Views: the answers of each address."""
