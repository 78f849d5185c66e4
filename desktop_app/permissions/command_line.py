"""A parser that splits a shell's command line into simple commands, to which rules such as "git *" are applied.

It errs on the safe side and rejects any line that it is not certain about. That includes loops, functions, subshells,
here-documents, arithmetic, writing to files, and programs whose names are only known when the line runs.
"""

from __future__ import annotations

import re

import msgspec

from desktop_app.conversation.words import lexicon

_RESERVED = lexicon("if then else elif fi for while until do done case esac in function select time coproc ! [[ ]] { }")
_MEANS_SOMETHING = re.compile(r"[\s;&|<>()'\"`\\\x00-\x1f\x7f]|^#|^$")
_EXPANDED = re.compile(r"[*?\[{~$]")
EVALUATES = lexicon("[ test printf read let declare typeset local readonly export unset wait compgen complete")
"""Builtins that evaluate substitutions in quoted text: [ -v 'a[$(rm x)]' ] runs rm."""
_ASSIGNS = re.compile(r"[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=", re.ASCII)
_VARIABLE = re.compile(r"\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[0-9?#$!@*-])", re.ASCII)
_REDIRECTION = re.compile(r"&>>?|[0-9]*(?:>>|>\||>&|<&|<>|<<<|<<-?|>|<)")
_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr"})
_NETWORK = ("/dev/tcp/", "/dev/udp/")
"""Prefixes of pseudo-files for which the shell opens a connection."""
_SEPARATORS = re.compile(r"&&|\|\||\|&|[;&|\n]")
_TARGET = re.compile(r"[^\s;&|<>()'\"`\\$*?\[{~#]+")
_ENDS_A_WORD = ("", " ", "\t", "\n", ";", "&", "|", ")")
MAX_DEPTH = 5
"""Levels of nested substitutions."""
MAX_LINE = 20_000
"""Characters of a line that is parsed; a user would not read a longer one before allowing it."""


class Command(msgspec.Struct, frozen=True):
    """A program with its arguments."""

    words: tuple[str, ...]
    """The words without quotes."""
    expanded: tuple[str, ...] = ()
    """The words that the shell expands: patterns, variables, substitutions."""
    reads: tuple[str, ...] = ()
    """Files that standard input is redirected from."""
    displayed: tuple[str, ...] = ()
    """The words as they are displayed; () to quote them where necessary."""

    @property
    def text(self) -> str:
        """The command as a line, quoting only words that the shell would otherwise split or evaluate."""
        return " ".join([*(self.displayed or map(quote, self.words)), *(f"<{file}" for file in self.reads)])

    @property
    def without_assignments(self) -> Command:
        """The command without variable assignments before it."""
        at = next((n for n, word in enumerate(self.words) if not _ASSIGNS.match(word)), len(self.words))
        return Command(self.words[at:], self.expanded, self.reads, self.displayed[at:]) if at else self


class _NotParsed(Exception):
    pass


def quote(word: str) -> str:
    """Return the word, in single quotes unless a shell would read it as one literal word."""
    return _in_single_quotes(word) if _MEANS_SOMETHING.search(word) else word


def _in_single_quotes(word: str) -> str:
    return "'" + word.replace("'", "'\"'\"'") + "'"


def parse_commands(line: str) -> tuple[Command, ...] | None:
    """Return all commands that the line runs, first the ones in $(...) and backquotes; None if it cannot be parsed."""
    if len(line) > MAX_LINE:
        return None
    try:
        reader = _LineParser(line)
        reader.read()
    except (_NotParsed, RecursionError):
        return None
    return tuple(reader.commands) or None


class _LineParser:
    """Parses a line from left to right. begin: the index to start at; depth: the number of enclosing substitutions."""

    def __init__(self, line: str, begin: int = 0, depth: int = 0) -> None:
        if "\0" in line or depth > MAX_DEPTH:
            raise _NotParsed
        self.line = line
        self.at = begin
        self.depth = depth
        self.commands: list[Command] = []
        self._words: list[str] = []
        self._displayed: list[str] = []
        self._reads: list[str] = []
        self._word: str | None = None  # the current one
        self._is_expanded = False  # whether the shell expands something in it
        self._expanded: list[str] = []
        self._is_quoted = False
        self._hides = False  # whether a quoted word of the command contains a substitution
        self._has_program = False  # whether the command has a word other than assignments

    def read(self, is_inner: bool = False) -> int:
        """Parse the line, or an inner line up to its closing parenthesis. Return the index after it."""
        while self.at < len(self.line):
            if is_inner and self.line[self.at] == ")":
                self._end_command()
                return self.at + 1
            self._read_next()
        if is_inner:
            raise _NotParsed
        self._end_command()
        return self.at

    def _read_next(self) -> None:
        sign = self.line[self.at]
        if self._read_redirection():
            return
        if separator := _SEPARATORS.match(self.line, self.at):
            self._separate(separator)
        elif sign in " \t":
            self._end_word()
            self.at += 1
        elif sign in "()":
            raise _NotParsed
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
            self._read_expansion()
        else:
            self._is_expanded = self._is_expanded or _EXPANDED.match(sign) is not None
            self._add(sign)
            self.at += 1

    def _separate(self, separator: re.Match[str]) -> None:
        is_empty = self._word is None and not self._words
        if is_empty and separator[0] != "\n":
            raise _NotParsed  # ";;" and the like
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
            raise _NotParsed
        following = self.line[self.at + 1]
        if following != "\n":  # an escaped line end continues the line
            self._add_quoted(following)
        self.at += 2

    def _read_single_quoted(self) -> None:
        end = self.line.find("'", self.at + 1)
        if end < 0:
            raise _NotParsed
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
                raise _NotParsed  # quotes have a different meaning in it
            elif sign == "$":
                self._read_expansion()
            else:
                self._add(sign)
                self.at += 1
        if self.at >= len(self.line):
            raise _NotParsed
        self.at += 1

    def _read_expansion(self) -> None:
        begin = self.at
        if self.line[begin] == "`":
            self._read_backquoted()
        elif self.line.startswith("$((", begin):
            raise _NotParsed
        elif self.line.startswith("$(", begin):
            inner = _LineParser(self.line, begin + 2, self.depth + 1)
            self.at = inner.read(is_inner=True)
            self._add_inner(inner)
        elif variable := _VARIABLE.match(self.line, begin):
            self.at = variable.end()
        elif self.line[begin + 1 : begin + 2] in ("", " ", "\t", "\n", "/", ".", ",", ":", "%"):
            self._add("$")
            self._hides = True  # with the following text, a builtin may evaluate it as a substitution
            self.at += 1
            return
        else:
            raise _NotParsed
        self._is_expanded = True
        self._add(self.line[begin : self.at])

    def _read_backquoted(self) -> None:
        end = self.at + 1
        while end < len(self.line) and self.line[end] != "`":
            end += 2 if self.line[end] == "\\" else 1
        if end >= len(self.line):
            raise _NotParsed
        inner = _LineParser(re.sub(r"\\([`\\$])", r"\1", self.line[self.at + 1 : end]), depth=self.depth + 1)
        inner.read()
        self._add_inner(inner)
        self.at = end + 1

    def _add_inner(self, inner: _LineParser) -> None:
        if not inner.commands:
            raise _NotParsed
        self.commands += inner.commands

    def _read_redirection(self) -> bool:
        """Read a redirection; return False if there is none at this point. Writing to a file is rejected."""
        sign = _REDIRECTION.match(self.line, self.at)
        if sign is None or (sign[0][0].isdigit() and self._word is not None):
            return False
        self._end_word()
        kind = sign[0].lstrip("0123456789")
        self.at = sign.end()
        if kind.startswith("<<") or kind == "<>" or self.line.startswith("(", self.at):
            raise _NotParsed
        target = self._target()
        if kind in (">&", "<&") and re.fullmatch(r"[0-9]+-?|-", target):
            return True
        if target.startswith(_NETWORK):
            raise _NotParsed
        if kind == "<":
            self._reads.append(target)
        elif target not in _NOWHERE:
            raise _NotParsed
        return True

    def _target(self) -> str:
        while self.line[self.at : self.at + 1] in (" ", "\t") and self.at < len(self.line):
            self.at += 1
        word = _TARGET.match(self.line, self.at)
        if word is None or self.line[word.end() : word.end() + 1] not in _ENDS_A_WORD:
            raise _NotParsed
        self.at = word.end()
        return word[0]

    def _end_word(self) -> None:
        if self._word is None:
            return
        if not self._has_program:
            self._check_program()
        self._words.append(self._word)
        self._displayed.append(self._as_written(self._word))
        if self._is_expanded:
            self._expanded.append(self._word)
        self._word, self._is_expanded, self._is_quoted = None, False, False

    def _check_program(self) -> None:
        word = self._word or ""
        self._has_program = not _ASSIGNS.match(word)
        if not self._has_program and not self._is_quoted:
            return
        if not word or (word in _RESERVED and not self._is_quoted) or (self._is_expanded and word != "["):
            raise _NotParsed

    def _as_written(self, word: str) -> str:
        """Return the word as it is displayed: also quoted if the original quotes kept it literal."""
        is_kept = not self._is_expanded and _EXPANDED.search(word)
        is_kept = is_kept or (self._is_quoted and (word in _RESERVED or _ASSIGNS.match(word)))
        return _in_single_quotes(word) if is_kept else quote(word)

    def _end_command(self) -> None:
        self._end_word()
        if self._words:
            command = Command(*map(tuple, (self._words, self._expanded, self._reads, self._displayed)))
            if self._hides and EVALUATES.intersection(command.without_assignments.words[:1]):
                raise _NotParsed
            self.commands.append(command)
        self._words, self._expanded, self._reads, self._displayed = [], [], [], []
        self._hides = self._has_program = False
