"""Questions in English, from titles and sentences, by rule.

A rule that cannot tell gives nothing: fewer questions, but each reads like one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from chunking.evaluation.questions.generation.drafts import MOST_LETTERS, Language

__all__ = ["ENGLISH"]

_PLAIN_VERBS = frozenset(
    "add adjust allow apply attach avoid build calculate calibrate cancel choose clean close configure connect contact convert "  # noqa: SIM905
    "create decrease define delete deploy detach disable disconnect download edit enable ensure enter erase find fix get handle "
    "import increase insert install join keep make migrate modify move obtain open pair prepare prevent protect publish read recover "
    "reduce register remove rename replace reset resolve restart restore revoke rotate run secure select send set share sign start stop "
    "submit switch take tune uninstall unlock update upgrade use verify view write".split()
)
"""Verbs that open a title as an order."""
_ORDERS = _PLAIN_VERBS | {"ask", "bring", "call", "leave", "look", "press", "put", "tell", "try", "wait"}
_NOUN_TOO = frozenset(
    "access backup build check close contact display export fix import order process queue read release "  # noqa: SIM905
    "report request run search send set share sign start stop store support switch take test transfer tune update upgrade use view".split()
)
"""Those that may be nouns: an order only where a word such as "the" follows."""
_DETERMINER = frozenset("a an the your our all each every it them this these to up in on off out with from for into new".split())  # noqa: SIM905
_ASKING = re.compile(r"(?:what|why|when|where|which|who|whose|how)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"(?:what|why|when|where|which|who|whose|how|can|may|do|does|is|are|must|should|will|did|has|have|could|would)\b.*\?$", re.IGNORECASE
)
_ROUTE = re.compile(r"(?:GET|POST|PUT|PATCH|DELETE|HEAD) /\S*$")

_WORDS = r"[^\s,;:()?!\"“”]+"
_NP = rf"(?P<np>(?:{_WORDS} ){{0,5}}{_WORDS})"
_LEANS = frozenset(
    "it its this that these those they them their there he she his her we our i such so then here both each one some many most other "  # noqa: SIM905
    "others another all everything nothing anything and or but if when while as because which who what where how why not no never please "
    "also only just even however therefore thus in on at by from with for to of after before during until since without under over "
    "between".split()
)
_LINKING = frozenset("that which who whose where when while if because and or but as than".split())  # noqa: SIM905
_NUMBER = (
    r"(?P<about>(?:at most|at least|up to|about|around|roughly|only|exactly|more than|less than|no more than|over|nearly|another) )?"
    r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety)"
    r"[ \u00a0-](?P<unit>(?:[a-z-]+ )?[a-z]{2,}s|percent|metres|feet)(?P<of> of [a-z]+)?\b"
)
_THIRD = (
    "takes keeps holds lasts weighs needs uses stores sends reads waits runs allows supports contains accepts returns requires "  # noqa: SIM905
    "covers gives makes costs serves handles measures draws includes consists provides offers produces consumes buffers retains "
    "expires collects drops deletes records counts shows lists".split()
)
_VERBS = {verb: verb[:-1] for verb in _THIRD} | {"has": "have", "reaches": "reach"}
_POINTING = re.compile(r"\b(?:this|that|these|those|it|they|them)\b")
_WHEN = "(?i:if|when|whenever|once|as soon as|unless)"
_SPOKEN = re.compile(r"\bI\b| '\w|[@<>—“”\"]")
"""Of speech, or of a text taken apart."""
_AUX = "is|are|was|were|can|cannot|could|must|should|may|will|would|has|have"
_MODAL = "can|must|should|may|will"


def _sentence(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + r"\s*[.!]?$")


def _lower(text: str) -> str:
    """Its first letter small where its first word is an ordinary one."""
    first = text.split(" ", 1)[0]
    small = first.lower() in _ORDINARY
    return text[:1].lower() + text[1:] if small else text


_ORDINARY = frozenset("the a an every each any all no some your our services readings customers users".split()) | (_LEANS - {"i"})  # noqa: SIM905


def _subject(words: str) -> str:
    """A noun phrase as it stands inside a question; empty where it is none that can stand alone."""
    parts = words.split()
    if not parts or parts[0].lower() in _LEANS or parts[-1].lower() in _LEANS or _LINKING & {part.lower() for part in parts}:
        return ""
    odd = (
        _SPOKEN.search(words)
        or parts[-1].lower().endswith(("ly", "ed"))
        or {"below", "above", "following"} & set(parts)
        or re.search(r"[.!?…]\s", words)
    )
    if odd or words.lower() in ("the", "a", "an"):
        return ""
    return _lower(words)


def _plural(np: str, verb: str) -> bool:
    return verb in ("are", "were", "have") or (verb in _VERBS.values() and not np.endswith("s"))


# -- sentences


def _definition(match: re.Match[str]) -> str:
    np = _subject(match["np"])
    return f"What {match['verb']} {np}?" if np and len(np.split()) <= 5 else ""


def _used(match: re.Match[str]) -> str:
    np = _subject(match["np"])
    return f"What {match['verb']} {np} used for?" if np else ""


def _where(match: re.Match[str]) -> str:
    np = _subject(match["np"])
    return f"Where {match['verb']} {np} {match['how']}?" if np else ""


def _includes(match: re.Match[str]) -> str:
    np = _subject(match["np"])
    verb = match["verb"]
    if not np:
        return ""
    return f"What does {np} {_VERBS[verb]}{match['of'] or ''}?" if verb in _VERBS else ""


def _condition(match: re.Match[str]) -> str:
    word, clause, rest = match["word"].lower(), match["clause"], match["rest"]
    first = clause.split()[0].lower()
    leans = first in _LEANS - {"there", "no", "all", "you"} or first.endswith("ing")
    if leans or len(clause.split()) > 16 or _POINTING.search(clause) or _SPOKEN.search(match[0]):
        return ""
    own = re.sub(r"\byou are\b", "I am", re.sub(r"\byour\b", "my", re.sub(r"\byou\b", "I", clause)))
    order = re.match(r"(?:please |first |do not |never |always )*([a-z]+)\b", rest)
    told = bool(re.search(r"\b(?:you|must|should|please)\b", rest)) or (order is not None and order[1] in _ORDERS)
    asked = "What should I do" if told else "What happens"
    return f"{asked} {word} {_lower(own)}?"


def _why(match: re.Match[str]) -> str:
    np = _subject(match["np"])
    rest = match["rest"].strip()
    if not np or len(rest.split()) > 16 or "," in rest or {*_LINKING, "a", "an", "the", "no"} & set(rest.split()[:1]):
        return ""
    aux = match["aux"]
    return f"Why {'can' if aux == 'cannot' else aux} {np} {'not ' if aux == 'cannot' else ''}{rest}?"


def _many(match: re.Match[str]) -> str:
    np = _subject(match["np"])
    verb, rest = match["verb"], match["rest"].strip()
    if not np or len(rest.split()) > 9 or re.match(r"(?:to|and|or|than)\b", rest) or re.search(r"[,;:]|\b(?:it|this|they|them)\b", rest):
        return ""
    unit = ("what percentage" if match["unit"] == "percent" else f"how many {match['unit']}") + (match["of"] or "")
    tail = f" {rest}" if rest else ""
    asked = unit[0].upper() + unit[1:]
    if match["about"] and match["about"].strip() in ("at most", "at least", "up to", "no more than"):
        asked = f"{'At least' if 'least' in match['about'] else 'At most'} {unit}"
    if verb in ("is", "are", "was", "were"):
        return f"{asked} {verb} {np}{tail}?"
    base = _VERBS.get(verb, verb)
    return f"{asked} {'do' if _plural(np, verb) else 'does'} {np} {base}{tail}?"


def _many_modal(match: re.Match[str]) -> str:
    np = _subject(match["np"])
    rest = match["rest"].strip()
    if not np or len(rest.split()) > 9 or re.match(r"(?:to|and|or|than)\b", rest) or re.search(r"[,;:]|\b(?:it|this|they|them)\b", rest):
        return ""
    tail = f" {rest}" if rest else ""
    return f"How many {match['unit']}{match['of'] or ''} {match['modal']} {np} {match['do']}{tail}?"


_VERB_FORMS = "|".join(sorted({*_VERBS, *_VERBS.values()}, key=len, reverse=True))
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(rf"(?P<word>{_WHEN}) (?P<clause>[^,;:()]{{12,110}}), (?:then )?(?P<rest>.+)$"), _condition),
    (re.compile(rf"{_NP} (?P<aux>{_AUX}) (?P<rest>[^;:()]+?),? because .+$"), _why),
    (_sentence(rf"{_NP} (?P<verb>is|are) used (?:to|for|as|when) .+"), _used),
    (_sentence(rf"{_NP} (?P<verb>is|are) (?P<how>stored|kept|located|found|mounted|installed|saved|published|listed|hosted) "
               r"(?:in|on|at|under|behind|inside|outside|near|next to|below|above) .+"), _where),
    (_sentence(rf"{_NP} (?P<modal>{_MODAL}) (?P<do>(?:be )?[a-z]+(?: [a-z]+)?) {_NUMBER}(?P<rest>.*?)"), _many_modal),
    (_sentence(rf"{_NP} (?P<verb>is|are|{_VERB_FORMS}) {_NUMBER}(?P<rest>.*?)"), _many),
    (_sentence(rf"{_NP} (?P<verb>is|are) (?:a|an|the|one of|any|every|how|what|where) .+"), _definition),
    (_sentence(rf"{_NP} (?P<verb>includes|contains|supports|covers|consists|accepts|measures|records|shows|lists|handles|provides|offers)"
               r"(?P<of> of)? .+"), _includes),
)  # fmt: skip


def from_sentence(sentence: str) -> str:
    """What a sentence answers, by the first rule that fits.

    >>> from_sentence("The gateway keeps thirty days of readings on its card.")
    'How many days of readings does the gateway keep on its card?'
    >>> from_sentence("If the lamp stays red, call the duty phone.")
    'What should I do if the lamp stays red?'
    >>> from_sentence("It is blue.")
    ''
    """
    for pattern, ask in _RULES:
        match = pattern.match(sentence)
        asked = ask(match) if match else ""
        if asked:
            return asked
    return ""


# -- titles


def from_heading(title: str) -> str:
    """A question of a title that is an order, a question, or half of one.

    >>> from_heading("Replace the battery"), from_heading("How to pair a sensor"), from_heading("What Roost does")
    ('How do I replace the battery?', 'How do I pair a sensor?', 'Can you explain what Roost does?')
    >>> from_heading("Operating temperature")
    ''
    """
    if _ASKED.match(title):
        return title
    if _ROUTE.match(title):
        return f"What does {title} do?"
    words = title.split()
    first, second = words[0].lower(), words[1].lower() if len(words) > 1 else ""
    if first == "how" and second == "to" and len(words) > 2:
        return f"How do I {' '.join(words[2:])}?".replace("your ", "my ")
    if _ASKING.match(title) and len(words) > 2:
        return f"Can you explain {title[:1].lower()}{title[1:]}?"
    base = _GERUNDS.get(first, first)
    order = first in _PLAIN_VERBS and (first not in _NOUN_TOO or second in _DETERMINER)
    order |= second in ("a", "an", "the", "your") and first.isalpha() and not first.endswith(("ing", "s")) and first not in _STOP
    doing = first in _GERUNDS and second in _DETERMINER
    if len(words) > 1 and (order or doing) and not {"or", "and"} & set(words[:3]):
        rest = " ".join(words[1:]).replace("your ", "my ")
        return f"How do I {base} {rest}?"
    return ""


def _gerund(verb: str) -> str:
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    doubled = verb in {"get", "set", "run", "stop", "submit", "cancel", "plan", "begin", "put", "cut"}
    return verb + (verb[-1] if doubled else "") + "ing"


_GERUNDS = {_gerund(verb): verb for verb in _PLAIN_VERBS}

# -- phrases

_STOP = frozenset(
    "a about above after again against all also am an and another any are around as at away back be because been before being "  # noqa: SIM905
    "below best between both but by can cannot come could did do does doing done down during each either else enough even "
    "every few first for from full further get give go good had has have having he her here him his how however i if in "
    "inside instead into is it its itself just keep last least less let like long made make many may me mean might more most "
    "much must my near need never new next no none nor not nothing now of off often on once one only onto or other our out "
    "outside over own per please put rather same say see several shall she should since so some soon still such take than "
    "that the their them then there these they things this those though through times to together too two under until up upon "
    "us use used uses using very via was way we well were what when where whether which while who whole whose why will with "
    "within without would yes yet you your three four five six seven eight nine ten eleven twelve twenty thirty hundred "
    "thousand nobody everybody somebody anybody everyone someone anyone comes goes gives takes makes needs says shows works "
    "work start starts begins stays stay means follow follows".split()
)
_RUN = re.compile(r"[A-Za-z][\w’'-]*(?: [A-Za-z][\w’'-]*)*")
_VERBISH = re.compile(r"(?:ed|ing|ly)$")
_NOUN_FOLLOWED = re.compile(r"(?=[,.;:)?!]|’s|'s| (?:is|are|was|were|has|have|can|must|may|will|of|and|or)\b|$)")
"""What stands behind a noun, and seldom behind a verb."""


def phrases(sentences: Sequence[str]) -> dict[str, int]:
    """Runs of two to four words without small ones (Rose et al. 2010, RAKE) that end as nouns do.

    >>> phrases(["The duty phone rings at night.", "Call the duty phone, and wait."])
    {'duty phone': 1}
    """
    found: Counter[str] = Counter()
    for sentence in sentences:
        lower = sentence.lower()
        found.update({run for run in _runs(sentence) if _NOUN_FOLLOWED.match(lower, lower.find(run) + len(run))})
    return dict(found)


def _runs(sentence: str) -> Iterator[str]:
    for run in _RUN.findall(sentence):
        words: list[str] = []
        for word in [*run.split(), "the"]:
            if word.lower() not in _STOP and len(word) >= 3:
                words.append(word.lower())
                continue
            while words and _VERBISH.search(words[-1]):
                words.pop()
            while words and (words[0] in _PLAIN_VERBS - _NOUN_TOO or words[0].endswith("ly")):
                words.pop(0)
            if 2 <= len(words) <= 4:
                yield " ".join(words)
            words = []


def named(phrase: str, sentences: Sequence[str]) -> str:
    """A phrase with the word before it that it mostly has, and its letters as they mostly are."""
    forms = Counter(
        (match[1] or "").lower() + match[2]
        for sentence in sentences
        for match in re.finditer(rf"((?:\b(?:the|an?) )?)({re.escape(phrase)})\b", sentence, re.IGNORECASE)
    )
    form = max(forms, key=lambda one: (forms[one], one.startswith(("the ", "a ", "an ")), one)) if forms else phrase
    ordinary = form[1:].islower() and phrase in " ".join(forms)
    return form[:1].lower() + form[1:] if ordinary else form


def defines(sentence: str, phrase: str) -> bool:
    """The sentence opens with the phrase and says what it is."""
    saying = r"(?:: | (?:is|are) (?:an?|the|any|one|every) | (?:means?|stands? for|refers? to) )"
    return re.match(rf"(?:an?|the)?\s*{re.escape(phrase)}s?{saying}", sentence, re.IGNORECASE) is not None


ENGLISH = Language(
    tag="en",
    about=(
        "What does “{title}” say about {thing}?",
        "What do I need to know about {thing}?",
        "Can you tell me more about {thing}?",
        "What does the documentation say about {thing}?",
    ),
    within="{thing} under “{over}”",
    generic=frozenset(
        "overview introduction notes note limits example examples summary general background details description usage parameters "  # noqa: SIM905
        "response request errors options settings contents basics purpose scope requirements procedure steps result results references "
        "appendix changes history about faq questions contact fields rules".split()
    ),
    defining="What is meant by {thing}?",
    from_heading=from_heading,
    from_sentence=from_sentence,
    phrases=phrases,
    named=named,
    early=14,
    defines=defines,
    least=30,
    most=MOST_LETTERS,
)  # fmt: skip
