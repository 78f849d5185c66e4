"""Texts of many kinds, by which a server's tokenizer is compared with those that are known here. Short: a server is
asked for all of them before it is first used."""

SAMPLES = (
    "The harbour was quiet when they came back. Nobody had lit the lamps along the quay, and the rain that had "
    "followed them since noon was only now beginning to let up; somewhere a dog barked twice, thought better of "
    "it, and fell silent. “You could have written,” she said, not unkindly. He couldn't find an answer that he'd "
    "have believed.",
    "def merge(left: list[int], right: list[int]) -> list[int]:\n    result: list[int] = []\n    i = j = 0\n"
    "    while i < len(left) and j < len(right):\n        if left[i] <= right[j]:\n            result.append(left[i])\n"
    "            i += 1\n        else:\n            result.append(right[j])\n            j += 1\n"
    "    return result + left[i:] + right[j:]\n",
    '{"id": "ord_9f31", "items": [{"sku": "A-1047", "quantity": 3, "price": 19.95}, {"sku": "B-220", "quantity": 1, '
    '"price": 240.0}], "customer": {"name": "Ada Nyström", "email": "ada@example.org"}, "paid": true, "note": null}',
    "2025-03-14T09:26:53.589Z ERROR [worker-7] request 0x7f3c2a failed after 1532 ms: ECONNRESET 10.0.3.17:5432 "
    "(attempt 3/5)\n2025-03-14T09:26:54.102Z WARN  [pool] 12 of 64 connections idle, 4096 kB in use\n",
    "| Region | Q1 | Q2 | Change |\n|---|---:|---:|---:|\n| North | 1,204 | 1,377 | +14.4 % |\n| South | 880 | 861 | "
    "-2.2 % |\n\n- **Total** rose by `7.4 %`\n- See [the report](https://example.org/reports/2025/q2.html#totals)\n",
    "Die Genossenschaft beschloss, das Dach im Frühjahr decken zu lassen, obwohl der Kostenvoranschlag höher ausfiel "
    "als erwartet. Les élèves ont préféré attendre jusqu'à la fin de l'été; ¿y quién podría reprochárselo?",
    "Завтра обещают снег, поэтому поезд отправится на час раньше. Возьмите тёплые вещи и не забудьте документы.",
    "明天上午九点在三楼会议室开会，请大家提前准备好上个季度的销售数据。会議は約一時間の予定です。",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 "
    "QmFzZTY0IGlzIG5vdCBhIGNpcGhlciwgYnV0IGl0IGxvb2tzIGxpa2Ugb25lLg==",
)
