"""Hundreds of made-up conversations about everyday matters and code, with facts planted in some of them.

made_up_conversations(count)   the same at each call: chats of two people with names and dates, and chats with a model
FACTS                          what was planted, and a question that is asked in other words
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from builders import message
from desktop_app.conversation.message import Message, Role

NAMES = [
    "Caroline",
    "Melanie",
    "Jon",
    "Gina",
    "Maria",
    "John",
    "James",
    "Tim",
    "Nate",
    "Joanna",
    "Andrew",
    "Audrey",
    "Calvin",
    "Dave",
    "Evan",
    "Sam",
    "Deborah",
    "Jolene",
    "Anna",
    "Ben",
    "Clara",
    "Daniel",
    "Emma",
    "Felix",
    "Greta",
    "Hannah",
    "Ivan",
    "Julia",
    "Karim",
    "Laura",
    "Marco",
    "Nina",
    "Omar",
    "Paula",
    "Quinn",
    "Rosa",
    "Stefan",
    "Tara",
    "Uwe",
    "Vera",
    "Walter",
    "Yusuf",
    "Zoe",
]
"""The first four are the people of real chats that questions are asked about."""
RARE_NAMES = 4
DAY = 86_400.0
FIRST_DAY = 1.66e9
"""August 2022."""
PEOPLE = "my sister|my brother|a colleague|the kids|my neighbour|an old friend|my mentor|our coach|my aunt|the team"
TALK: dict[str, tuple[str, ...]] = {
    "camping trip|hike|weekend at the lake|road trip|day at the beach|tour through the mountains": (
        "We went on a {0} with {people} and it rained half of the time.",
        "Planning a {0} for {month}, do you have any advice?",
        "The {0} was exactly what I needed after such a week.",
        "I still have photos of our {0}, the sunset over the water was amazing.",
        "Nothing beats a {0}, the forest makes me calm.",
    ),
    "painting|pottery bowl|drawing|sculpture|watercolor|portrait": (
        "I finished a {0} yesterday, the colors turned out well.",
        "My {0} is going to be in a small art show in {month}.",
        "Making a {0} helps me to relax and to express myself.",
        "{people} asked me whether I could give them the {0}.",
        "How long did you work on that {0}?",
    ),
    "dance class|yoga course|running group|swimming lesson|basketball game|boxing gym": (
        "The {0} starts at seven, and {people} want to join.",
        "I signed up for a {0} in {month} to reduce stress.",
        "After the {0} I was tired but happy.",
        "We won a prize with our {0}, what a feeling!",
        "The {0} raised money for charity this time.",
    ),
    "clothing store|bakery|online shop|dance studio|coffee place|repair workshop": (
        "I lost my job in {month}, so I thought about opening a {0}.",
        "The {0} finally makes some money, the marketing paid off.",
        "We found the right spot for the {0}, good light and a low rent.",
        "{people} helped me to paint the walls of the {0}.",
        "Running a {0} takes more paperwork than passion, sometimes.",
    ),
    "adoption agency|counseling center|support group|school event|community meeting|volunteer day": (
        "I talked to someone of the {0} and learned a lot.",
        "The {0} in {month} gave me courage, people shared their stories.",
        "It means a lot that {people} came to the {0} with me.",
        "I did research about a {0}, and it takes months until one hears anything.",
        "What motivated you to go to the {0}?",
    ),
    "dog|cat|guinea pig|turtle|parrot|horse": (
        "Our {0} has been ill since {month}, the vet says it will be fine.",
        "The {0} hid a shoe under the bed again.",
        "{people} got a new {0}, the children are over the moon.",
        "Do you have a {0}? We think about adopting one.",
        "The {0} follows me through the whole house.",
    ),
    "book|movie|concert|song|play|documentary": (
        "That {0} about friendship and loss made me cry.",
        "{people} recommended a {0} to me, have you heard of it?",
        "I saw the {0} in {month} and think of it every day.",
        "What is your favorite {0}? Mine has been the same since childhood.",
        "The {0} was inspiring, I read about it for hours afterwards.",
    ),
    "soup|cake|curry|roast|salad|pasta": (
        "I cooked a {0} for {people}, the recipe is from my grandmother.",
        "The {0} needs more salt and half an hour longer.",
        "We had {0} for dinner, and ice cream after that.",
        "Can you give me a recipe for a {0} without nuts?",
        "In {month} we eat {0} nearly every week.",
    ),
    "index|migration|schema|cache|queue|parser": (
        "The {0} is slow when the table grows, the query plan shows a full scan.",
        "We decided to keep the {0} as it is until {month}.",
        "I rewrote the {0}, all tests pass, and the benchmark is twice as fast.",
        "There is a bug in the {0}: it drops the last row of each batch.",
        "Please review the {0} before we deploy it on Friday.",
    ),
    "login page|settings dialog|report|invoice export|search field|import": (
        "The {0} shows an error when the user has no permission.",
        "Can you write a test for the {0}? It failed in {month} again.",
        "I think that the {0} should remember what was chosen last.",
        "The customer says that the {0} is missing a column.",
        "We moved the {0} into its own module, config.py only reads it now.",
    ),
    "flight|hotel|train|rental car|visa|insurance": (
        "The {0} for {month} is booked, I have sent you the confirmation.",
        "Can I still change the {0}? The reservation says no refunds.",
        "{people} paid for the {0}, I owe them half.",
        "The {0} was cancelled, and nobody told us why.",
        "How much does the {0} cost for two adults and a child?",
    ),
    "interview|exam|degree|scholarship|internship|promotion": (
        "The {0} is in {month}, I study each evening.",
        "I got the {0}! {people} threw me a little party.",
        "What would you do to prepare for an {0}?",
        "The {0} did not go well, but I learned what I really want.",
        "My plan after the {0} is to work in mental health.",
    ),
}
SMALL = [
    "That sounds great!",
    "Thanks, I appreciate that.",
    "How have you been lately?",
    "Wow, congratulations! Keep it up.",
    "Take care!",
    "I agree, family comes first.",
    "What are your plans for the weekend?",
    "That must have been tough.",
    "Sure, here it is.",
    "Let me know if you need anything else.",
    "Good idea, let's do that.",
    "I am proud of you.",
    "Tell me more about it.",
]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]


class Fact(msgspec.Struct, frozen=True):
    """Something that is said once, and a question that is asked in other words."""

    said: str
    question: str


_TOLD = """
The spare key of the cabin hangs behind the rain barrel.
Where is the cabin's spare key?
We settled on a partial index over open invoices, since the full one slowed every write down.
What did we decide about the index on invoices?
My aunt Ottilie turned ninety in the Hotel Seeblick.
Where did Ottilie celebrate her birthday?
The dentist moved my appointment to the ninth at half past four.
When do I have to be at the dentist?
For the migration we take the read replica offline first, then rename the columns.
In which order do we do the migration with the replica?
The turtle's vet is Dr. Brandl, she only works on Tuesdays.
Who treats the turtle when it is ill?
Our wifi at the studio is called Flamingo Upstairs.
What is the name of the wifi in the studio?
I am allergic to sesame, so no tahini for me.
What should I avoid eating because of an allergy?
The bug was caused by daylight saving time: the scheduler ran the nightly export twice.
Why did the nightly export run two times?
We named the release after the river Ilz.
Which river gave its name to the release?
The landlord wants three months of rent as a deposit for the bakery.
How much deposit does the bakery's landlord ask for?
Grandmother's curry has a spoon of marmalade in it, that is the secret.
What is the secret of grandmother's curry?
The rate limit of the payment provider is 40 requests a second.
How many requests per second does the payment provider allow?
Karim plays the oboe in the city orchestra.
Which instrument does Karim play?
We chose msgspec over pydantic, because start-up was four times as fast.
Why did we not take pydantic?
The flat in Porto has a balcony that looks on the harbour.
What can one see from the balcony in Porto?
My blood type is AB negative, in case anyone asks.
What is my blood type?
The parser must accept trailing commas, the partner's files are full of them.
What do the partner's files have that the parser has to accept?
The coach says that my left knee needs six weeks of rest.
How long does my knee need rest?
Her first novel is about a lighthouse keeper who is afraid of water.
What is her first novel about?
The passport of the little one expires on the second of May.
When does the child's passport expire?
We pay the freelancer 85 euros an hour, invoices come monthly.
What is the hourly rate of the freelancer?
The old router sits in the cupboard, its admin password is on the yellow note.
Where did I write down the password of the router?
On the ferry to Gotland we met a beekeeper who sold us heather honey.
Who did we meet on the ferry?
The flaky test was test_reorder, it depended on the order of a set.
Which test was flaky, and why?
For the wedding we need 14 vegetarian meals and two without gluten.
How many vegetarian meals are needed at the wedding?
The scholarship committee wants two letters, one of them from outside the university.
How many letters does the scholarship committee want?
The cello was my grandfather's, he built it himself in 1931.
Who built the cello?
We keep uploads for 30 days, then a job named sweep deletes them.
After how many days are uploads deleted?
The children's theatre needs a fog machine that does not trip the smoke alarm.
What does the children's theatre need?
Our customer in Graz prints labels on a Zebra printer with 203 dots per inch.
What resolution has the printer of the customer in Graz?
I promised Paula the recipe of the plum dumplings.
What did I promise to Paula?
The telescope needs a red torch, white light spoils the night vision.
What light should be used beside the telescope?
The tax adviser said that the studio counts as a business from the second year on.
What did the tax adviser say about the studio?
We agreed that retries stop after five attempts and then go to the dead letter queue.
What happens after the retries fail?
The apricot tree was planted when Nina was born.
When was the apricot tree planted?
The museum lends its audio guides only against an identity card.
What does one have to leave to borrow an audio guide?
Our contract with the hoster ends in November, notice is three months.
When does the hosting contract end?
The screws of the shelf are M6 by 40, the ones in the bag are too short.
What screws does the shelf take?
The choir sings the Fauré Requiem in the abbey on the last Sunday.
What does the choir sing in the abbey?
""".strip().splitlines()
FACTS = tuple(Fact(said, question) for said, question in zip(_TOLD[::2], _TOLD[1::2], strict=True))


class Conversation(msgspec.Struct, frozen=True):
    """A made-up conversation."""

    id: str
    title: str
    messages: tuple[Message, ...]
    facts: dict[int, int]
    """What was planted: the number of the fact by the index of its message."""


def made_up_conversations(count: int, seed: int = 12) -> Iterator[Conversation]:
    """Yield that many conversations of 20 to 160 messages; the facts are spread over them."""
    chance = random.Random(seed)
    homes = {number: chance.randrange(count) for number in range(len(FACTS))}
    for number in range(count):
        planted = [fact for fact, home in homes.items() if home == number]
        yield _conversation(f"made-{number}", chance, planted)


def _conversation(name: str, chance: random.Random, planted: list[int]) -> Conversation:
    length = chance.randint(20, 160)
    topics = chance.sample(list(TALK), 3)
    places = dict(zip(chance.sample(range(length), len(planted)), planted, strict=True))
    names = _two_names(chance) if chance.random() < 0.5 else ("", "")
    at = FIRST_DAY + chance.randrange(900) * DAY
    messages: list[Message] = []
    for index in range(length):
        begins = index % 24 == 0
        at += 7 * DAY * begins + 60
        text = FACTS[places[index]].said if index in places else _utterance(chance, chance.choice(topics))
        if begins and names[0]:
            text = f"[{chance.randint(1, 28)} {chance.choice(MONTHS)}, {chance.choice((2022, 2023))}] {text}"
        role = (Role.USER, Role.ASSISTANT)[index % 2]
        messages.append(message(role, text, id=f"{name}-{index}", at=at, speaker=names[index % 2]))
    title = topics[0].split("|")[chance.randrange(6)].capitalize()
    return Conversation(name, title, tuple(messages), places)


def _two_names(chance: random.Random) -> tuple[str, str]:
    """Return two names; now and then one of somebody whom questions are asked about."""
    one, other = chance.sample(NAMES[RARE_NAMES:], 2)
    return (chance.choice(NAMES[:RARE_NAMES]) if chance.random() < 0.04 else one), other


def _utterance(chance: random.Random, topic: str) -> str:
    pieces = [_filled(chance, topic) for _ in range(chance.randint(0, 3))]
    if chance.random() < 0.5 or not pieces:
        pieces.insert(chance.randint(0, len(pieces)), chance.choice(SMALL))
    return " ".join(pieces)


def _filled(chance: random.Random, topic: str) -> str:
    sentence = chance.choice(TALK[topic]).format(
        chance.choice(topic.split("|")), people=chance.choice(PEOPLE.split("|")), month=chance.choice(MONTHS)
    )
    return sentence[0].upper() + sentence[1:]
