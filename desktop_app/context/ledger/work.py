"""Follow the work in messages, without a model: what is finished, under way, planned, not allowed, and was wrong.

Requests are the user's sentences; plans are the lists that agents keep by a tool or as check boxes. A request is
finished when its turn ended with a reply. A claim of the model was wrong if the user says so next, or if a command
fails before anything was changed again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from desktop_app.conversation.memory import WorkItem, WorkState
from desktop_app.conversation.message import Message, ToolCall, ToolResult
from desktop_app.conversation.tools import DENIED, FORBIDDEN
from desktop_app.conversation.words import lexicon

from .changed_files import RUNNING, has_failed, plain_key
from .facts import QUESTION, words_of
from .message_facts import Reading

MAX_OF_STATE: dict[WorkState, int] = {"finished": 16, "in progress": 8, "pending": 24, "not allowed": 12, "wrong": 8}
"""Items of each state that are kept, the newest; the archive has the others."""
MAX_TEXT = 160
"""Characters of an item."""
MIN_REQUEST = 12
"""Characters; a shorter message goes on with an earlier request."""
MAX_DEPTH = 3
"""Levels of a call's arguments in which a plan is looked for."""
MAX_PLAN = 60
"""Items of a plan that are read."""

_STATES: dict[str, WorkState | None] = {
    **dict.fromkeys(("completed", "complete", "done", "finished", "closed", "resolved", "true", "x"), "finished"),
    **dict.fromkeys(("inprogress", "doing", "active", "started", "current", "working", "~", "/"), "in progress"),
    **dict.fromkeys(("pending", "todo", "notstarted", "open", "planned", "queued", "blocked", "false", ""), "pending"),
}
"""The states of plans, in lowercase without separators; an item with another one was given up."""
_TEXT_KEYS = ("content", "step", "title", "task", "subject", "text", "description", "name")
_STATE_KEYS = ("status", "state", "done", "completed", "checked")
_ID_KEYS = ("taskid", "todoid", "itemid", "id")
_CHECK_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX~/-])\][ \t]+(\S.*)$", re.MULTILINE)
_NUMBER = re.compile(r"#\s?(\d{1,6})\b")
_REFUSED = (
    DENIED, FORBIDDEN, "user doesn't want to proceed", "user rejected", "rejected by user", "rejected by the user",
    "denied by user", "denied by the user", "user denied", "cancelled by the user", "cancelled by user",
    "user declined", "user refused",
)  # fmt: skip
"""What programs tell a model whose call the user, or a rule of the user's, did not allow."""
_REFUSALS = tuple(map(str.lower, _REFUSED))
LONGEST_REFUSAL = 1_000
"""Characters; a longer result is output in which a refusal is quoted."""
_SUCCESS = lexicon(
    "pass passes passing passed fixed works working done resolved complete completed implemented green succeeds"
    " solved ready behoben funktioniert erledigt fertig läuft gelöst corrigé fonctionne passent terminé résolu"
    " arreglado funciona pasan listo corregido resuelto"
)
_OTHER_SUCCESS = ("完成", "通过", "修复", "修好", "解决", "修正しました", "完了", "通りました", "動きます")
_DOUBT = lexicon(
    "not no never t should would could if once until when will cannot failed failing fails still nicht kein keine wenn"
    " sollte pas si quand no sin cuando debería"
)
_FAULT = lexicon(
    "fail fails failing failed broken error errors crash crashes wrong incorrect false untrue fehler falsch kaputt"
    " erreur faux error falla falso mal undid undone revert reverted messed fucked screwed useless nonsense"
)
_AGAIN = lexicon("still again same immer weiterhin wieder toujours encore todavía aún sigue siguen")
_NEGATION = lexicon("not no doesn didn isn don t never nope nicht kein nein pas non nunca")
_THAT = lexicon("you that it this these they nope no das es dies nein ça ce cela eso esto no")
_OTHER_COMPLAINTS = ("还是", "仍然", "不对", "错了", "没有修好", "まだ", "違います", "間違")


class CallMade(NamedTuple):
    """A call with its arguments, and whether it changes files."""

    call: ToolCall
    fields: Mapping[str, Any]
    changes: bool


class WorkLog:
    """Folds messages, in order, into the items of work. items: of earlier messages."""

    def __init__(self, items: Sequence[WorkItem], reading: Reading) -> None:
        self._items = {item.text: item for item in items}
        self._refused = {item.text for item in items if item.state == "not allowed"}
        self._reading = reading
        self._waiting: dict[str, CallMade] = {}
        self._claimed: Message | None = None
        """The newest reply with text, until something is changed or contradicts it."""
        self._asked: list[str] = [i.text for i in self._items.values() if i.state == "in progress" and not i.is_planned]
        self._has_worked = bool(self._asked)
        self._is_over = False
        self._done: list[str] = []
        """What the last turn finished."""

    def items(self) -> tuple[WorkItem, ...]:
        """Return the items in order, at most `MAX_OF_STATE` of each state."""
        self._settle()
        left, kept = dict(MAX_OF_STATE), list[WorkItem]()
        for item in reversed(self._items.values()):
            if item.text in self._asked and not self._has_worked:
                continue  # nothing was done for it: a chat
            left[item.state] -= 1
            if left[item.state] >= 0:
                kept.append(item)
        return tuple(kept[::-1])

    def hear(self, message: Message) -> None:
        """Take a user's message: a request, or a complaint about what the model claimed."""
        self._settle()
        words = self._reading.of(message).instructions
        complaint = next(filter(_complains, words[:2]), "") if self._claimed else ""
        if complaint:
            self._refute(complaint)
            self._open_again()
        request = next((text for text in words if len(text) >= MIN_REQUEST), "")
        if request:
            if not self._has_worked:  # the earlier ones were only talk
                self._forget_asked()
            text = _short(request)
            self._put(WorkItem(text, "in progress", message.id))
            self._asked.append(text)

    def reply(self, message: Message, calls: Sequence[CallMade]) -> None:
        """Take a reply: its calls, its check boxes, and the end of the turn if it calls nothing."""
        text = message.text
        self._take_plan(_boxes(text), message.id, is_whole=False)
        self._waiting.update((one.call.call_id, one) for one in calls)
        self._has_worked = self._has_worked or bool(calls) or "```" in text
        if text.strip():
            self._claimed = message
        if calls or text.strip():
            self._is_over = self._has_worked and not calls and text.rstrip()[-1:] not in ("?", "？")

    def result(self, message: Message, result: ToolResult, errors: tuple[str, ...]) -> None:
        """Take a call's result: a plan, a refusal, or a failure that contradicts a claim."""
        one = self._waiting.pop(result.call_id, None)
        if one is None:
            return
        if _is_refused(result):
            label = _label(one.call)
            self._refused.add(label)
            self._put(WorkItem(label, "not allowed", message.id))
            return
        self._allow(one.call)
        if not one.changes and not has_failed(result):
            if plan := _plan_in(one.fields):
                self._take_plan(plan, message.id, is_whole=True)
            else:
                self._take_task(one, result, message.id)
        if errors and self._claimed and RUNNING.search(one.call.name):
            self._refute(errors[-1])
        elif one.changes:
            self._claimed = None

    def _allow(self, call: ToolCall) -> None:
        """Forget that the same call was not allowed before."""
        if self._refused and (label := _label(call)) in self._refused:
            self._refused.discard(label)
            self._items.pop(label, None)

    def _refute(self, by: str) -> None:
        """Mark the last claim of success in the newest reply as wrong."""
        claimed, self._claimed = self._claimed, None
        if claimed:
            claims = [text for text in self._reading.of(claimed).sentences if _claims_success(text)]
            if claims:
                self._put(WorkItem(_short(claims[-1]), "wrong", claimed.id, _short(by)))

    def _settle(self) -> None:
        """Finish what was asked for, if the newest reply ended its turn: a model may also go on after a mere text."""
        if self._is_over:
            for asked in self._asked:
                self._put(replace(self._items[asked], state="finished"))
            self._asked, self._done = [], self._asked
            self._has_worked = self._is_over = False

    def _open_again(self) -> None:
        for text in self._done:
            if text in self._items:
                self._put(replace(self._items[text], state="in progress"))
                self._asked.append(text)
        self._has_worked = bool(self._asked)

    def _forget_asked(self) -> None:
        for text in self._asked:
            self._items.pop(text, None)
        self._asked = []

    def _put(self, item: WorkItem) -> None:
        self._items.pop(item.text, None)
        self._items[item.text] = item

    def _take_plan(self, plan: list[tuple[str, WorkState | None, str]], message_id: str, is_whole: bool) -> None:
        """Take the items of a plan with their states. is_whole: open items that it does not name were given up."""
        if plan and is_whole:
            named = {text for text, _, _ in plan}
            gone = [i.text for i in self._items.values() if i.is_planned and i.state in _OPEN and i.text not in named]
            for text in gone:
                del self._items[text]
        for text, state, key in plan:
            if state is None:
                self._items.pop(text, None)
            else:
                self._put(WorkItem(text, state, message_id, is_planned=True, key=key))

    def _take_task(self, one: CallMade, result: ToolResult, message_id: str) -> None:
        """Take a call that makes or changes one task of a plan, which the program numbers in its result."""
        named = {plain_key(key): value for key, value in one.fields.items()}
        key = str(_id_of(one.fields) or "")
        state = next((named[name] for name in _STATE_KEYS if name in named), None)
        if key and state is not None:
            known = next((item for item in self._items.values() if item.is_planned and item.key == key), None)
            if known:
                self._take_plan([(known.text, _state_of(state), key)], message_id, is_whole=False)
        elif "task" in one.call.name.lower() and isinstance(named.get("subject"), str):
            number = _NUMBER.search(result.text[:200])
            if number:
                task = (_short(named["subject"]), "pending", number[1])
                self._take_plan([cast("tuple[str, WorkState | None, str]", task)], message_id, is_whole=False)


_OPEN = ("in progress", "pending")


def _label(call: ToolCall) -> str:
    return _short(f"{call.name} {call.arguments}")


def _short(text: str) -> str:
    line = " ".join(text[: 4 * MAX_TEXT].split())
    return line if len(line) <= MAX_TEXT else line[: MAX_TEXT - 1] + "…"


def _is_refused(result: ToolResult) -> bool:
    if result.ending == "denied":
        return True
    text = result.text.lower() if len(result.text) <= LONGEST_REFUSAL else ""
    return "user" in text and any(map(text.__contains__, _REFUSALS))


def _claims_success(sentence: str) -> bool:
    """Return whether the sentence asserts that something works or is done."""
    words = words_of(sentence)
    if QUESTION.search(sentence) or not words.isdisjoint(_DOUBT) or "n't" in sentence or "n’t" in sentence:
        return False
    return not words.isdisjoint(_SUCCESS) or any(map(sentence.__contains__, _OTHER_SUCCESS))


def _complains(sentence: str) -> bool:
    """Return whether a user's sentence says that something is not as the model claimed."""
    words = words_of(sentence)
    if words.isdisjoint(_CONCERNS):
        return any(map(sentence.__contains__, _OTHER_COMPLAINTS))
    is_negated = not words.isdisjoint(_NEGATION) or "n't" in sentence or "n’t" in sentence
    is_faulty = not words.isdisjoint(_FAULT) or (is_negated and not words.isdisjoint(_SUCCESS | _WORKING))
    refers = not words.isdisjoint(_AGAIN) or next(iter(re.findall(r"\w+", sentence.lower())), "") in _THAT
    return is_faulty and refers


_WORKING = lexicon(
    "work pass right correct true help compile build run start fix funktionieren richtig marche correcto"
)


_CONCERNS = _FAULT | _SUCCESS | _WORKING


def _plan_in(fields: Mapping[str, Any], depth: int = 0) -> list[tuple[str, WorkState | None, str]]:
    """Return text, state and id of each item of the plan in a call's arguments; none if they contain no plan."""
    for value in fields.values():
        if isinstance(value, str) and "[" in value and (boxes := _boxes(value)):
            return boxes
        if isinstance(value, list):
            listed = cast("list[Any]", value)[:MAX_PLAN]
            items = [
                item
                for element in listed
                if isinstance(element, dict) and (item := _planned(cast("dict[str, Any]", element)))
            ]
            if items and len(items) == len(listed):
                return items
        if (
            isinstance(value, dict)
            and depth < MAX_DEPTH
            and (found := _plan_in(cast("dict[str, Any]", value), depth + 1))
        ):
            return found
    return []


def _planned(element: dict[str, Any]) -> tuple[str, WorkState | None, str] | None:
    named = {plain_key(key): value for key, value in element.items()}
    text = next((named[key] for key in _TEXT_KEYS if isinstance(named.get(key), str) and named[key].strip()), "")
    state = next((named[key] for key in _STATE_KEYS if isinstance(named.get(key), str | bool)), None)
    if not text or state is None:
        return None
    return _short(text), _state_of(state), str(_id_of(element) or "")


def _state_of(value: object) -> WorkState | None:
    return _STATES.get(str(value).lower().replace("_", "").replace("-", "").replace(" ", ""))


def _id_of(fields: Mapping[str, Any]) -> object:
    named = {plain_key(key): value for key, value in fields.items()}
    return next((named[key] for key in _ID_KEYS if isinstance(named.get(key), str | int)), None)


def _boxes(text: str) -> list[tuple[str, WorkState | None, str]]:
    """Return the items of a list with check boxes."""
    if not any(map(text.__contains__, ("[ ]", "[x]", "[X]"))):
        return []
    found = list(_CHECK_BOX.finditer(text))[:MAX_PLAN]
    return [(_short(box[2]), "in progress" if box[1] == "-" else _state_of(box[1].strip()), "") for box in found]
