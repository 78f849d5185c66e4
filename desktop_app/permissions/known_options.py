"""Programs with known harmless options; a wildcard, proposed for programs that only read, covers these options only.

Anything that is not listed here may do more. Options have to be written in full: git, make and many others accept any
unambiguous prefix of a long option, and so may read `--ope` as `--open-files-in-pager`.
"""

from __future__ import annotations

import re
from functools import cache

import msgspec

from desktop_app.conversation.words import lexicon

from .command_line import Command


class Options(msgspec.Struct, frozen=True):
    """The harmless options of a program, with which it does only what it is meant for."""

    flags: str = ""
    """Short options without a value."""
    values: str = ""
    """Short options with a value."""
    long: str = ""
    """Long options, without their dashes; they may have a value after `=`."""
    long_values: str = ""
    """Long options with a value."""
    operand: str = r".*"
    """A regular expression that all other words must match."""
    first: str = ""
    """A regular expression that the first operand must match instead: a script in the program's language."""
    required: str = ""
    """Long options of which at least one must be present; "" for none."""
    only_reads: bool = True
    is_any: bool = False
    """Whether all options of the program are harmless, so that an expanded word may become one."""


@cache
def _long(text: str) -> frozenset[str]:
    return frozenset(f"--{word}" for word in lexicon(text))


_GREP = Options(
    "EFGPbcHhiLlnoqsvwxyz0123456789",
    "eABCm",
    (
        "extended-regexp fixed-strings perl-regexp basic-regexp ignore-case count only-matching line-number quiet"
        " files-with-matches files-without-match invert-match word-regexp line-regexp no-filename with-filename"
        " color colour no-messages"
    ),
    "regexp after-context before-context context max-count",
)
_ADDRESS = r"(?:\d+|\$|/[^/\\\n]*/)"
_SED = (  # prints, deletes, quits, substitutes; `w`, `W`, `r`, `R` and `e` write, read and run
    rf"(?:(?:^|;) *(?:{_ADDRESS}(?:,{_ADDRESS})?)?"
    r"(?:[pdq=]|s(?P<sign>[/|#,:@])(?:(?:(?!(?P=sign))[^\\\n]|\\[^\n])*(?P=sign)){2}[gpIi0-9]*) *)+"
)
_AWK = (  # excludes `>`, `|`, `[`, `@`, and functions and variables that run, read or show more than the input
    r"(?!.*(?:system|getline|ENVIRON|ARG[VC]|PROCINFO|SYMTAB|close))[\w\s$,.;:=!<+*/{}()&~^\"%?\\-]*"
)
KNOWN_OPTIONS: dict[str, Options] = {
    **dict.fromkeys(lexicon("arch echo false nproc rev tac true whoami"), Options(is_any=True)),
    **dict.fromkeys(lexicon("md5sum sha1sum sha256sum sha512sum"), Options("bt", long="binary text tag zero")),
    "cat": Options("AbeEnstTuv", long="number number-nonblank show-all show-ends show-tabs", is_any=True),
    "head": Options("qvz0123456789", "nc", "quiet silent verbose", "lines bytes", is_any=True),
    "tail": Options("qvz0123456789", "nc", "quiet silent verbose", "lines bytes"),
    "wc": Options("clmwL", long="lines words bytes chars max-line-length"),
    "ls": Options(
        "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ",
        "IwT",
        (
            "all almost-all human-readable color reverse recursive directory inode size sort time classify"
            " group-directories-first full-time time-style format no-group numeric-uid-gid si dereference"
        ),
        is_any=True,
    ),
    "stat": Options("Lft", "c", "dereference file-system terse", "format printf"),
    "file": Options("bihLkN", long="brief mime mime-type mime-encoding dereference keep-going"),
    "du": Options("abchHklLmsSx0", "dt", "all apparent-size bytes human-readable summarize total max-depth"),
    "df": Options("aHhiklPT", "tx", "all human-readable inodes local portability print-type total", is_any=True),
    "pwd": Options("LP", is_any=True),
    "sed": Options("nErsuz", long="quiet silent regexp-extended", first=_SED),
    "awk": Options("", "F", operand=r"(?!/inet).*", first=_AWK),  # gawk connects to /inet/tcp/…
    "uniq": Options("cdDiuz", "fsw", "count repeated unique ignore-case", operand=r"(?!)"),
    "uname": Options("asnrvmpio", is_any=True),
    "id": Options("ugnGrz", long="user group groups name real"),
    "date": Options("uR", "d", "utc universal rfc-3339 iso-8601 rfc-email", "date", operand=r"\+.*"),
    "which": Options("a", operand=r"[\w.+-]+"),
    "basename": Options("az", "s", is_any=True),
    "dirname": Options("z", is_any=True),
    "realpath": Options("emLPsqz", long="canonicalize-existing canonicalize-missing relative-to relative-base"),
    "readlink": Options("femnqsvz", long="canonicalize canonicalize-existing canonicalize-missing"),
    "seq": Options("w", "sf", operand=r"-?[\d.]+"),
    "cut": Options("nsz", "bcdf", "complement only-delimited", "bytes characters delimiter fields"),
    "tr": Options("cCdst", long="complement delete squeeze-repeats truncate-set1"),
    "od": Options("abcdfiloxsv", "AjNt", "traditional output-duplicates", "address-radix format"),
    "sort": Options(
        "bdfghiMnRrVcCmsuz",
        "kt",
        "numeric-sort reverse unique ignore-case human-numeric-sort version-sort stable check key",
        "field-separator",
    ),
    **dict.fromkeys(("grep", "egrep", "fgrep"), _GREP),
    "find": Options(),  # see _FIND
    "fd": Options(
        "HIuasigFp01",
        "deEtS",
        "hidden no-ignore absolute-path glob fixed-strings full-path case-sensitive ignore-case",
        "max-depth extension exclude type size",
    ),
    "tree": Options("adfipsugDhFNQrtcUCn", "LIP", "dirsfirst noreport du prune si gitignore"),
    "git status": Options("sbz", long="short branch porcelain long ignored untracked-files show-stash ahead-behind"),
    "git log": Options(
        "0123456789iEFP",
        "n",
        (
            "oneline graph decorate no-decorate all branches tags remotes stat shortstat numstat name-only name-status"
            " no-merges merges first-parent follow reverse abbrev-commit no-abbrev-commit date pretty format since"
            " after until before author committer grep max-count skip date-order topo-order relative-date no-color"
            " color left-right cherry-mark cherry-pick diff-filter no-patch summary dirstat"
        ),
        "max-count skip since after until before author committer grep",
    ),
    "git diff": Options(
        "wbz",
        long=(
            "stat shortstat numstat name-only name-status summary cached staged merge-base no-color color quiet"
            " exit-code ignore-all-space ignore-space-change diff-filter no-ext-diff no-textconv no-renames dirstat"
        ),
        required="stat shortstat numstat name-only name-status summary quiet dirstat",
    ),
    "git branch": Options(
        "arv",
        long="all remotes list verbose show-current merged no-merged sort contains points-at no-color color",
        operand=r"(?!)",
    ),
    "git tag": Options(operand=r"(?!)", long="list sort merged no-merged contains points-at", flags="l"),
    "git remote": Options("v", long="verbose", operand=r"(?!)"),
    "git rev-parse": Options(
        "q",
        long=(
            "abbrev-ref short verify quiet show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir"
            " is-inside-work-tree is-inside-git-dir is-bare-repository symbolic symbolic-full-name"
        ),
    ),
    "git ls-files": Options(
        "cdomstuvz",
        long="cached deleted others modified stage unmerged exclude-standard full-name error-unmatch eol ignored",
    ),
    "git describe": Options(long="tags all always long abbrev exact-match contains match first-parent"),
    "git shortlog": Options("nse", long="numbered summary email since until no-merges", operand=r"[^-].*"),
    "git add": Options("AuvnfN", long="all update verbose dry-run", only_reads=False),
    "git commit": Options("amvqs", long="message all amend no-edit signoff", only_reads=False),
    "make": Options("kjsBnw", operand=r"[\w.-]+", only_reads=False),
    "pytest": Options("vqxsl", "km", "lf ff sw tb maxfail co collect-only no-header durations", only_reads=False),
}
"""Keys are programs, or programs with a subcommand."""
_FIND = lexicon(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size"
    " -mtime -mmin -atime -amin -ctime -cmin -newer -user -group -uid -gid -perm -empty -readable -writable -executable"
    " -print -print0 -printf -ls -prune -quit -not -a -o -and -or -true -false -depth -xdev -mount -links -inum -follow"
    " -daystart -noleaf -nouser -nogroup -lname -ilname -samefile -warn -nowarn -H -L -P"
)
"""Words of `find` with a dash, except the ones that run, delete or write."""
_MAY_BE_OPTION = re.compile(r"^[*?\[]|\{")


def options_of(command: Command) -> tuple[str, Options, tuple[str, ...]] | None:
    """Return a command's key in KNOWN_OPTIONS, its options, and the words after the key; None if it is unknown."""
    for count in (1, 2):
        begin = " ".join(command.words[:count])
        if begin in KNOWN_OPTIONS:
            return begin, KNOWN_OPTIONS[begin], command.words[count:]
    return None


def has_known_options(command: Command, named: frozenset[str] = frozenset()) -> bool:
    """Return whether all options are known, regardless of the files. named: further options that are allowed."""
    found = options_of(command)
    if found is None:
        return False
    begin, options, words = found
    may_be_option = (word for word in command.expanded if _MAY_BE_OPTION.search(word))
    if any("{" in word or not options.is_any for word in may_be_option):
        return False
    if begin == "git log" and any("%G" in word for word in words):
        return False  # it runs another program to check signatures
    if begin == "find":
        return all(word in _FIND or word in named or not word.startswith("-") for word in words)
    return _has_known_words(words, options, named)


def _has_known_words(words: tuple[str, ...], options: Options, named: frozenset[str]) -> bool:
    """Return whether all words after a program, or its subcommand, are known options and matching operands."""
    long, with_value, required = _long(options.long), _long(options.long_values), _long(options.required)
    seen: set[str] = set()
    operands: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        option = word.partition("=")[0]
        if word == "--":
            operands += rest
            break
        if word == "-" or not word.startswith("-"):
            operands.append(word)
        elif option in with_value and "=" not in word:
            rest[-1:] = []
        elif option in long | with_value:
            seen.add(option)
        elif option not in named and not _is_cluster(word, options, rest):
            return False
    is_complete = not required or bool(required & seen)
    if options.first:
        is_complete = bool(operands) and re.fullmatch(options.first, operands.pop(0), re.DOTALL) is not None
    return is_complete and all(re.fullmatch(options.operand, word, re.DOTALL) for word in operands)


def _is_cluster(word: str, options: Options, rest: list[str]) -> bool:
    """Return whether a word consists of known short options; remove the value of the last one from `rest`."""
    if word.startswith("--"):
        return False
    for at, letter in enumerate(word[1:], 1):
        if letter in options.values:
            if at == len(word) - 1:
                rest[-1:] = []
            return True
        if letter not in options.flags:
            return False
    return True
