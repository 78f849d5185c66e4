"""Short conversations in several languages, summaries of them written by hand, and replies that are no summary."""

# ruff: noqa: E501 - what people wrote

from __future__ import annotations

TALKS: dict[str, tuple[str, ...]] = {
    "en": (
        "Our ledger loses a cent whenever a refund is split between two cards. Find out why, and never change the table refunds.",
        "I looked at src/ledger/split.py: round_half_up is called on each part, so that the parts do not add up to the whole.",
        "Then give the remainder to the first card. Keep Python 3.11, since the till in Leeds cannot be updated before March.",
        "I wrote allocate(amount, parts) in src/ledger/split.py and 14 tests in tests/test_split.py. One fails: KeyError: 'card_2' in mailer.py line 88.",
        "mailer.py reads the old field names. Add an alias there, and tell Priya, who owns it.",
        "The alias is in, all 14 tests pass. Priya asks whether the receipts from before 2024-11-02 have to be sent again.",
        "No, only the 37 receipts of November. Which branch is this on?",
        "On fix/refund-cents. What is left: the script that finds those 37 receipts, and the note in CHANGELOG.md.",
    ),
    "zh": (
        "我们要把退款写成新的一行，绝不修改旧行。账本在 src/ledger.py 里。",
        "明白。函数 refund_row 现在会覆盖旧行，需要改成追加。",
        "对，改名为 append_refund。请务必使用 Python 3.12，不要使用全局变量。",
        "已改名，并且在 tests/test_ledger.py 里加了九个测试。有一个报错：KeyError: 'refund_id' 出现在第 42 行。",
        "邮件程序每天中午之前读取账本两次，它用的是旧字段名。请在 mailer.py 里加一个别名。",
        "别名加好了，九个测试全部通过。邮件程序要不要重新发送五月的收据？",
        "只发五月三号之后的十六张。下一步是给邮件程序写测试。",
    ),
    "es": (
        "Organizamos una feria de libros usados en Valencia el 8 de noviembre, con un presupuesto de 2.600 euros.",
        "¿Ya tienen el permiso del ayuntamiento y un lugar cubierto por si llueve?",
        "El permiso llegó ayer. Usaremos el patio del instituto Lluís Vives, pero nunca antes de las nueve, por los vecinos.",
        "Entonces conviene alquilar veinte mesas; la empresa Mobelar las deja a 6 euros cada una.",
        "De acuerdo con Mobelar. Marta se encarga de los carteles y de las redes; no se aceptan libros de texto.",
        "Anoto: sin libros de texto. ¿Habrá lecturas o música por la tarde?",
        "Un recital a las seis con el grupo Tramuntana, que cobra 300 euros. Falta encontrar voluntarios para la caja.",
    ),
    "de": (
        "Ich plane die Renovierung unserer Küche in Freiburg. Das Budget sind 18.000 Euro, und die Wand zum Esszimmer soll weg.",
        "Gerne. Ist die Wand tragend? Das sollte ein Statiker prüfen, bevor Sie etwas abreißen.",
        "Der Statiker, Herr Brandl, war am 12. März da. Sie ist nicht tragend, aber die Wasserleitung läuft darin.",
        "Dann muss die Leitung verlegt werden. Rechnen Sie mit 1.500 bis 2.200 Euro für den Installateur.",
        "Gut. Wir nehmen die Firma Keller für die Leitung. Die Arbeitsplatte soll aus Eiche sein, auf keinen Fall Granit.",
        "Eiche passt gut, sie muss zweimal im Jahr geölt werden. Für die Spüle empfehle ich eine untergebaute aus Edelstahl.",
        "Einverstanden, Edelstahl. Beim Boden schwanken wir zwischen Fliesen und Linoleum.",
        "Linoleum ist wärmer und leiser, Fliesen sind haltbarer. Mit Fußbodenheizung sprechen Fliesen für sich.",
        "Eine Fußbodenheizung haben wir nicht. Also Linoleum in Graublau. Der Elektriker kommt am 3. Mai.",
        "Bis dahin sollten die Steckdosen festgelegt sein: mindestens fünf über der Arbeitsplatte, eine eigene Leitung für den Herd.",
        "Sechs Steckdosen, bitte, und eine für die Kaffeemaschine neben dem Fenster. Was fehlt noch bis zum Einbau?",
        "Die Bestellung der Schränke: Lieferzeit acht bis zehn Wochen. Haben Sie sich schon für einen Hersteller entschieden?",
    ),
    "ru": (
        "Мы переезжаем из Казани в Новосибирск в августе. Помоги составить план, бюджет — 240 000 рублей.",
        "Хорошо. Сколько комнат и есть ли крупная мебель или пианино?",
        "Три комнаты, пианино продаём. Кошку Мусю везём с собой, ей нужен ветеринарный паспорт.",
        "Для кошки нужна прививка от бешенства не позднее чем за 20 дней до поездки. Перевозку лучше заказать в июне.",
        "Договорились: транспортная компания «Вектор», контейнер на 20 кубов. Никогда не звоните мне по утрам, только пишите.",
        "Понял, только письменно. Контейнер идёт семь дней; значит, отправка 9 августа.",
        "Квартиру в Новосибирске нашли на улице Кирова, залог 45 000. Интернет подключим через местного провайдера.",
        "Тогда осталось около 100 000 на контейнер и билеты. Билеты на поезд дешевле покупать за 60 дней.",
        "Детей надо записать в школу № 112, заявление до 30 июня. Что ещё забыли?",
    ),
    "ja": (
        "来月、京都で三十人の同窓会を開きたいです。予算は一人八千円です。",
        "場所の希望はありますか。駅の近くなら移動が楽です。",
        "京都駅から歩ける店がいいです。山田先生は車椅子なので、段差のない店にしてください。",
        "それなら「鴨川亭」が良いでしょう。個室があり、入口に段差がありません。",
        "では鴨川亭に決めます。日にちは六月十五日の土曜日、午後六時からです。",
        "予約は二週間前までに必要です。飲み放題を付けると一人七千五百円になります。",
        "飲み放題を付けてください。案内状は佐藤さんが五月二十日までに送ります。絶対に電話番号を載せないでください。",
        "承知しました。案内状には店の地図と会費だけを書きます。二次会はどうしますか。",
    ),
    "fr": (
        "Je prépare un voyage de dix jours au Portugal avec mes deux enfants, du 4 au 14 juillet, budget 3 200 euros.",
        "Préférez-vous Lisbonne et la côte, ou plutôt Porto et le nord ?",
        "Lisbonne d'abord, puis Lagos. Ma fille Zoé est allergique aux fruits de mer, il faut toujours le vérifier dans les restaurants.",
        "Je propose quatre nuits à Lisbonne dans l'Alfama et six à Lagos. Le train met environ quatre heures avec un changement à Tunes.",
        "Parfait, mais pas de voiture de location. On a réservé le vol TP439 au départ de Lyon.",
        "Alors choisissez un logement à moins de quinze minutes de la plage de Dona Ana. Comptez 110 euros la nuit.",
        "On prend l'appartement Casa Azul à 105 euros. Il reste à trouver des activités pour les enfants.",
        "L'Océanarium à Lisbonne, un cours de surf à Lagos, et la grotte de Benagil en kayak.",
        "Le surf oui, le kayak non, mon fils Hugo n'a que six ans. Combien reste-t-il dans le budget ?",
    ),
}

SUMMARIES: tuple[tuple[str, str], ...] = (
    (
        "en",
        """## Primary intent
Find out why the ledger loses a cent when a refund is split between two cards.
## Rules and constraints
- never change the table refunds; Python 3.11 because of the till in Leeds
## Current state
allocate(amount, parts) in src/ledger/split.py gives the remainder to the first card; an alias in mailer.py; 14 tests pass on fix/refund-cents.
## Open questions and next steps
The script for the 37 receipts of November, the note in CHANGELOG.md.""",
    ),
    (
        "en",
        "Split refunds lost a cent because each part was rounded; the remainder now goes to the first card, tests pass, Priya was told about mailer.py, and the November receipts and the changelog are left.",
    ),
    (
        "zh",
        """## 目标
退款写成新的一行，绝不修改旧行。
## 规则
- 请务必使用 Python 3.12，不要使用全局变量。
## 状态
refund_row 改名为 append_refund，邮件程序加了别名，九个测试全部通过。
## 下一步
发送五月三号之后的十六张收据，给邮件程序写测试。""",
    ),
    ("zh", "退款改成追加新行，函数已改名，邮件程序用别名，测试通过，还要发送五月的收据。"),
    (
        "es",
        """## Objetivo
Feria de libros usados en Valencia el 8 de noviembre con 2.600 euros.
## Reglas
- nunca antes de las nueve; no se aceptan libros de texto
## Estado
Permiso recibido, patio del instituto, veinte mesas de Mobelar, carteles de Marta, recital de Tramuntana a las seis.
## Falta
Voluntarios para la caja.""",
    ),
    (
        "es",
        "La feria de libros usados será en noviembre en el patio del instituto, con mesas de Mobelar y un recital; faltan voluntarios.",
    ),
    (
        "de",
        """## Ziel
Renovierung der Küche in Freiburg für 18.000 Euro, die Wand zum Esszimmer kommt weg.
## Regeln
- Arbeitsplatte aus Eiche, auf keinen Fall Granit
## Stand
Die Wand ist laut Statiker Brandl nicht tragend, die Wasserleitung verlegt Firma Keller. Spüle aus Edelstahl, Linoleum in Graublau, sechs Steckdosen und eine für die Kaffeemaschine. Elektriker am 3. Mai.
## Offen
Hersteller der Schränke, Lieferzeit acht bis zehn Wochen.""",
    ),
    (
        "de",
        "Küche wird für 18.000 Euro renoviert: Wand fällt, Leitung durch Keller, Eiche, Edelstahl und Linoleum sind entschieden; die Schränke fehlen noch.",
    ),
    (
        "ru",
        """## Цель
Переезд из Казани в Новосибирск в августе, бюджет 240 000 рублей.
## Правила
- Никогда не звоните мне по утрам, только пишите.
## Состояние
Компания «Вектор», контейнер 20 кубов, отправка 9 августа. Кошке Мусе нужна прививка. Квартира на улице Кирова, залог 45 000. Детей записать в школу № 112 до 30 июня.""",
    ),
    (
        "ru",
        "Семья переезжает в Новосибирск: контейнер заказан у «Вектора», пианино продают, кошку везут с собой, квартира на Кирова, осталась школа.",
    ),
    (
        "ja",
        """## 目的
京都で三十人の同窓会を開く。予算は一人八千円。
## 規則
- 絶対に電話番号を載せないでください。
## 決定
鴨川亭、六月十五日土曜日の午後六時、飲み放題付きで七千五百円。案内状は佐藤さんが五月二十日までに送る。
## 未解決
二次会をどうするか。""",
    ),
    ("ja", "同窓会は鴨川亭で六月十五日に開く。山田先生は車椅子なので段差のない店を選んだ。"),
    (
        "fr",
        """## Objectif
Voyage de dix jours au Portugal avec deux enfants du 4 au 14 juillet, 3 200 euros.
## Règles
- Zoé est allergique aux fruits de mer : toujours le vérifier ; pas de voiture de location.
## État
Vol TP439 de Lyon, quatre nuits à Lisbonne, six à Lagos, appartement Casa Azul à 105 euros. Surf oui, kayak non (Hugo a six ans). Question ouverte : ce qui reste du budget.""",
    ),
    (
        "fr",
        "La famille va à Lisbonne puis à Lagos, vol TP439, logement Casa Azul ; allergie de Zoé ; le surf est prévu, pas le kayak.",
    ),
)

ANSWERS: dict[str, str] = {
    "en": "It is on fix/refund-cents. I can merge it as soon as you have had a look, or open a pull request. Which do you prefer?",
    "zh": "好的，我可以马上开始。你想用哪个测试框架，需要我先写一个例子给你看看吗？",
    "es": "Puedes preguntar a los estudiantes de último curso o a una asociación del barrio. ¿Quieres que escriba un mensaje para ellos?",
    "de": "Für die Schränke empfehle ich einen Hersteller mit Lager in der Nähe, zum Beispiel Nobilia oder Häcker. Soll ich Ihnen eine Liste mit Preisen zusammenstellen?",
    "ru": "Вы, возможно, забыли про прописку, полис ОМС и переадресацию почты. Хотите, я составлю список по неделям?",
    "ja": "二次会は駅前のカラオケ店がおすすめです。三十人なら大部屋を予約すると良いでしょう。予約しましょうか。",
    "fr": "Il vous reste environ 1 400 euros pour les repas, les transports et les activités, soit 140 euros par jour. Voulez-vous que je détaille ?",
}
"""A reply to the last question, as prose."""

ELSEWHERE: dict[str, str] = {
    "de": "Renovation of a kitchen for a fixed budget: the wall goes, the water pipe is moved by a company, worktop of oak, sink of steel, floor of linoleum. Open: who makes the cupboards.",
    "ru": "A family moves to another city in August; the container is ordered, the cat comes along, the piano is sold, the school must be registered.",
    "ja": "A class reunion of thirty people at a restaurant without steps, since the teacher uses a wheelchair; invitations must not show telephone numbers.",
    "fr": "A family trip of ten days to the coast; daughter has an allergy; no rented car; surfing is planned for the children.",
    "en": "我们讨论了退款分摊时少一分钱的问题，余数现在给第一张卡，测试都通过了，还剩十一月的收据。",
}
"""A summary in another language than the conversation."""

NONSENSE: dict[str, str] = {
    "weather": "The weather is nice today, thanks.",
    "done": "I have written the summary as you asked. Let me know if you need anything else.",
    "refuse": "I cannot help with that request, since it contains personal material that I am not able to process. Please contact support if you believe that this is a mistake.",
    "template": "## Primary intent\nWhat the user wants, in the user's terms; what changed on the way, and what holds now.\n## Rules and constraints\nEverything that the user demanded, forbade or preferred.\n## Decisions\nWhat was decided, and why.\n## Current state\nWhat is done, what works.",
    "generic": "## Primary intent\nThe user asked for help with a task and the assistant helped.\n## Current state\nThe conversation covered several topics. The user provided details and the assistant responded with useful information and suggestions.\n## Open questions and next steps\nContinue to help the user.",
    "lorem": "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna aliqua. Ut enim ad minim veniam.",
    "zh": "今天天气很好，谢谢你。我们聊了很多有趣的事情，希望以后还能继续聊天。",
    "de": "Das Wetter ist heute schön, danke. Wir haben über vieles gesprochen, und ich helfe gerne weiter.",
    "long": "Thank you for sharing this conversation with me! It was a pleasure to read. " * 12,
    "story": "Once upon a time there was a small village by the sea where a young fisherman lived with his grandmother. Every morning he went out with his boat, and every evening she waited for him with soup and bread. One day a storm came from the north and the boats did not return, but the old woman kept a lamp burning in the window.",
}
