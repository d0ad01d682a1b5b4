"""Views of problems: reading, making and managing them."""
