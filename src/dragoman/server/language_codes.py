"""Language codes as clients write them, and the names that people know languages by.

Clients write `de`, `DE`, `pt_BR`, `pt-br` or `zh-hans`; they get the form of BCP 47, `pt-BR` and `zh-Hans`.
"""

from __future__ import annotations

import re

from dragoman.text.languages import primary

__all__ = ["AUTO", "canonical", "language_name"]

AUTO = "auto"
"""What clients say who do not know the language of their text."""

_NAMES = {
    "af": "Afrikaans", "am": "Amharic", "an": "Aragonese", "ar": "Arabic", "as": "Assamese", "az": "Azerbaijani",
    "be": "Belarusian", "bg": "Bulgarian", "bn": "Bengali", "br": "Breton", "bs": "Bosnian", "ca": "Catalan",
    "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German", "dz": "Dzongkha", "el": "Greek", "en": "English",
    "eo": "Esperanto", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish",
    "fo": "Faroese", "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi",
    "hr": "Croatian", "ht": "Haitian Creole", "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "jv": "Javanese", "ka": "Georgian", "kk": "Kazakh",
    "km": "Khmer", "kn": "Kannada", "ko": "Korean", "ku": "Kurdish", "ky": "Kyrgyz", "la": "Latin",
    "lb": "Luxembourgish", "lo": "Lao", "lt": "Lithuanian", "lv": "Latvian", "mg": "Malagasy", "mi": "Maori",
    "mk": "Macedonian", "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay", "mt": "Maltese",
    "nb": "Norwegian Bokmål", "ne": "Nepali", "nl": "Dutch", "nn": "Norwegian Nynorsk", "no": "Norwegian",
    "oc": "Occitan", "or": "Odia", "pa": "Punjabi", "pl": "Polish", "ps": "Pashto", "pt": "Portuguese",
    "qu": "Quechua", "ro": "Romanian", "ru": "Russian", "rw": "Kinyarwanda", "se": "Northern Sami", "si": "Sinhala",
    "sk": "Slovak", "sl": "Slovenian", "sma": "Southern Sami", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish",
    "sw": "Swahili", "ta": "Tamil", "te": "Telugu", "tg": "Tajik", "th": "Thai", "ti": "Tigrinya", "tk": "Turkmen",
    "tl": "Tagalog", "tr": "Turkish", "tt": "Tatar", "ug": "Uyghur", "uk": "Ukrainian", "ur": "Urdu", "uz": "Uzbek",
    "vi": "Vietnamese", "vo": "Volapük", "wa": "Walloon", "xh": "Xhosa", "yi": "Yiddish", "zh": "Chinese",
    "zu": "Zulu",
}  # fmt: skip


def canonical(code: str) -> str:
    """A code in the form of BCP 47.

    >>> [canonical(each) for each in ("DE", "pt_br", "zh-hans", "sr_latn_rs", "ca@valencia")]
    ['de', 'pt-BR', 'zh-Hans', 'sr-Latn-RS', 'ca-valencia']
    """
    language, *rest = re.split("[-_@]", code.strip().lower())
    parts = [part.upper() if len(part) == 2 else part.title() if len(part) == 4 else part for part in rest]
    return "-".join([language, *parts])


def language_name(code: str) -> str:
    """What people call a language; the code itself if that is not known.

    >>> language_name("pt-BR"), language_name("xx")
    ('Portuguese (BR)', 'xx')
    """
    code = canonical(code)
    name = _NAMES.get(primary(code))
    region = code.partition("-")[2]
    return code if name is None else f"{name} ({region})" if region else name
