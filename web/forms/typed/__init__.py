"""The form for a problem that is typed in the browser: its fields, its files, and changing an existing one."""
