"""Follow the work in messages, without a model: what is finished, under way, planned, not allowed, and was wrong.

Requests are the user's sentences; plans are the lists that agents keep by a tool or as check boxes. A request is
finished when its turn ended with a reply that asks nothing, or with a call that hands the work over; it is pending if
a call of that turn was not allowed. A claim of the model was wrong if the user says so next, or if a command fails
before anything was changed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from msgspec.structs import replace

from desktop_app.context.sentence_kinds import kinds_of
from desktop_app.conversation.memory import WorkItem, WorkState
from desktop_app.conversation.message import Message, ToolCall, ToolResult
from desktop_app.conversation.tools import DENIED, FORBIDDEN
from desktop_app.conversation.words import lexicon

from .changed_files import RUNNING, has_failed, plain_key
from .facts import QUESTION, words_of
from .message_facts import Reading

MAX_OF_STATE: dict[WorkState, int] = {"finished": 40, "in progress": 8, "pending": 24, "not allowed": 12, "wrong": 8}
"""Items of each state that are kept, the newest; the archive has the others."""
MAX_TEXT = 160
"""Characters of an item."""
MIN_REQUEST = 12
"""Characters; a shorter message goes on with an earlier request."""
MAX_GREETING, REQUEST_WITHIN = 30, 3
"""Characters of a first sentence that may be a mere greeting or assent, and sentences in which the request follows."""
MERE_CHATTER = 0.95
"""Probability from which a sentence counts as a greeting or an assent."""
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
_REFUSED = re.compile(
    rf"{re.escape(DENIED)}|{re.escape(FORBIDDEN)}|permission to use .{{1,300}}?\b(?:denied|declined|rejected)"
    r"|\b(?:have not|haven['’]t|has not been|was not) (?:been )?granted"
    r"|\bpermission(?: was| has been| is)? (?:declined|rejected)"
    r"|\b(?:denied|declined|rejected|refused|blocked|cancell?ed|disallowed|disapproved"
    r"|not (?:allowed|approved|permitted)) by (?:the |a |your )?(?:user|polic|rule|setting|permission|approval|hook)"
    r"|\buser (?:has )?(?:denied|declined|rejected|refused|disapproved|specified a rule (?:which|that) prevents"
    r"|(?:did not|didn['’]t) (?:approve|allow)|do(?:es)?(?: not|n['’]t) want)",
    re.IGNORECASE | re.DOTALL,
)
"""What programs tell a model whose call the user, or a rule of the user's, did not allow."""
REFUSAL_WITHIN = 500
"""Characters at the beginning of a result in which it says that the call was not allowed."""
LONGEST_REFUSAL = 1_000
"""Characters; a longer result is output in which a refusal is quoted."""
_SUCCESS = lexicon(
    "pass passes passing passed fixed works working done resolved complete completed implemented green succeeds"
    " solved ready behoben funktioniert erledigt fertig läuft gelöst corrigé fonctionne passent terminé résolu"
    " arreglado funciona pasan listo corregido resuelto"
)
_OTHER_SUCCESS = ("完成", "通过", "修复", "修好", "解决", "修正しました", "完了", "通りました", "動きます")
_CLAIM = re.compile(r"\bI(?:['’]ve| have) (?:now |also )?\w+(?:ed|[nt])\b|\bsuccessfully\b", re.IGNORECASE)
"""What begins a sentence that says what was done, whatever it was."""
_ASKING_BACK = re.compile(
    r"\bplease (?:also )?(?:provide|confirm|tell|specify|choose|clarify|share|give|send)\b"
    r"|\blet me know (?:which|what|whether|how|your)\b",
    re.IGNORECASE,
)
_OFFER = re.compile(r"\b(?:else|more|further|other|another|assistance)\b", re.IGNORECASE)
"""What makes a question a mere offer: "Is there anything else?"."""
ASKED_WITHIN = 2
"""Last sentences of a reply in which it asks back."""
_HANDING_OVER = re.compile(
    r"(?:submit|finish|finished|complete|completed|done|end_?task|task_?complete|attempt_?completion|complete_?task"
    r"|submit_(?:answer|solution|patch)|final_?answer)",
    re.IGNORECASE,
)
"""Names of the calls with which agents end their work."""
_DOUBT = lexicon(
    "not no never t should would could if once until when will cannot failed failing fails still nicht kein keine wenn"
    " sollte pas si quand no sin cuando debería"
)
_FAULT = lexicon(
    "fail fails failing failed broken error errors crash crashes wrong incorrect false untrue fehler falsch kaputt"
    " erreur faux error falla falso mal undid undone revert reverted messed fucked screwed useless nonsense"
)
_REFUSING = lexicon(
    "refuse refuses refused reject rejects rejected raise raises raised forbid forbids forbidden error errors fail"
    " fails exception abgelehnt verweigert"
)
"""Words of a claim that an error confirms: "Empty names are refused now."."""
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
        self._is_answered = False
        """Whether the newest request has a reply."""
        self._asks_back = False
        """Whether the newest reply asks something, or shows a plan of which parts are open."""
        self._done: list[str] = []
        """What the last turn finished."""
        self._lacking: dict[str, str] = {}
        """The call that was not allowed, for the request that needs it."""

    def items(self) -> tuple[WorkItem, ...]:
        """Return the items in order, at most `MAX_OF_STATE` of each state."""
        self.end_turn()
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
        self.end_turn()
        words = self._reading.of(message).instructions
        complaint = next(filter(_complains, words[:2]), "") if self._claimed else ""
        if complaint:
            self._refute(complaint, lambda text: _claims_success(text) or _CLAIM.search(text) is not None)
            self._open_again()
        request = _request_in([text for text in words if len(text) >= MIN_REQUEST])
        if request:
            if self._is_answered and not self._has_worked and not self._asks_back:
                self._forget_asked()  # they were only talk
            self._asks_back = self._is_answered = False
            text = _short(request)
            self._put(WorkItem(text, "in progress", message.id))
            self._asked.append(text)

    def reply(self, message: Message, calls: Sequence[CallMade]) -> None:
        """Take a reply: its calls, its check boxes, and the end of the turn if it calls nothing."""
        text = message.text
        plan = _boxes(text)
        self._take_plan(plan, message.id, is_whole=False)
        self._waiting.update((one.call.call_id, one) for one in calls)
        self._has_worked = self._has_worked or bool(calls) or "```" in text
        self._is_answered = True
        if text.strip():
            self._claimed = message
        if calls or text.strip():
            is_open = any(state in _OPEN for _, state, _ in plan)
            self._asks_back = not calls and (is_open or self._asks(message))
            hands_over = all(_HANDING_OVER.fullmatch(one.call.name) for one in calls)
            self._is_over = self._has_worked and hands_over and not self._asks_back

    def _asks(self, reply: Message) -> bool:
        """Return whether a reply ends with a question, or asks for an answer in other words."""
        sentences = self._reading.of(reply).sentences
        last = sentences[-ASKED_WITHIN:]
        asked = any(QUESTION.search(text) for text in last) or reply.text.rstrip()[-1:] in ("?", "？")
        return (asked and not any(map(_OFFER.search, last))) or any(map(_ASKING_BACK.search, sentences))

    def result(self, message: Message, result: ToolResult, errors: tuple[str, ...]) -> None:
        """Take a call's result: a plan, a refusal, or a failure that contradicts a claim."""
        one = self._waiting.pop(result.call_id, None)
        if one is None:
            return
        if is_refused(result):
            label = _label(one.call)
            self._refused.add(label)
            self._lacking = dict.fromkeys(self._asked[-1:], label)
            self._put(WorkItem(label, "not allowed", message.id))
            return
        if has_failed(result) and _HANDING_OVER.fullmatch(one.call.name):
            self._is_over = False
        self._allow(one.call)
        if not one.changes and not has_failed(result):
            if plan := plan_in(one.fields):
                self._take_plan(plan, message.id, is_whole=True)
            else:
                self._take_task(one, result, message.id)
        if errors and self._claimed and RUNNING.search(one.call.name):
            if self._refute(errors[-1], lambda text: _claims_success(text) and words_of(text).isdisjoint(_REFUSING)):
                self._open_again()
        elif one.changes:
            self._claimed = None

    def _allow(self, call: ToolCall) -> None:
        """Forget that the same call was not allowed before."""
        if self._refused and (label := _label(call)) in self._refused:
            self._refused.discard(label)
            self._items.pop(label, None)
            self._lacking = {text: call for text, call in self._lacking.items() if call != label}

    def _refute(self, by: str, claims: Callable[[str], bool]) -> bool:
        """Mark the last claim in the newest reply as wrong, and return whether it has one."""
        claimed, self._claimed = self._claimed, None
        found = list(filter(claims, self._reading.of(claimed).sentences)) if claimed else []
        if claimed and found:
            self._put(WorkItem(_short(found[-1]), "wrong", claimed.id, _short(by)))
        return bool(found)

    def end_turn(self) -> None:
        """Finish what was asked for, if the newest reply ended its turn: a model may also go on after a mere text."""
        if self._is_over:
            for asked in self._asked:
                self._put(replace(self._items[asked], state="pending" if asked in self._lacking else "finished"))
            self._lacking = {}
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


def is_refused(result: ToolResult) -> bool:
    """Return whether the user, or a rule of the user's, did not allow the call."""
    if result.ending == "denied":
        return True
    is_short = result.is_error or len(result.text) <= LONGEST_REFUSAL
    return is_short and _REFUSED.search(result.text, 0, REFUSAL_WITHIN) is not None


def _request_in(words: Sequence[str]) -> str:
    """Return the sentence of a user that says what is wanted; none if all is a greeting or an assent."""
    if words and len(words[0]) < MAX_GREETING and _is_chatter(words[0]):
        return next((text for text in words[1:REQUEST_WITHIN] if not _is_chatter(text)), "")
    return words[0] if words else ""


def _is_chatter(sentence: str) -> bool:
    return kinds_of(sentence).chatter >= MERE_CHATTER


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
    if words.isdisjoint(_FAULT) and not (is_negated and not words.isdisjoint(_SUCCESS | _WORKING)):
        return False
    first = re.search(r"\w+", sentence.lower())
    return not words.isdisjoint(_AGAIN) or (first.group() if first else "") in _THAT


_WORKING = lexicon(
    "work pass right correct true help compile build run start fix funktionieren richtig marche correcto"
)


_CONCERNS = _FAULT | _SUCCESS | _WORKING


def plan_in(fields: Mapping[str, Any], depth: int = 0) -> list[tuple[str, WorkState | None, str]]:
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
            and (found := plan_in(cast("dict[str, Any]", value), depth + 1))
        ):
            return found
    return []


def is_planning(fields: Mapping[str, Any]) -> bool:
    """Return whether a call's arguments are a plan, or change the state of one of its tasks."""
    names = {plain_key(key) for key in fields}
    changes = not names.isdisjoint(_ID_KEYS) and not names.isdisjoint(_STATE_KEYS)
    return changes or bool(plan_in(fields))


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
