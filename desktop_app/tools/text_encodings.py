"""Recognizes the encoding of a text that is not UTF-8, and decodes texts so that each byte can be written back.

Lines are decoded one by one, because files that several programs have written can be in two encodings. Only the
standard library is imported: child processes use this module.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Ordered so that a mark comes before its prefixes."""
SAMPLE = 6_000
"""Bytes of lines that are not UTF-8 from which their encoding is recognized."""
CONFIDENT = 0.6
"""The score from which an encoding is believed without knowing that there is text at all."""
RARELY_UTF8 = 0.1
"""Share of lines that may be valid UTF-8 by chance in a file of two-byte characters."""
ASIAN = frozenset({"gb18030", "cp932", "euc_jp", "cp949", "big5hkscs"})
NAMES = {
    "gb18030": "GBK (gb18030)",
    "cp932": "Shift JIS (cp932)",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR (cp949)",
    "big5hkscs": "Big5",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1252": "Windows-1252",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "cp874": "Windows-874",
    "koi8_r": "KOI8-R",
    "cp866": "code page 866",
    "latin-1": "Latin-1",
    "utf-8": "UTF-8",
}
"""The usual names of encodings."""

_WIDE_SIGNS = "、。，：；！？（）《》「」『』【】〈〉〔〕“”‘’…—・％￥　０１２３４５６７８９～〜ー"
_SIMPLIFIED = (
    "的一是了不在有人我他这中大来上个国到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天"
    "而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些"
    "与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相"
    "次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立"
    "马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边"
    "共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带"
    "花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派"
    "满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿"
    "网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴错误件载码签协租乙甲方须通知止编号名姓部门销售额元角"
    "文件找不到成功失败警告输入输出目录删除添加打开关闭保存测试数据库用户密码登录注册软件系统程序运行启动停止你好"
)
_TRADITIONAL = (
    "的一是了不在有人我他這中大來上個國到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可她裡後小麼心多天"
    "而能好都然沒日於起還發成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些"
    "與高意進把法此實回二理美點月明其種聲全工己話兒者向情部正名定女問力機給等幾很業最間新什打便位因重被走電四第門相"
    "次東政海口使教西再平真聽世氣信北少關並內加化由卻代軍產入先山五太水萬市眼體別處總才場師書比住員九笑性通目華報立"
    "馬命張活難神數件安表原車白應路期叫死常提感金何更反合放做系計或司利受光王果親界及今京務制解各任至清物台象記邊"
    "檔案找錯誤編號約簽訂協議租乙甲須止部門銷售額測試繁體資料庫使用者密碼登入輸出目錄刪除新增開啟關閉儲存輸入系統"
)
_KANJI = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水"
    "半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田"
    "主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料"
    "工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋"
    "色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢所次部区県市都府様氏和式株表番号定内容議録席接続"
)
_HANGUL = (
    "이다는의에을가고하지은기를사시한도로나인정대수서리어해그아라자일들있제보스전구과게부장만것으주조면성상안원비위"
    "무여공우소적동교신었회당선경마오와유내연계관세생치할민모화요진국물방문학용실식발분였며된습니까입없않했같때말중월"
    "파찾름금액업영김철약계임료개통째래행단간결력출설저버터체명작건년류반드트크려려않번째호합습녕"
)
_COMMON = {
    "gb18030": frozenset(_SIMPLIFIED + _WIDE_SIGNS),
    "big5hkscs": frozenset(_TRADITIONAL + _WIDE_SIGNS),
    "cp932": frozenset([*map(chr, range(0x3041, 0x3097)), *map(chr, range(0x30A1, 0x30FB)), *_KANJI, *_WIDE_SIGNS]),
    "cp949": frozenset(_HANGUL + "“”‘’…·※▶●○■□"),
    "cp1251": frozenset("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґ«»—–…№“”„"),
    "koi8_r": frozenset("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё"),
    "cp866": frozenset("оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё─│┌┐└┘├┤═║"),
    "cp1252": frozenset("äöüßÄÖÜéèêëàâçñóíáúùûîïôåæøœãõÉÀÇÑÅØÆ“”‘’„–—…€£°«»¿¡§·•©®™²³½µ×ºª"),
    "cp1250": frozenset("ąćęłńóśźżčďěňřšťůžáéíúýäöüßőűâăîşţđŁŚŻŠČŽŘ„”–—"),
    "cp1254": frozenset("ığşçöüİâîŞÇÖÜĞ“”’–—"),
    "cp1253": frozenset("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ«»–—’"),
    "cp1255": frozenset("אבגדהוזחטיכךלמםנןסעפףצץקרשת–—"),
    "cp1256": frozenset("ابتثجحخدذرزسشصضطظعغفقكلمنهويىةأإآءئؤپچژگ،؛؟"),
    "cp874": frozenset(map(chr, [*range(0x0E01, 0x0E3B), *range(0x0E40, 0x0E5A)])),
}
_COMMON["euc_jp"] = _COMMON["cp932"]
_FREQUENT = {
    "cp1251": frozenset("оеаинтсрвлкмдп"),
    "koi8_r": frozenset("оеаинтсрвлкмдп"),
    "cp866": frozenset("оеаинтсрвлкмдп"),
    "cp1253": frozenset("αοιετσνηυρπκμλςάίόέή"),
    "cp1255": frozenset("יוהלארמבתשנ"),
    "cp1256": frozenset("اليمنوتربةعد"),
    "cp874": frozenset("านรอกเงมยลวดทสต\u0e31\u0e35\u0e34\u0e48\u0e49\u0e33\u0e37\u0e38\u0e43\u0e44\u0e41"),
}
"""Letters of which most of a text consists, in encodings whose letters do not occur in one word with Latin ones. Their
tables overlap, so that rare letters prove little."""
_UNPROVEN = 0.6
"""What one letter of another script is behind: a text with a single one is rather a Latin one."""
_RARER = 0.5
_PREFERRED = {"cp1252": 0.03, "gb18030": 0.02, "cp1254": -0.02}
"""What an encoding that is met more often is ahead of others that fit as well."""
_FOREIGN_WORD = re.compile(r"[^\W\d_A-Za-z](?=[^\W\d_A-Za-z]{2})")
"""Three letters in a row that are not ASCII, as no Latin script has them."""
_MIXED_WORD = re.compile(r"[A-Za-z][^\W\d_A-Za-z]|[^\W\d_A-Za-z][A-Za-z]")
_ODD_CASE = re.compile(r"[^\W\d_](?=[^\W\d_])")


def bom_of(start: bytes) -> tuple[bytes, str]:
    """Return the byte order mark and its encoding; (b"", "") without one."""
    return next(((bom, encoding) for bom, encoding in BOMS if start.startswith(bom)), (b"", ""))


def recognized_encoding(content: bytes) -> tuple[str, float]:
    """Return the encoding of a text that is not UTF-8, and how much it looks like it, at most about 1."""
    scores = {encoding: _score(content, encoding) + _PREFERRED.get(encoding, 0) for encoding in _COMMON}
    best = max(scores, key=lambda encoding: scores[encoding])
    return (best, scores[best]) if scores[best] > 0 else ("cp1252", 0)


def _score(content: bytes, encoding: str) -> float:
    """Return how much a text looks like one of the languages of an encoding, at most 1; -2 if it cannot be decoded."""
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError:
        return -2
    foreign = [sign for sign in text if sign >= "\x80"]
    if not foreign:
        return -2
    common = _COMMON[encoding]
    frequent = _FREQUENT.get(encoding, common)
    total = sum(1 if sign in frequent else _RARER if sign in common else _plausible(sign, encoding) for sign in foreign)
    if encoding in _FREQUENT:
        total -= 2 * len(_MIXED_WORD.findall(text)) + _UNPROVEN
    elif encoding not in ASIAN:
        total -= len(_FOREIGN_WORD.findall(text))
    if encoding not in ASIAN:
        total -= sum(pair.start() and _is_odd_case(text, pair.start()) for pair in _ODD_CASE.finditer(text))
    return total / len(foreign)


def _plausible(sign: str, encoding: str) -> float:
    """Return the score of a character that is not common."""
    if sign < "\xa0" or "\ue000" <= sign <= "\uf8ff" or sign == "\ufffd":
        return -2
    if encoding in ASIAN:
        return _plausible_asian(sign, encoding)
    return 0.5 if sign.isalpha() else 0


def _plausible_asian(sign: str, encoding: str) -> float:
    """Return a score by the place of a character in its table, whose first levels hold the usual ones."""
    if "\uff61" <= sign <= "\uff9f":
        return 0.2  # half a katakana: each byte of some other encodings is one
    code = sign.encode(encoding)
    if len(code) != 2:
        return -1
    lead, trail = code
    if encoding == "gb18030":
        return 0.5 if 0xB0 <= lead <= 0xD7 and trail >= 0xA1 else -0.2
    if encoding == "big5hkscs":
        return 0.5 if 0xA4 <= lead <= 0xC6 else -0.2
    if encoding == "cp949":
        return 0.5 if 0xB0 <= lead <= 0xC8 and trail >= 0xA1 else -0.5
    if encoding == "euc_jp":
        return 0.5 if 0xB0 <= lead <= 0xCF else -0.2
    return 0.5 if 0x88 <= lead <= 0x97 else -0.2


def _is_odd_case(text: str, at: int) -> bool:
    """Return whether a capital letter that is not ASCII follows a small letter."""
    return text[at] >= "\x80" and text[at].isupper() and text[at - 1].islower()


class TextRun(NamedTuple):
    """The end of a part of a decoded text, and the encoding of that part."""

    end: int
    encoding: str


class OtherEncoding(NamedTuple):
    """The encoding of what is not UTF-8 in a text.

    is_mixed: whether what is added is UTF-8, since other lines are, or since the encoding is a guess. is_believed:
    whether it looks like text in that encoding.
    """

    name: str
    is_mixed: bool
    is_believed: bool


def other_encoding(content: bytes) -> OtherEncoding | None:
    """Return the encoding of what is not UTF-8; None if all is."""
    with suppress(UnicodeDecodeError):
        content.decode()
        return None
    odd, count, valid = bytearray(), 0, 0
    for found in _NOT_ASCII.finditer(content):
        try:
            found[0].decode()
            valid += 1
        except UnicodeDecodeError:
            count += 1
            if len(odd) < SAMPLE:
                odd += found[0][: 2 * SAMPLE] + b"\n"
    name, score = recognized_encoding(bytes(odd))
    is_by_chance = name in ASIAN and valid <= RARELY_UTF8 * count
    is_believed = score >= CONFIDENT and b"\0" not in content
    return OtherEncoding(name, (bool(valid) and not is_by_chance) or not is_believed, is_believed)


def decode_lines(content: bytes, other: OtherEncoding) -> tuple[str, tuple[TextRun, ...]]:
    """Return a text of which a part is not UTF-8, and its parts by encoding."""
    pieces: list[str] = []
    runs: list[TextRun] = []
    end = 0
    decoded = (part for line in _LINE.findall(content) for part in decode_line(line, other))
    for name, group in groupby(decoded, key=itemgetter(1)):
        part = "".join(text for text, _ in group)
        end += len(part)
        pieces.append(part)
        runs.append(TextRun(end, name))
    return "".join(pieces), tuple(runs)


def decode_line(line: bytes, other: OtherEncoding | None) -> Iterator[tuple[str, str]]:
    """Yield the parts of a line, each with its encoding. They become the same bytes again."""
    is_in_parts = other is not None and other.is_mixed and other.name not in ASIAN
    for name in ("utf-8",) if other is None or is_in_parts else ("utf-8", other.name):
        with suppress(UnicodeError):
            text = line.decode(name)
            if name == "utf-8" or text.encode(name) == line:
                yield text, name
                return
    at = 0
    for found in _UTF8.finditer(line) if is_in_parts else ():
        yield from _decoded_part(line[at : found.start()], other)
        yield found[0].decode(), "utf-8"
        at = found.end()
    yield from _decoded_part(line[at:], other)


def _decoded_part(part: bytes, other: OtherEncoding | None) -> Iterator[tuple[str, str]]:
    """Yield a part with one byte per character."""
    for name in (other.name if other is not None and other.name not in ASIAN else "cp1252", "cp1252"):
        with suppress(UnicodeError):
            text = part.decode(name)
            if part and text.encode(name) == part:
                yield text, name
                return
    if part:
        yield part.decode("latin-1"), "latin-1"


def encode_part(text: str, runs: Sequence[TextRun], start: int, end: int) -> bytes:
    """Return the bytes that a part of a decoded text had."""
    pieces: list[bytes] = []
    for run in runs:
        if start >= end:
            break
        if run.end > start:
            pieces.append(text[start : min(run.end, end)].encode(run.encoding))
            start = run.end
    return b"".join(pieces)


_NOT_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_UTF8 = re.compile(
    rb"(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+"
)
_LINE = re.compile(rb"[^\n]*\n|[^\n]+")
