"""Problems in a form: write a new one, or change an existing one."""
