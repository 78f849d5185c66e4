"""Words that stand for each other in talk about everyday life and about programs: a small table, kept by hand.

A question names things otherwise than the message that answers it: it asks for a pet, and the dog was told of. Only
relations that hold in nearly every talk stand here; what is particular to one conversation is learned from its own
words (`feedback_of` in recall_query).
"""

from __future__ import annotations

_SAME = """
kid child children son daughter toddler baby
parent mom mum mother dad father
family husband wife spouse partner parent sibling brother sister kid
grandma grandmother granny grandpa grandfather grandparent
job work career profession occupation employer position role
boss manager supervisor
fired laid quit resign
buy bought purchase order shop
get got receive
make made create build craft
begin began start launch open
end finish complete stop
choose chose pick select decide
trip travel vacation holiday journey visit
house home apartment flat
move relocate
car vehicle drive
doctor hospital clinic medical
sick ill illness disease
injury injured hurt accident broke
happy glad joy excited thrilled
sad upset depressed grief
angry mad furious
afraid scared fear nervous anxious worried
stress relax calm unwind
advice tip suggestion recommend suggest
photo picture pic image photograph
movie film show series
book novel read reading author
music song concert band playlist
paint painting drawing art artwork
friend buddy pal
married marriage wedding wed
date relationship dating single partner
birthday born anniversary age
money cost price pay budget afford
plan goal dream aim intend
win won prize award trophy
study studied degree university college school course
teach teacher class lesson workshop
help support assist volunteer
meet met meeting
eat ate food meal dinner lunch breakfast
cook cooking bake recipe
exercise workout gym fitness
shop store business
clothes clothing outfit dress wear fashion
error exception failure failed traceback crash
bug issue defect
fix fixed repair resolve
delete remove drop
rename renamed
folder directory path
config configuration setting option
function method
database sql sqlite table
login auth authentication password token
install setup dependency package
deploy release publish
test spec
""".strip().splitlines()
"""Each line: words of which one may stand for another."""

_KINDS = """
pet: dog cat puppy kitten hamster rabbit parrot fish turtle
animal: dog cat horse bird fish
instrument: guitar piano violin drums flute clarinet cello saxophone trumpet ukulele
sport: football soccer basketball tennis baseball swimming running cycling hockey volleyball golf yoga
hobby: painting reading gardening photography hiking cooking knitting dancing fishing gaming
activity: hiking swimming camping running painting dancing biking fishing yoga climbing
outdoors: hiking camping park mountain lake beach forest
event: party concert festival conference parade wedding meeting fair competition
art: painting drawing sculpture photography
drink: coffee tea wine beer juice
dessert: cake pie cookie ice cream chocolate
allergy: allergic peanut pollen asthma
subject: math history science biology chemistry physics
language: english spanish french german chinese japanese python javascript
country: france germany italy spain japan china canada mexico india brazil
transport: car bus train bike plane
religion: church god faith prayer temple mosque
weather: rain snow sun storm
season: spring summer autumn winter
爱好: 喜欢 绘画 音乐 阅读 运动 摄影
宠物: 猫 狗 兔子
运动: 跑步 游泳 篮球 足球 健身 瑜伽
推荐: 建议 介绍
建议: 推荐
工作: 公司 同事 上班 职业
家人: 父母 妈妈 爸爸 孩子 妻子 丈夫
旅行: 旅游 景点
心情: 开心 难过 焦虑 压力
食物: 好吃 菜 餐厅
电影: 影片
书: 小说 阅读
生日: 岁
""".strip().splitlines()
"""Each line: what a question calls it, and what the answer may be; not the other way round."""

RELATED_MOST = 12
"""Related words of one word of a question; each is a look-up of its own."""


def _table() -> dict[str, tuple[str, ...]]:
    related: dict[str, list[str]] = {}
    for line in _SAME:
        words = line.split()
        for word in words:
            related.setdefault(word, []).extend(words)
    for line in _KINDS:
        kind, members = line.split(": ")
        related.setdefault(kind, []).extend(members.split())
    return {
        word: tuple(other for other in dict.fromkeys(others) if other != word)[:RELATED_MOST]
        for word, others in related.items()
    }


_RELATED = _table()
_ENDINGS = ("ies", "es", "s", "ing", "ed", "d")


def related_to(word: str) -> tuple[str, ...]:
    """Words that may stand for that word, in small letters; looked up in its plain form too."""
    lowered = word.lower()
    for form in _forms(lowered):
        if form in _RELATED:
            return tuple(other for other in _RELATED[form] if other != lowered)
    return ()


def _forms(word: str) -> list[str]:
    forms = [word]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)]
            forms += [stem + "y"] if ending == "ies" else [stem, stem + "e"]
    return forms
