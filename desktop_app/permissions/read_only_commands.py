"""Programs that only look, with the options of which that is known: for these alone a wide pattern is proposed.

What is not listed here is taken for something that does more. An option has to be written out: git, make and many
others take any abbreviation of a long one that is not ambiguous, and so may read `--ope` as `--open-files-in-pager`.
"""

from __future__ import annotations

import re

import msgspec

from desktop_app.conversation.lexicon import lexicon

from .command_line import Command


class Looks(msgspec.Struct, frozen=True):
    """Options with which a program only looks.

    flags, values: short ones without and with a value. long, long_values: the same, written out; those of `long` may
    have a value behind `=`. operand: what any other word has to fit. needs: of these at least one has to be there.
    is_any: whether no option at all does harm, so that a word may turn out to be one.
    """

    flags: str = ""
    values: str = ""
    long: frozenset[str] = frozenset()
    long_values: frozenset[str] = frozenset()
    operand: str = r".*"
    needs: frozenset[str] = frozenset()
    is_any: bool = False


def _long(text: str) -> frozenset[str]:
    return frozenset(f"--{word}" for word in lexicon(text))


_PLAIN = Looks(is_any=True)
_SUMS = Looks("bt", long=_long("binary text tag zero"))
LOOKING: dict[str, Looks] = {
    "cat": Looks("AbeEnstTuv", long=_long("number number-nonblank show-all show-ends show-tabs"), is_any=True),
    "tac": _PLAIN,
    "rev": _PLAIN,
    "nl": Looks("p", "bnswv", is_any=True),
    "head": Looks("qvz0123456789", "nc", _long("quiet silent verbose"), _long("lines bytes"), is_any=True),
    "tail": Looks("qvz0123456789", "nc", _long("quiet silent verbose"), _long("lines bytes")),
    "wc": Looks("clmwL", long=_long("lines words bytes chars max-line-length")),
    "ls": Looks(
        "1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ",
        "IwT",
        _long(
            "all almost-all human-readable color reverse recursive directory inode size sort time classify"
            " group-directories-first full-time time-style format no-group numeric-uid-gid si dereference"
        ),
        is_any=True,
    ),
    "stat": Looks("Lft", "c", _long("dereference file-system terse"), _long("format printf")),
    "file": Looks("bihLkN", long=_long("brief mime mime-type mime-encoding dereference keep-going")),
    "du": Looks("abchHklLmsSx0", "dt", _long("all apparent-size bytes human-readable summarize total max-depth")),
    "df": Looks("aHhiklPT", "tx", _long("all human-readable inodes local portability print-type total"), is_any=True),
    "pwd": Looks("LP", is_any=True),
    "echo": _PLAIN,
    "true": _PLAIN,
    "false": _PLAIN,
    "whoami": _PLAIN,
    "nproc": _PLAIN,
    "arch": _PLAIN,
    "uname": Looks("asnrvmpio", is_any=True),
    "uptime": Looks("ps"),
    "free": Looks("bkmghtwl", long=_long("bytes kibi mebi gibi human total wide")),
    "id": Looks("ugnGrz", long=_long("user group groups name real")),
    "date": Looks("uR", "d", _long("utc universal rfc-3339 iso-8601 rfc-email"), _long("date"), operand=r"\+.*"),
    "which": Looks("a", operand=r"[\w.+-]+"),
    "basename": Looks("az", "s", is_any=True),
    "dirname": Looks("z", is_any=True),
    "realpath": Looks("emLPsqz", long=_long("canonicalize-existing canonicalize-missing relative-to relative-base")),
    "readlink": Looks("femnqsvz", long=_long("canonicalize canonicalize-existing canonicalize-missing")),
    "seq": Looks("w", "sf", operand=r"-?[\d.]+"),
    "md5sum": _SUMS,
    "sha1sum": _SUMS,
    "sha256sum": _SUMS,
    "sha512sum": _SUMS,
    "cksum": Looks(operand=r"[^-].*"),
    "cut": Looks("nsz", "bcdf", _long("complement only-delimited"), _long("bytes characters delimiter fields")),
    "tr": Looks("cCdst", long=_long("complement delete squeeze-repeats truncate-set1")),
    "fold": Looks("bs", "w"),
    "cmp": Looks("bls", "in", _long("print-bytes verbose quiet silent"), _long("bytes ignore-initial")),
    "comm": Looks("123z", long=_long("check-order nocheck-order total")),
    "od": Looks("abcdfiloxsv", "AjNt", _long("traditional output-duplicates"), _long("address-radix format")),
    "sort": Looks(
        "bdfghiMnRrVcCmsuz",
        "kt",
        _long("numeric-sort reverse unique ignore-case human-numeric-sort version-sort stable check key"),
        _long("field-separator"),
    ),
    "grep": Looks(
        "EFGPbcHhiLlnoqsvwxyz0123456789",
        "eABCm",
        _long(
            "extended-regexp fixed-strings perl-regexp basic-regexp ignore-case count only-matching line-number quiet"
            " files-with-matches files-without-match invert-match word-regexp line-regexp no-filename with-filename"
            " color colour no-messages"
        ),
        _long("regexp after-context before-context context max-count"),
    ),
    "fd": Looks(
        "HIuasigFp01",
        "deEtS",
        _long("hidden no-ignore absolute-path glob fixed-strings full-path case-sensitive ignore-case"),
        _long("max-depth extension exclude type size"),
    ),
    "tree": Looks("adfipsugDhFNQrtcUCn", "LIP", _long("dirsfirst noreport du prune si gitignore")),
    "git status": Looks(
        "sbz", "", _long("short branch porcelain long ignored untracked-files show-stash ahead-behind")
    ),
    "git log": Looks(
        "0123456789iEFP",
        "n",
        _long(
            "oneline graph decorate no-decorate all branches tags remotes stat shortstat numstat name-only name-status"
            " no-merges merges first-parent follow reverse abbrev-commit no-abbrev-commit date pretty format since"
            " after until before author committer grep max-count skip date-order topo-order relative-date no-color"
            " color left-right cherry-mark cherry-pick diff-filter no-patch summary dirstat"
        ),
        _long("max-count skip since after until before author committer grep"),
    ),
    "git diff": Looks(
        "wbz",
        "",
        _long(
            "stat shortstat numstat name-only name-status summary cached staged merge-base no-color color quiet"
            " exit-code ignore-all-space ignore-space-change diff-filter no-ext-diff no-textconv no-renames dirstat"
        ),
        needs=_long("stat shortstat numstat name-only name-status summary quiet dirstat"),
    ),
    "git branch": Looks(
        "arv",
        "",
        _long("all remotes list verbose show-current merged no-merged sort contains points-at no-color color"),
        operand=r"(?!)",
    ),
    "git tag": Looks(operand=r"(?!)", long=_long("list sort merged no-merged contains points-at"), flags="l"),
    "git remote": Looks("v", "", _long("verbose"), operand=r"(?!)"),
    "git rev-parse": Looks(
        "q",
        "",
        _long(
            "abbrev-ref short verify quiet show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir"
            " is-inside-work-tree is-inside-git-dir is-bare-repository symbolic symbolic-full-name"
        ),
    ),
    "git ls-files": Looks(
        "cdomstuvz",
        "",
        _long("cached deleted others modified stage unmerged exclude-standard full-name error-unmatch eol ignored"),
    ),
    "git ls-tree": Looks("drtlz", "", _long("name-only name-status long full-name full-tree abbrev")),
    "git describe": Looks("", "", _long("tags all always long abbrev exact-match contains match first-parent")),
    "git merge-base": Looks("a", "", _long("all octopus independent is-ancestor fork-point")),
    "git name-rev": Looks("", "", _long("tags all always name-only refs")),
    "git check-ignore": Looks("qvn", "", _long("quiet verbose non-matching no-index")),
    "git shortlog": Looks("nse", "", _long("numbered summary email since until no-merges"), operand=r"[^-].*"),
}
"""By the program, or the program and its verb."""
_FIND = lexicon(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size"
    " -mtime -mmin -atime -amin -ctime -cmin -newer -user -group -uid -gid -perm -empty -readable -writable -executable"
    " -print -print0 -printf -ls -prune -quit -not -a -o -and -or -true -false -depth -xdev -mount -links -inum -follow"
    " -daystart -noleaf -nouser -nogroup -lname -ilname -samefile -warn -nowarn -H -L -P"
)
"""Words of `find` that begin with a dash; those that run, delete or write are none of them."""
_MAY_BE_OPTION = re.compile(r"^[*?\[]|\{")


def spec_of(command: Command) -> tuple[str, Looks, tuple[str, ...]] | None:
    """Return what begins the pattern for such commands, their options, and the words behind; None for those that do
    more."""
    program, *words = command.words
    if program == "find":
        return program, Looks(), tuple(words)
    if program in LOOKING:
        return program, LOOKING[program], tuple(words)
    begin = " ".join(command.words[:2])
    return (begin, LOOKING[begin], tuple(words[1:])) if begin in LOOKING else None


def only_looks(command: Command, named: frozenset[str] = frozenset()) -> bool:
    """Return whether a command does nothing but look, whatever its words say. named: options that are allowed beside
    those that are known. Which files it looks at is another question."""
    found = spec_of(command)
    if found is None:
        return False
    begin, looks, words = found
    may_be_option = (word for word in command.filled if _MAY_BE_OPTION.search(word))
    if any("{" in word or not looks.is_any for word in may_be_option):
        return False
    if begin == "git log" and any("%G" in word for word in words):
        return False  # it has signatures checked by another program
    if begin == "find":
        return all(word in _FIND or word in named or not word.startswith("-") for word in words)
    return words_are_known(words, looks, named)


def words_are_known(words: tuple[str, ...], looks: Looks, named: frozenset[str]) -> bool:
    """Return whether the words behind a program, or its verb, are options that are known, and fitting operands."""
    seen: set[str] = set()
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        option = word.partition("=")[0]
        if word == "--":
            is_enough = not looks.needs or bool(looks.needs & seen)
            return is_enough and all(re.fullmatch(looks.operand, one, re.DOTALL) for one in rest)
        if word == "-" or not word.startswith("-"):
            if not re.fullmatch(looks.operand, word, re.DOTALL):
                return False
        elif option in looks.long_values and "=" not in word:
            rest[-1:] = []
        elif option in looks.long | looks.long_values:
            seen.add(option)
        elif option not in named and not _is_cluster(word, looks, rest):
            return False
    return not looks.needs or bool(looks.needs & seen)


def _is_cluster(word: str, looks: Looks, rest: list[str]) -> bool:
    """Whether a word is short options that are known; takes the value of the last one from the words behind."""
    if word.startswith("--"):
        return False
    for at, letter in enumerate(word[1:], 1):
        if letter in looks.values:
            if at == len(word) - 1:
                rest[-1:] = []
            return True
        if letter not in looks.flags:
            return False
    return True
