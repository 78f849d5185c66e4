"""Every text that needs a translation stands where `packaging/translations` finds it, the engine's failures, too."""

import ast
from collections.abc import Iterator
from pathlib import Path

APP = Path(__file__).resolve().parents[2] / "desktop_app"
ENGINE = sorted(file for file in APP.rglob("*.py") if file.relative_to(APP).parts[0] not in ("ui", "commands"))
SENTENCES = ("title", "detail", "kept", "advice")
SENTENCES_AT = {"Failure": slice(1, 5), "Reason": slice(1, 3), "Refused": slice(0, 1), "SchemaRefused": slice(0, 1)}
MARKS = ("tr", "translatable")


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def unmarked(node: ast.expr) -> Iterator[str]:
    """The words of an expression that no mark surrounds. What a string of mere marks quotes has none."""
    match node:
        case ast.Constant(str() as text) if any(map(str.isalpha, text)):
            yield text
        case ast.JoinedStr(parts):
            for part in parts:
                yield from unmarked(part) if isinstance(part, ast.Constant) else ()
        case ast.IfExp(_, one, other):
            yield from unmarked(one)
            yield from unmarked(other)
        case ast.BoolOp(_, values):
            for value in values:
                yield from unmarked(value)
        case ast.BinOp(one, _, other):
            yield from unmarked(one)
            yield from unmarked(other)
        case ast.Call(ast.Attribute(template, "format")):
            yield from unmarked(template)


def assigned_in(function: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(function):
        match node:
            case ast.Assign([ast.Name(name)], value):
                yield name, value
            case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
                yield from (
                    (name.id, value) for name, value in zip(names, values, strict=True) if isinstance(name, ast.Name)
                )


def unmarked_sentences(source: str) -> list[str]:
    """The words of the failures that a file makes which lupdate would not find."""
    if not any(f"{name}(" in source for name in (*SENTENCES_AT, "replace")):
        return []
    tree, found = ast.parse(source), list[str]()
    scopes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for scope in (tree, *scopes):
        values = dict[str, list[ast.expr]]()
        for name, value in assigned_in(scope):
            values.setdefault(name, []).append(value)
        for call in ast.walk(scope):
            if isinstance(call, ast.Call) and name_of(call) in (*SENTENCES_AT, "replace"):
                sentences = call.args[SENTENCES_AT.get(name_of(call), slice(0))]
                given = [*sentences, *(word.value for word in call.keywords if word.arg in SENTENCES)]
                for one in given:
                    meant = values.get(one.id, []) if isinstance(one, ast.Name) else [one]
                    found += [text for value in meant for text in unmarked(value)]
    return found


def test_every_sentence_of_a_failure_is_marked() -> None:
    found = {str(file.relative_to(APP)): unmarked_sentences(text_of(file)) for file in ENGINE}
    assert {file: texts for file, texts in found.items() if texts} == {}


def test_a_sentence_that_is_not_marked_is_found() -> None:
    made = 'Failure("disk", f"{x}: {x}", kept="Kept {x}".format(x=x), advice=advice)'
    planted = f'def f(x):\n  advice = "Try" if x else f"Call {{x}}"\n  return {made}'
    assert sorted(set(unmarked_sentences(planted))) == ["Call ", "Kept {x}", "Try"]
    assert unmarked_sentences('replace(failure, detail=f"It takes {x}")') == ["It takes "]
    assert not unmarked_sentences('Failure("disk", translatable("Kept {x}").format(x=1), translatable("No"))')


def hidden_texts(source: str) -> list[str]:
    """The texts that stand within an f-string, where lupdate does not look, or are put together for a translation."""
    if not any(f"{mark}(" in source for mark in MARKS):
        return []
    nodes = list(ast.walk(ast.parse(source)))
    marks = [node for node in nodes if isinstance(node, ast.Call) and name_of(node) in MARKS]
    strings = [node for node in nodes if isinstance(node, ast.JoinedStr)]
    inside = [call for string in strings for call in ast.walk(string) if isinstance(call, ast.Call)]
    hidden = [call for call in inside if name_of(call) in MARKS and isinstance(call.args[0], ast.Constant)]
    hidden += [call for call in marks if isinstance(call.args[0], ast.JoinedStr | ast.BinOp)]
    return [ast.unparse(call) for call in hidden]


def test_every_text_stands_where_it_is_found() -> None:
    found = {str(file.relative_to(APP)): hidden_texts(text_of(file)) for file in sorted(APP.rglob("*.py"))}
    assert {file: texts for file, texts in found.items() if texts} == {}


def test_a_hidden_text_is_found() -> None:
    assert hidden_texts("f\"{tr('Now')}: {tr(NAME)}\"") == ["tr('Now')"]
    assert hidden_texts('tr(f"At {x}")')
    assert not hidden_texts('tr("At {x}").format(x=f"{y}")')
