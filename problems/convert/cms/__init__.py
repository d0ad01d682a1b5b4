"""Convert tasks of CMS."""
