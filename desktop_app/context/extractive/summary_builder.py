"""Build a summary page: headings and lines in sections, within a budget of tokens.

A page is built and parsed with English headings; only the written page has headings in the conversation's language, for
the languages that the rules for its sentences know.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from desktop_app.context.ledger.prose import sentences
from desktop_app.conversation.memory import Superseded, WorkItem, WorkState
from desktop_app.conversation.words import lexicon

ENGLISH = "en"
ENOUGH = 20_000
"""Characters that are examined to find the language."""
MIN_WORDS = 3
"""Function words from which a text counts as being in their language."""
MIN_KANA = 0.1
"""Share of East Asian characters from which a text is Japanese: Chinese has no kana."""

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
    "Goals and preferences": (
        "Ziele und Vorlieben", "Objectifs et préférences", "Objetivos y preferencias", "目标与偏好", "目標と好み",
    ),
    "Decisions": ("Entscheidungen", "Décisions", "Decisiones", "决定", "決定事項"),
    "Files and code": ("Dateien und Code", "Fichiers et code", "Archivos y código", "文件与代码", "ファイルとコード"),
    "Work (recall finds more of it)": (
        "Arbeit (recall findet mehr davon)", "Travail (recall en retrouve plus)", "Trabajo (recall encuentra más)",
        "工作（recall 可查更多）", "作業（recall で詳細）",
    ),
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
    "Read, unchanged since, archived": (
        "Gelesen, seitdem unverändert, archiviert", "Lus, inchangés depuis, archivés",
        "Leídos, sin cambios desde entonces, archivados", "已读取，此后未变，已归档", "読み込み後に変更なし、保管済み",
    ),
    "Finished": ("Erledigt", "Terminé", "Terminado", "已完成", "完了"),
    "In progress": ("In Arbeit", "En cours", "En curso", "进行中", "進行中"),
    "Pending": ("Ausstehend", "À faire", "Pendiente", "待办", "未着手"),
    "Not allowed": ("Nicht erlaubt", "Non autorisé", "No permitido", "未获允许", "許可されていない"),
    "Turned out wrong": ("War falsch", "S’est avéré faux", "Resultó falso", "后来证明有误", "誤りと判明"),
    "Names": ("Namen", "Noms", "Nombres", "名称", "名前"),
    "Numbers": ("Zahlen", "Nombres chiffrés", "Números", "数字", "数値"),
}  # fmt: skip
"""Translations of each English name, in the order of `LANGUAGES`."""
LANGUAGES = ("de", "fr", "es", "zh", "ja")
_ENGLISH = {name.lower(): english for english, names in NAMES.items() for name in (english, *names)}
_LANGUAGE = {
    name.lower(): language
    for english, names in NAMES.items()
    for language, name in zip(LANGUAGES, names, strict=True)
    if name != english
}


def written_name(english: str, language: str) -> str:
    """Return the heading or label in the language; another name unchanged."""
    names = NAMES.get(english)
    return names[LANGUAGES.index(language)] if names and language in LANGUAGES else english


def english_name(written: str) -> str:
    """Return the English name of a heading or label in any of the languages; another text unchanged."""
    return _ENGLISH.get(written.lower(), written)


def language_of_headings(headings: Iterable[str]) -> str:
    """Return the language of most known headings; English if none is known."""
    known = Counter(language for heading in headings if (language := _LANGUAGE.get(heading.strip().lower())))
    return known.most_common(1)[0][0] if known else ENGLISH


def language_of(sentences: Iterable[str]) -> str:
    """Return the language of the sentences; English if it is not known."""
    text, left = list[str](), ENOUGH
    for sentence in sentences:
        text.append(sentence)
        left -= len(sentence)
        if left <= 0:
            break
    lowered = "\n".join(text).lower()
    words = _LETTER_WORDS.findall(lowered)
    kana, han = (0, 0) if lowered.isascii() else (len(_KANA.findall(lowered)), len(_HAN.findall(lowered)))
    if kana + han > sum(len(word) for word in words) / 3:
        return "ja" if kana > MIN_KANA * (kana + han) else "zh"
    times = Counter(language for word in words for language, known in _WORDS.items() if word in known)
    best = max(_WORDS, key=lambda language: times[language])
    return best if times[best] >= MIN_WORDS and times[best] > times[ENGLISH] else ENGLISH


INTENT = "Primary intent"
RULES = "Rules and constraints"
WISHES = "Goals and preferences"
DECISIONS = "Decisions"
FILES = "Files and code"
WORK = "Work (recall finds more of it)"
STATE = "Current state"
RESULTS = "What the tools said"
SHOWN = "What was shown"
ERRORS = "Errors met"
QUESTIONS = "Open questions and next steps"
DETAILS = "What was said"
NAMED = "Also named"
SECTIONS = (INTENT, RULES, WISHES, DECISIONS, DETAILS, FILES, SHOWN, RESULTS, ERRORS, NAMED, WORK, STATE, QUESTIONS)
"""K2's sections in reading order, the freshest last, with other quotations and the names in them."""
NUMBERS = "Numbers"
LATEST = "Latest"
"""The label of the newest request among the intents."""
SUPERSEDED = "Superseded"
"""The label of a superseded rule."""
READ = "Read, unchanged since, archived"
LISTS = (FILES, NAMED)
"""Sections whose lines are names, joined after their label: a line for each would double the tokens."""

Order = tuple[int, int]
AT_ONCE = 32
"""Names whose tokens are counted together."""
MIN_LINE = 6
"""Minimum tokens of a line."""

_YEAR = re.compile(r",? (?:19|20)\d\d$")
ENDS = ".!?:;,…。！？\"'”’"

_LABEL = re.compile(r"([A-Z][A-Z ]{2,30}[A-Z]): (?=\S)")
"""What a user writes before a statement to say of which kind it is: "NOTE: ", "HARD CONSTRAINT: "."""
_DATED = re.compile(r"\[(?P<day>[^\]]{4,40})\] (?P<text>.+)")
_SPOKEN = re.compile(r"(?:\[(?P<day>[^\]]{4,40})\] )?(?P<speaker>[^:\n]{1,40}): (?P<text>.+)")


def label_of(text: str) -> str:
    """Return the label with which a statement begins, such as "NOTE", or ""."""
    label = _LABEL.match(text)
    return label[1] if label else ""


def without_label(text: str) -> str:
    """Return the statement without its label, which the page writes once for all statements that have it."""
    label = _LABEL.match(text)
    return text[label.end() :] if label else text


class SummaryLine(msgspec.Struct, frozen=True, gc=False):
    """A line of the page, or a part of one: lines with the same speaker and message are joined."""

    text: str
    order: Order = (0, 0)
    """The index of the message, and of the sentence in it."""
    speaker: str = ""
    """The speaker, or in a list the label; "" for none."""
    day: str = ""


class SummaryBuilder:
    """A page whose lines are added by importance and rendered in the order of the conversation."""

    def __init__(self, budget: int, count: Callable[[str], int], language: str = ENGLISH) -> None:
        self.budget = budget
        self._count = count
        self.language = language
        self._lines: list[tuple[str, SummaryLine]] = []
        self._texts: set[str] = set()
        self._headed: set[str] = set()
        self._used = 0
        self._rendered, self._settled_at = "", 0

    @property
    def free(self) -> int:
        """Remaining tokens, by the sum of the lines; a rendered page seldom has more than its lines."""
        return self.budget - self._used

    @property
    def is_full(self) -> bool:
        """Whether no other line fits."""
        return self.free < MIN_LINE

    @property
    def is_empty(self) -> bool:
        return not self._lines

    def add(self, section: str, line: SummaryLine) -> bool:
        """Add a line if it is new and fits."""
        return self.add_together([(section, line)])

    def add_together(self, lines: Iterable[tuple[str, SummaryLine]], kept_free: float = 0) -> bool:
        """Add the new ones of the lines if all of them fit and leave `kept_free` tokens, otherwise none."""
        new = [(section, line) for section, line in lines if line.text and line.text not in self._texts]
        cost = self._cost(new)
        if not new or cost > self.free - kept_free:
            return False
        self._used += cost
        self._lines += new
        self._texts.update(line.text for _, line in new)
        self._headed.update(heading for section, line in new for heading in (section, _group_of(section, line)))
        return True

    def add_listed(self, section: str, lines: Iterable[SummaryLine], floor: float) -> None:
        """Add the new names in order, until only `floor` tokens are free."""
        by_text = {line.text: line for line in lines}
        new = [(section, line) for text, line in by_text.items() if text and text not in self._texts]
        for start in range(0, len(new), AT_ONCE):
            some = new[start : start + AT_ONCE]
            if self.add_together(some, kept_free=max(floor, 0)):
                continue
            for name in some:
                if self.free <= floor or self.is_full:
                    return
                self.add_together([name])

    def cover(self, texts: Iterable[str]) -> None:
        """Mark the texts as present: they are part of a longer line."""
        self._texts.update(texts)

    def _cost(self, lines: list[tuple[str, SummaryLine]]) -> int:
        """Return the tokens of lines, which are joined if they have the same section and speaker."""
        drawn: list[str] = []
        headed = set(self._headed)
        last = ""
        for section, line in lines:
            if section not in headed:
                drawn.append(f"\n## {written_name(section, self.language)}\n")
            group = _group_of(section, line)
            if section not in LISTS and label_of(line.text) and group in headed:
                drawn.append(f" {without_label(line.text)}")
            elif section in LISTS and group in headed:
                drawn.append(_between(line.speaker) + line.text)
            elif (line.speaker or section == WISHES) and group == last:
                drawn.append(f" {line.text}")
            else:
                speaker = written_name(line.speaker, self.language)
                drawn.append(f"\n- {speaker}: {line.text}" if speaker else f"\n- {line.text}")
            headed.update((section, group))
            last = group
        return self._count("".join(drawn))

    def __contains__(self, text: str) -> bool:
        return text in self._texts

    def has_label(self, section: str, text: str) -> bool:
        """Return whether the section has statements with the text's label already."""
        label = label_of(text)
        return label != "" and section + label in self._headed

    def settle(self) -> str:
        """Return the page as Markdown; `free` is based on its tokens from then on."""
        if self._settled_at != len(self._lines):
            self._settled_at, self._rendered = len(self._lines), self._render()
            self._used = self._count(self._rendered) if self._rendered else 0
        return self._rendered

    def text(self) -> str:
        """Return the page as Markdown, at most `budget` tokens: if necessary, the least important lines are dropped."""
        while self.settle() and self._used > self.budget and self._lines:
            over = max(len(self._lines) // 100, 1)
            del self._lines[-over:]
        return self._rendered

    def _render(self) -> str:
        parts: list[str] = []
        of_section: dict[str, list[SummaryLine]] = {section: [] for section in SECTIONS}
        for section, line in self._lines:
            of_section[section].append(line)
        for section, unsorted in of_section.items():
            lines = sorted(unsorted, key=_order_of)
            if lines:
                if section in LISTS:
                    rendered = _list_names(lines, self.language)
                else:
                    free = [line for line in lines if not label_of(line.text)]
                    rendered = _join_lines(free, self.language, is_spoken=section == WISHES) + _join_labelled(lines)
                parts.append(f"## {written_name(section, self.language)}\n" + "\n".join(rendered))
        return "\n\n".join(parts)


def _group_of(section: str, line: SummaryLine) -> str:
    """Return what lines that the page joins have in common."""
    return section + ((section not in LISTS and label_of(line.text)) or line.speaker)


def _order_of(line: SummaryLine) -> Order:
    return line.order


WORK_LABELS: dict[WorkState, str] = {
    "in progress": "In progress",
    "pending": "Pending",
    "not allowed": "Not allowed",
    "wrong": "Turned out wrong",
    "finished": "Finished",
}
"""The label of each state of work, in the order in which they are listed."""


def work_line(item: WorkItem, language: str) -> str:
    """Return the line of a piece of work; a claim that was wrong with what contradicted it."""
    label = written_name(WORK_LABELS[item.state], language)
    return f"{label}: {item.text} – since then: {item.note}" if item.note else f"{label}: {item.text}"


def superseded_line(old: Superseded) -> str:
    """Return the line of a superseded rule: its text, and the user's sentence that ended it."""
    return f"{SUPERSEDED}: {old.text} – since then: {old.by}"


def _join_lines(lines: list[SummaryLine], language: str, is_spoken: bool) -> list[str]:
    """Return one line for each message, with an ellipsis for omitted sentences and a date for a new day.

    is_spoken: whether lines without a speaker are also of messages.
    """
    joined: list[str] = []
    day, year, last = "", "", SummaryLine("")
    for line in lines:
        if (line.speaker or is_spoken) and joined and last.speaker == line.speaker and last.order[0] == line.order[0]:
            is_next = last.order[1] + 1 == line.order[1]
            gap = " … " if not is_next else " " if joined[-1][-1] in ENDS else "; "
            joined[-1] += gap + line.text
        else:
            date = f"[{line.day.replace(year, '') if year else line.day}] " if line.day not in ("", day) else ""
            year = _year_of(line.day) or year
            speaker = f"{written_name(line.speaker, language)}: " if line.speaker else ""
            joined.append(f"- {date}{speaker}{line.text}")
        day, last = line.day or day, line
    return joined


def _join_labelled(lines: Iterable[SummaryLine]) -> list[str]:
    """Return one line for each label with which lines begin, written before the first of them."""
    joined: dict[str, str] = {}
    for text in (line.text for line in lines):
        if label := label_of(text):
            joined[label] = f"{joined[label]} {without_label(text)}" if label in joined else f"- {text}"
    return list(joined.values())


def _year_of(day: str) -> str:
    """Return the year at the end of a date with its separator, or the empty string."""
    year = _YEAR.search(day)
    return year.group() if year else ""


def _list_names(lines: list[SummaryLine], language: str) -> list[str]:
    """Return one line for each label, in the order of their first names."""
    names: dict[str, list[str]] = {}
    for line in lines:
        names.setdefault(line.speaker, []).append(line.text)
    return [f"- {written_name(label, language)}: {_between(label).join(listed)}" for label, listed in names.items()]


def _between(label: str) -> str:
    """Return the separator between names; numbers need no comma, which would add a third to their tokens."""
    return " " if label == NUMBERS else ", "


def lines_of(summary: str) -> list[tuple[str, SummaryLine]]:
    """Return section and line of each line of an earlier page; lines under unknown headings are details.

    In order, they precede all later messages.
    """
    found: list[tuple[str, SummaryLine]] = []
    section, day = DETAILS, ""
    texts = summary.splitlines()
    for number, text in enumerate(map(str.strip, texts)):
        if text.startswith("#"):
            heading = english_name(text.lstrip("# "))
            section = heading if heading in SECTIONS else DETAILS
        elif label := label_of(text.removeprefix("- ")):
            statements = sentences(without_label(text.removeprefix("- ")))
            order = (number - len(texts) - 1, 0)
            found += [(section, SummaryLine(f"{label}: {statement}", order)) for statement in statements]
        elif text:
            line = _read_line(section, text.removeprefix("- "), (number - len(texts) - 1, 0))
            day = line.day or day
            found.append((section, replace(line, day=day) if line.speaker or section == WISHES else line))
    return found


def _read_line(section: str, text: str, order: Order) -> SummaryLine:
    """Return the line as it was added, as far as it can be recovered."""
    label, _, rest = text.partition(": ")
    if section == INTENT and rest and english_name(label) == LATEST:
        return SummaryLine(rest, order, LATEST)
    if section == WISHES and (dated := _DATED.fullmatch(text)):
        return SummaryLine(dated["text"], order, day=dated["day"])
    spoken = _SPOKEN.fullmatch(text) if section in (DETAILS, DECISIONS, STATE, QUESTIONS) else None
    return (
        SummaryLine(spoken["text"], order, english_name(spoken["speaker"]), spoken["day"] or "")
        if spoken
        else SummaryLine(text, order)
    )
