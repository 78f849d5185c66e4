"""Which simple commands a shell would run for a line, or that nobody can tell without a shell.

It is there to hold rules such as "git *" against, so it errs to one side: what is not surely understood is not
understood. Loops, functions, subshells, here-documents, arithmetic, writing into files, and programs whose name is only
known when the line runs are among that.
"""

from __future__ import annotations

import re

import msgspec

from desktop_app.conversation.lexicon import lexicon

_RESERVED = lexicon("if then else elif fi for while until do done case esac in function select time coproc ! [[ ]] { }")
_MEANS_SOMETHING = re.compile(r"[\s;&|<>()'\"`\\\x00-\x1f\x7f]|^#|^$")
_FILLED_IN = re.compile(r"[*?\[{~$]")
EVALUATES = lexicon("[ test printf read let declare typeset local readonly export unset wait compgen complete")
"""Programs of the shell that look for substitutions in what was quoted: [ -v 'a[$(rm x)]' ] runs rm."""
_ASSIGNS = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=", re.ASCII)
_VARIABLE = re.compile(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9?#$!@*-])", re.ASCII)
_REDIRECTION = re.compile(r"&>>?|[0-9]*(?:>>|>\||>&|<&|<>|<<<|<<-?|>|<)")
_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_NETWORK = ("/dev/tcp/", "/dev/udp/")
"""Files that are none: the shell opens a connection for them."""
_SEPARATORS = re.compile(r"&&|\|\||\|&|[;&|\n]")
_TARGET = re.compile(r"[^\s;&|<>()'\"`\\$*?\[{~#]+")
_ENDS_A_WORD = ("", " ", "\t", "\n", ";", "&", "|", ")")
DEEPEST = 5
"""Substitutions in substitutions that are followed."""
LONGEST = 20_000
"""Characters of a line that is looked at; nobody reads longer ones before allowing them, either."""


class Command(msgspec.Struct, frozen=True):
    """One program with its arguments, without quotes.

    filled: those words in which the shell fills something in. reads: files that its standard input comes from. shown:
    the words as they are told; () for those that need no care.
    """

    words: tuple[str, ...]
    filled: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As a line: one blank between words, and quotes only where a word would else be several, or be run."""
        return " ".join([*(self.shown or map(quoted, self.words)), *(f"<{file}" for file in self.reads)])

    @property
    def without_assignments(self) -> Command:
        """The command itself, without the variables that are set for it."""
        at = next((n for n, word in enumerate(self.words) if not _ASSIGNS.match(word)), len(self.words))
        return Command(self.words[at:], self.filled, self.reads, self.shown[at:]) if at else self


class _NotUnderstood(Exception):
    pass


def quoted(word: str) -> str:
    """The word in single quotes, if a shell would take it for anything but one word."""
    return _in_quotes(word) if _MEANS_SOMETHING.search(word) else word


def _in_quotes(word: str) -> str:
    return "'" + word.replace("'", "'\"'\"'") + "'"


def simple_commands(line: str) -> tuple[Command, ...] | None:
    """All that the line runs, those in $(...) and backquotes first; None if that cannot be told."""
    if len(line) > LONGEST:
        return None
    try:
        reader = _Reader(line)
        reader.read()
    except (_NotUnderstood, RecursionError):
        return None
    return tuple(reader.commands) or None


class _Reader:
    """Reads a line from left to right. begin: where in it; depth: how many substitutions are around it."""

    def __init__(self, line: str, begin: int = 0, depth: int = 0) -> None:
        if "\0" in line or depth > DEEPEST:
            raise _NotUnderstood
        self.line = line
        self.at = begin
        self.depth = depth
        self.commands: list[Command] = []
        self._words: list[str] = []
        self._shown: list[str] = []
        self._reads: list[str] = []
        self._word: str | None = None  # the one that is being read
        self._is_filled = False  # whether the shell fills in something in it
        self._filled: list[str] = []
        self._is_quoted = False
        self._hides = False  # whether a word of the command has a sign of a substitution that was quoted

    def read(self, is_inner: bool = False) -> int:
        """Reads all; an inner line up to its closing bracket. Returns where it ended."""
        while self.at < len(self.line):
            if is_inner and self.line[self.at] == ")":
                self._end_command()
                return self.at + 1
            self._read_next()
        if is_inner:
            raise _NotUnderstood
        self._end_command()
        return self.at

    def _read_next(self) -> None:
        sign = self.line[self.at]
        if self._redirects():
            return
        if separator := _SEPARATORS.match(self.line, self.at):
            self._separate(separator)
        elif sign in " \t":
            self._end_word()
            self.at += 1
        elif sign in "()":
            raise _NotUnderstood
        elif sign == "#" and self._word is None:
            end = self.line.find("\n", self.at)
            self.at = len(self.line) if end < 0 else end
        elif sign == "\\":
            self._read_escaped()
        elif sign == "'":
            self._read_single_quoted()
        elif sign == '"':
            self._read_double_quoted()
        elif sign in "$`":
            self._read_filled_in()
        else:
            self._is_filled = self._is_filled or _FILLED_IN.match(sign) is not None
            self._add(sign)
            self.at += 1

    def _separate(self, separator: re.Match[str]) -> None:
        is_empty = self._word is None and not self._words
        if is_empty and separator[0] != "\n":
            raise _NotUnderstood  # ";;" and the like
        self._end_command()
        self.at = separator.end()

    def _add(self, text: str) -> None:
        self._word = (self._word or "") + text

    def _add_quoted(self, text: str) -> None:
        self._add(text)
        self._is_quoted = True
        self._hides = self._hides or "$" in text or "`" in text

    def _read_escaped(self) -> None:
        if self.at + 1 >= len(self.line):
            raise _NotUnderstood
        following = self.line[self.at + 1]
        if following != "\n":  # else the line goes on
            self._add_quoted(following)
        self.at += 2

    def _read_single_quoted(self) -> None:
        end = self.line.find("'", self.at + 1)
        if end < 0:
            raise _NotUnderstood
        self._add_quoted(self.line[self.at + 1 : end])
        self.at = end + 1

    def _read_double_quoted(self) -> None:
        self._add_quoted("")
        self.at += 1
        while self.at < len(self.line) and self.line[self.at] != '"':
            sign = self.line[self.at]
            if sign == "\\" and self.line[self.at + 1 : self.at + 2] in ("$", "`", '"', "\\", "\n"):
                self._add_quoted(self.line[self.at + 1].strip("\n"))
                self.at += 2
            elif sign == "`":
                raise _NotUnderstood  # quotes mean something else in there
            elif sign == "$":
                self._read_filled_in()
            else:
                self._add(sign)
                self.at += 1
        if self.at >= len(self.line):
            raise _NotUnderstood
        self.at += 1

    def _read_filled_in(self) -> None:
        """A variable, or a command whose output is put here."""
        begin = self.at
        if self.line[begin] == "`":
            self._read_backquoted()
        elif self.line.startswith("$((", begin):
            raise _NotUnderstood
        elif self.line.startswith("$(", begin):
            inner = _Reader(self.line, begin + 2, self.depth + 1)
            self.at = inner.read(is_inner=True)
            self._take(inner)
        elif variable := _VARIABLE.match(self.line, begin):
            self.at = variable.end()
        elif self.line[begin + 1 : begin + 2] in ("", " ", "\t", "\n", "/", ".", ",", ":", "%"):
            self._add("$")
            self._hides = True  # what follows may make a substitution of it once the shell looks again
            self.at += 1
            return
        else:
            raise _NotUnderstood
        self._is_filled = True
        self._add(self.line[begin : self.at])

    def _read_backquoted(self) -> None:
        end = self.at + 1
        while end < len(self.line) and self.line[end] != "`":
            end += 2 if self.line[end] == "\\" else 1
        if end >= len(self.line):
            raise _NotUnderstood
        inner = _Reader(re.sub(r"\\([`\\$])", r"\1", self.line[self.at + 1 : end]), depth=self.depth + 1)
        inner.read()
        self._take(inner)
        self.at = end + 1

    def _take(self, inner: _Reader) -> None:
        if not inner.commands:
            raise _NotUnderstood
        self.commands += inner.commands

    def _redirects(self) -> bool:
        """Reads a redirection, if one stands here: into a file is not understood."""
        sign = _REDIRECTION.match(self.line, self.at)
        if sign is None or (sign[0][0].isdigit() and self._word is not None):
            return False
        self._end_word()
        kind = sign[0].lstrip("0123456789")
        self.at = sign.end()
        if kind.startswith("<<") or kind == "<>" or self.line.startswith("(", self.at):
            raise _NotUnderstood
        target = self._target()
        if kind in (">&", "<&") and re.fullmatch(r"[0-9]+-?|-", target):
            return True
        if target.startswith(_NETWORK):
            raise _NotUnderstood
        if kind == "<":
            self._reads.append(target)
        elif target not in _NOWHERE:
            raise _NotUnderstood
        return True

    def _target(self) -> str:
        """The word behind a redirection."""
        while self.line[self.at : self.at + 1] in (" ", "\t") and self.at < len(self.line):
            self.at += 1
        word = _TARGET.match(self.line, self.at)
        if word is None or self.line[word.end() : word.end() + 1] not in _ENDS_A_WORD:
            raise _NotUnderstood
        self.at = word.end()
        return word[0]

    def _end_word(self) -> None:
        if self._word is None:
            return
        if not self._words or all(_ASSIGNS.match(word) for word in self._words):
            self._check_first()
        self._words.append(self._word)
        self._shown.append(self._as_told(self._word))
        if self._is_filled:
            self._filled.append(self._word)
        self._word, self._is_filled, self._is_quoted = None, False, False

    def _check_first(self) -> None:
        """The program's name has to stand there as it is."""
        word = self._word or ""
        if _ASSIGNS.match(word) and not self._is_quoted:
            return
        if not word or (word in _RESERVED and not self._is_quoted) or (self._is_filled and word != "["):
            raise _NotUnderstood

    def _as_told(self, word: str) -> str:
        """The word in quotes too where it had them to be taken as it is."""
        is_kept = not self._is_filled and _FILLED_IN.search(word)
        is_kept = is_kept or (self._is_quoted and (word in _RESERVED or _ASSIGNS.match(word)))
        return _in_quotes(word) if is_kept else quoted(word)

    def _end_command(self) -> None:
        self._end_word()
        if self._words:
            command = Command(*map(tuple, (self._words, self._filled, self._reads, self._shown)))
            if self._hides and EVALUATES.intersection(command.without_assignments.words[:1]):
                raise _NotUnderstood
            self.commands.append(command)
        self._words, self._filled, self._reads, self._shown, self._hides = [], [], [], [], False
