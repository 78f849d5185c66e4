"""A table from the words of questions to words that may stand in their answers.

A question about a pet is answered by a message about a dog. Only relations that hold in nearly every conversation are
listed; what is particular to one is learned from its own words (`feedback_of` in query.py).
"""

from __future__ import annotations

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
"""Each line: a word of questions, and words of their answers; not the other way round."""

_RELATED = {kind: tuple(members.split()) for kind, members in (line.split(": ") for line in _KINDS)}
_ENDINGS = ("ies", "es", "s")


def related_to(word: str) -> tuple[str, ...]:
    """Return words that may stand for that word, in small letters; looked up in its singular, too."""
    lowered = word.lower()
    return next((_RELATED[form] for form in _forms(lowered) if form in _RELATED), ())


def _forms(word: str) -> list[str]:
    forms = [word]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            forms.append(word.removesuffix(ending) + ("y" if ending == "ies" else ""))
    return forms
