"""The headings and labels of a page in the conversation's language: those that the rules for its sentences know.

A page is built and read back under the English names; only what is written has the words of its language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from desktop_app.conversation.words import lexicon

ENGLISH = "en"
ENOUGH = 20_000
"""Characters that are looked at."""
MIN_WORDS = 3
"""Function words of a language from which on it is taken for that one."""
MIN_KANA = 0.1
"""Of the characters of East Asia: Japanese has kana, Chinese has none."""

_KANA, _HAN = re.compile("[\u3040-\u30ff]"), re.compile("[\u3400-\u9fff]")
_LETTER_WORDS = re.compile(r"[^\W\d_]+")
_WORDS = {
    "en": lexicon("the and of to is are was that this with for not you have will but from they what which would"),
    "de": lexicon("der die das und ist nicht ein eine ich wir mit auf für den dem auch sich sind wird haben bitte zu"),
    "fr": lexicon("le la les des et est une pas pour que qui dans sur avec nous vous ce cette sont être du au je il"),
    "es": lexicon("el los las una que y por con para es no del se en como más pero está son este esta hay muy lo"),
}

NAMES = {
    "Primary intent": ("Hauptziel", "Objectif principal", "Objetivo principal", "主要目标", "主な目的"),
    "Rules and constraints": (
        "Regeln und Vorgaben", "Règles et contraintes", "Reglas y límites", "规则与限制", "規則と制約",
    ),
    "Decisions": ("Entscheidungen", "Décisions", "Decisiones", "决定", "決定事項"),
    "Files and code": ("Dateien und Code", "Fichiers et code", "Archivos y código", "文件与代码", "ファイルとコード"),
    "Current state": ("Stand", "État actuel", "Estado actual", "当前状态", "現在の状態"),
    "What the tools said": (
        "Was die Werkzeuge meldeten", "Ce que les outils ont dit", "Lo que dijeron las herramientas", "工具的输出",
        "ツールの出力",
    ),
    "What was shown": ("Was gezeigt wurde", "Ce qui a été montré", "Lo que se mostró", "展示的内容", "示された内容"),
    "Errors met": ("Aufgetretene Fehler", "Erreurs rencontrées", "Errores encontrados", "遇到的错误", "発生したエラー"),
    "Open questions and next steps": (
        "Offene Fragen und nächste Schritte", "Questions ouvertes et prochaines étapes",
        "Preguntas abiertas y próximos pasos", "未决问题与后续步骤", "未解決の質問と次の手順",
    ),
    "What was said": ("Was gesagt wurde", "Ce qui a été dit", "Lo que se dijo", "谈话内容", "話された内容"),
    "Also named": ("Außerdem genannt", "Également cités", "También se nombró", "其他提及", "その他の言及"),
    "User": ("Nutzer", "Utilisateur", "Usuario", "用户", "ユーザー"),
    "Assistant": ("Assistent", "Assistant", "Asistente", "助手", "アシスタント"),
    "Pasted by the user": (
        "Vom Nutzer eingefügt", "Collé par l’utilisateur", "Pegado por el usuario", "用户粘贴", "ユーザーの貼り付け",
    ),
    "Latest": ("Zuletzt", "Dernièrement", "Lo último", "最新", "最新の依頼"),
    "Edited": ("Bearbeitet", "Modifiés", "Editados", "已修改", "編集済み"),
    "Read": ("Gelesen", "Lus", "Leídos", "已读取", "読み込み済み"),
    "Names": ("Namen", "Noms", "Nombres", "名称", "名前"),
    "Numbers": ("Zahlen", "Nombres chiffrés", "Números", "数字", "数値"),
}  # fmt: skip
"""What is written for each English name in German, French, Spanish, Chinese and Japanese."""
LANGUAGES = ("de", "fr", "es", "zh", "ja")
_ENGLISH = {name.lower(): english for english, names in NAMES.items() for name in (english, *names)}
_LANGUAGE = {
    name.lower(): language
    for english, names in NAMES.items()
    for language, name in zip(LANGUAGES, names, strict=True)
    if name != english
}


def written_name(english: str, language: str) -> str:
    """Return the heading or label as it is written in that language; a name that is none of them as it is."""
    names = NAMES.get(english)
    return names[LANGUAGES.index(language)] if names and language in LANGUAGES else english


def english_name(written: str) -> str:
    """Return the English name of a heading or label in any of the languages; another text as it is."""
    return _ENGLISH.get(written.lower(), written)


def language_of_headings(headings: Iterable[str]) -> str:
    """Return the language of most of those headings that are known, English without one."""
    known = Counter(language for heading in headings if (language := _LANGUAGE.get(heading.strip().lower())))
    return known.most_common(1)[0][0] if known else ENGLISH


def language_of(sentences: Iterable[str]) -> str:
    """Return the language of those sentences, English if it is none that is known here."""
    text, left = list[str](), ENOUGH
    for sentence in sentences:
        text.append(sentence)
        left -= len(sentence)
        if left <= 0:
            break
    whole = "\n".join(text).lower()
    words = _LETTER_WORDS.findall(whole)
    kana, han = (0, 0) if whole.isascii() else (len(_KANA.findall(whole)), len(_HAN.findall(whole)))
    if kana + han > sum(len(word) for word in words) / 3:
        return "ja" if kana > MIN_KANA * (kana + han) else "zh"
    times = Counter(language for word in words for language, known in _WORDS.items() if word in known)
    best = max(_WORDS, key=lambda language: times[language])
    return best if times[best] >= MIN_WORDS and times[best] > times[ENGLISH] else ENGLISH
