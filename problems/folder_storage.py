"""A folder mounted by several machines, as a storage: others see a file complete or not at all."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.files.storage import FileSystemStorage

from problems import durable

HALF = "incoming"  # what a killed writer leaves there is swept as an archive that no row names


class FolderStorage(FileSystemStorage):
    """Django's file storage, but a complete file takes its name atomically, replacing an existing one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_overwrite=True)

    def look(self) -> None:
        """Open the folder. Raises OSError when that fails; before the first write it need not exist."""
        with suppress(FileNotFoundError), os.scandir(self.location):
            pass

    def _save(self, name: str, content: Any) -> str:
        half = super()._save(f"{HALF}/{secrets.token_hex(16)}", content)  # type: ignore[misc]
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        durable.give_name(Path(self.path(half)), path)
        return name
