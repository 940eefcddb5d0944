"""Talk about what a rule is about: it names the same things, but wants nothing."""

# ruff: noqa: SIM905, E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

from typing import Final

from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_rule_sense import stem

_WANTED: Final = later(
    r"(?<![重主])要|必须|务必|应[该当]?|(?<!觉)得(?=[用写说加])|请|需|希望|想|偏好|喜欢|允许|同意|可(?![是能见惜])|准(?!备)|许|让|尽管|继续|改[为成用]|记得|以后|最好|尽量|一律|规定|规则|别(?![的人处])|勿"
    r"|(?<![a-z])(?:must|should|shall|ought|ha(?:ve|s|d) to|needs?|needed|please|wants?|wanted|wish(?:es)?|prefers?|preferred|loves?"
    r"|(?<!look )(?<!looks )(?<!feel )(?<!feels )(?<!sound )(?<!sounds )likes?|asks?|asked|allow(?:s|ed)?|let|always|never|ensure|make sure|remember|from now on|go ahead|ok(?:ay)?|fine|welcome"
    r"|may|can|could|will|would|may|instead|rules?|required?|requires|expect(?:s|ed)?|encouraged?|recommended)(?![a-z])"
)
"""Words of a sentence that wants something, or says what somebody wants."""
_TALK: Final = later(
    r"怎么|为什么|为何|干嘛|都是|又是|觉得|认为|以为|感觉|显得|看起来|看上去|听起来|像[是在]?|[是就]在|因为|由于|理由|原因|意味着|[一-鿿]了|过(?![多度于分])"
)
"""Words of a sentence that tells what is, was or seems."""
_FIRST: Final = later(r"[^a-z㐀-鿿]*(?:(?:and|but|so|then|also|just|now|ok|no|yes|well|still)[, ]+)*([a-z']+)?")
_NO_COMMAND: Final = frozenset(
    "a an the this that these those it he she they we i you his her its their our my your there here some many most few "
    "in on at for with when as because since after before while although though if by from to of what who how why".split()
)
"""First words of sentences that are no command."""
_CHINESE: Final = later("[㐀-鿿]")
_ENDINGS: Final = ("s", "ed", "ing", "'s")


def is_talk(sentence: str, topic: frozenset[str], told_to: frozenset[str]) -> bool:
    """Tells whether a sentence merely talks about what a rule is about: 客人觉得感叹号是在喊.

    When in doubt it does not: a rule that is turned round must be seen.

    Args:
        sentence: Folded.
        topic: Stems of the words of the rule.
        told_to: Those of them that say what to do, ``use`` of "never use emojis": a command may begin with one.
    """
    if _WANTED.search(sentence):
        return False
    if _CHINESE.search(sentence):
        return bool(_TALK.search(sentence))
    match = _FIRST.match(sentence)
    first = match[1] if match else None
    if first is None or stem(first) in told_to:
        return False
    if first in _NO_COMMAND or stem(first) in topic:
        return True
    return first.endswith(_ENDINGS) and not first.endswith("ss")
