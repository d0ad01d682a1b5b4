"""Codes of the languages that statements are written in, by their English names."""

import re

_CODES = {
    "english": "en", "russian": "ru", "chinese": "zh", "ukrainian": "uk", "polish": "pl", "japanese": "ja",
    "korean": "ko", "vietnamese": "vi", "romanian": "ro", "turkish": "tr", "arabic": "ar", "hungarian": "hu",
    "czech": "cs", "german": "de", "french": "fr", "spanish": "es", "portuguese": "pt", "italian": "it",
    "armenian": "hy", "azerbaijani": "az", "georgian": "ka", "kazakh": "kk", "uzbek": "uz", "bulgarian": "bg",
    "serbian": "sr", "croatian": "hr", "slovak": "sk", "slovene": "sl", "lithuanian": "lt", "latvian": "lv",
    "estonian": "et", "finnish": "fi", "swedish": "sv", "norwegian": "no", "danish": "da", "dutch": "nl",
    "greek": "el", "hebrew": "he", "persian": "fa", "thai": "th", "indonesian": "id", "mongolian": "mn",
    "belarusian": "be", "hindi": "hi", "bengali": "bn",
}  # fmt: skip


def language_code(language: str) -> str:
    """Return the code of a language in English: "english" is "en"; "en" stays; "" for an unknown one."""
    language = language.strip().lower()
    return _CODES.get(language) or (language if re.fullmatch(r"[a-z]{2,3}", language) else "")
