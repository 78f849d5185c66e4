from __future__ import annotations

import pytest

from desktop_app.context.ledger.message_facts import error_lines

ERRORS = """
ValueError: bad currency
psycopg.errors.NotNullViolation: Error: null value
src/app.ts:12:5 - error TS2304: Cannot find name 'foo'.
src/a.ts(28,2): error TS2739: Type '{}' is missing
error[E0382]: borrow of moved value: `x`
./main.go:12:3: undefined: foo
./main.go:9:2: "os" imported and not used
--- FAIL: TestParse (0.00s)
Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()"
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.1
FAILED tests/test_a.py::test_x - AssertionError: assert 1 == 2
E       assert 1 == 2
AssertionError
npm ERR! code ELIFECYCLE
npm error code E404
HTTP/1.1 500 Internal Server Error
< HTTP/1.1 403 Forbidden
Request failed with status code 503
{"status": 422, "message": "email is invalid"}
{"error": {"code": 401, "message": "Unauthorized"}}
{"error": "the model does not exist"}
Segmentation fault (core dumped)
** (RuntimeError) boom
e: file.kt: (3, 5): Unresolved reference: foo
12:5  error  'x' is not defined  no-undef
ERROR 1064 (42000): You have an error in your SQL syntax
Error response from daemon: No such container: x
thread 'main' panicked at src/main.rs:4:5:
fatal: not a git repository (or any of the parent directories): .git
make: *** [Makefile:12: all] Error 2
grep: src/editor.ts: No such file or directory
bash: foo: command not found
curl: (6) Could not resolve host: example.org
Parse error near line 3: no such column: total
CONFLICT (content): Merge conflict in src/cart.ts
No replacement was performed, old_str `total = 0` did not appear verbatim in cart.py.
File has not been read yet. Read it first.
Can't locate JSON/XS.pm in @INC (you may need to install the JSON::XS module)
lua: cart.lua:7: attempt to index a nil value (local 'row')
nginx: [emerg] unknown directive "proxi_pass" in app.conf:12
cart_test.go:22: got 41, want 42
Expected: 42, Received: 41
OOMKilled: the container has no memory left
{"detail":"Not authenticated"}
HTTP 503 Service Unavailable
429 Too Many Requests
zsh: no matches found: *.csv
MCP error -32602: Invalid arguments for tool search
Invalid params: missing field `query`
error: patch failed: hunk #2 does not apply
Erreur : impossible d'ouvrir le fichier
Uncaught TypeError: Cannot read properties of undefined (reading 'x')
UnhandledPromiseRejectionWarning: Error: boom
✕ renders the form (12 ms)
not ok 3 - parses dates
main.c:3:5: error: expected ';' before 'return'
Traceback (most recent call last):
Command exited with code 2
Permission denied (publickey).
TimeoutError: deadline exceeded
Fehler: Datei nicht gefunden
错误：找不到文件
1 failing
Tests:       2 failed, 10 passed, 12 total
ERROR: Could not find a version that satisfies the requirement foo
""".strip().splitlines()
NO_ERRORS = """
    raise ValueError(msg)
1480:        except (TypeError, ValueError) as error:
  43      except Error as error:
throw new Error(`Theme not found: ${name}`);
isError: event.isError,
"error": "#ff0000",
// show the error: red
| `error` | Error states |
Command exited with code 0
warning: unused variable
all tests passed, 0 errors
0 failed, 12 passed
def handle_error(error):
const error = new Error("x")
logger.error("failed to load %s", name)
if (err != nil) { return err }
""".strip("\n").splitlines()


@pytest.mark.parametrize("line", ERRORS)
def test_the_errors_of_many_languages_and_tools_are_found(line: str) -> None:
    assert error_lines(f"$ make\nall is well here\n{line}\ndone") == error_lines(line) == [line]


@pytest.mark.parametrize("line", NO_ERRORS)
def test_what_is_no_error_is_not_taken_for_one(line: str) -> None:
    assert error_lines(line) == []


def test_of_many_error_lines_the_first_and_the_last_are_kept() -> None:
    text = "\n".join(["$ make", *(f"a.py:{n}: error: no. {n}" for n in range(9)), "done"])
    assert error_lines(text) == ["a.py:0: error: no. 0", "a.py:7: error: no. 7", "a.py:8: error: no. 8"]
    assert len(error_lines(text, most=20)) == 9
    assert error_lines("error: " + "x" * 900, width=50) == ["error: " + "x" * 43]
    assert error_lines("error: same\nerror: same") == ["error: same"]


def test_lines_are_told_apart_however_they_end() -> None:
    assert error_lines("one\r\nfatal: two\r\nthree") == ["fatal: two"]
    assert error_lines("İ one\nfatal: two\nİ three") == ["fatal: two"]
