"""A folder that several machines mount, as a storage: a file in it is seen whole or not at all."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage

from problems import durable

HALF = "incoming"  # what a killed writer leaves there is swept as an archive that no row names


class FolderStorage(FileSystemStorage):
    """Django's own, except that a name is given to what is complete, whoever had it before."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_overwrite=True)

    def look(self) -> None:
        """Open the folder. Raises OSError when that fails; before anything is put into it, it need not be there."""
        with suppress(FileNotFoundError), os.scandir(self.location):
            pass

    def _save(self, name: str, content: Any) -> str:
        half = super()._save(f"{HALF}/{secrets.token_hex(16)}", content)  # type: ignore[misc]
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        durable.give_name(Path(self.path(half)), path)
        return name
