"""Values that their own sentence takes back: 周六不行; Thursday fell through; $4,200 was turned down; half of $950.

What is said of a value behind it, a no before it, a part or a multiple of it, or another value that takes its place.
"""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_successors import Said, is_succeeded

_NEAR: Final = 40
"""Characters before a value that are read."""
_MOMENTS: Final = frozenset(("date", "time"))
_AMOUNTS: Final = frozenset(("money", "percent"))
_COUNTED: Final = frozenset(("money", "duration", "number"))

_CLOSE: Final = r"[\"'”’)*\]]{0,3}"
_WILL_NOT_DO: Final = later(
    rf"{_CLOSE} ?(?:[^\x00-ÿ，,。;:!?]{{0,8}}?(?:(?<!对)[一-鿿]不(?:及|上|下来?|出来?|起|开(?![门会工业票车店放发])|到|了(?![解])|成(?!问)|动|住|过来)"
    r"|不(?:行|成|够(?!的)|合适|方便|可能|可以|现实|考虑|划算|太行|作数|算数?|再|安排|凑巧)|没(?:空|戏|时间|法|通过|谈[成拢]|批|票|位|能|档期|着落)|作罢|泡了?汤|黄了|悬了|够呛|没影|吹了|告吹|搁置|落空|打回|驳回|被(?!确|选中|定|安排|预|列|批准|接受|采|要求|叫|说|称)[一-鿿]{1,4}了|否决|否了|被拒|推翻|取消|作废|延期|推迟|顺延|改期|延后|往后(?:推|延|拖|挪|顺)|太(?:忙|赶|急|紧|挤|满|早|晚|迟|仓促))"
    r"|(?:'s [a-z]+ |[a-z]+ )?(?<![a-z])(?:(?:is|was|are|were|looks|seems|got|went|will be|would be|might be|'s|proved|turned out(?: to be)?) (?:now |already |really |just |completely |also |a |the )?(?:off(?![- ][a-z])|out(?! of)|over|no (?:good|longer|go|use|more)|no-go|dead|impossible|unavailable|unworkable|unrealistic|inconvenient|booked out|fully booked|full|taken|bad|wrong|too [a-z]+|past|cancell?ed|scrapped|dropped|ditched|binned|axed|abandoned|shelved|postponed|delayed|moved|pushed|bumped|rescheduled|ruled out|called off|overturned|vetoed|rejected|refused|declined)"
    r"|f(?:ell|alls?|alling|allen) (?:through|apart|flat|by the wayside)|(?:had|has|have) to (?!(?:be|work|do|stay|hold|stand|suffice|remain)(?![a-z]))[a-z]+|(?:had|has|have|needs?|needed) to be (?!confirmed|booked|paid|kept|set|met|respected|honou?red)[a-z]+|(?:has|had|have) been (?:cancell?ed|scrapped|dropped|moved|pushed|ruled out|called off|postponed|taken)|(?:wo|does|did|do|is|was|ca|could|would)(?:n't| not)|cannot|will not|can not|no longer (?:works?|suits?|fits?|stands?|holds?|applies|possible)|(?:clash|conflict)(?:es|ed|s)?|slip(?:s|ped)|got (?:bumped|moved|pushed|[a-z]+led|scrapped|dropped|axed|nixed|canned))(?! only| just| before| until)(?![a-z]))"
)
"""Behind a date or a time: it will not do."""
_REFUSED: Final = later(
    rf"{_CLOSE} ?(?:[^\x00-ÿ，,。;:!?]{{0,8}}?(?:(?<!对)[一-鿿]不(?:下来?|出来|起|成(?!问)|拢|动)|不(?:行|成(?![为立功])|可能|现实|考虑|同意|批准?|够用?)|没(?:批|通过|谈[成拢下])|(?:被|遭)[一-鿿]{{0,4}}?(?:打回|驳回|否|拒|退回|砍|毙|压)|打回|驳回|否决|谈崩|黄了|泡汤|作罢|推翻|告吹)"
    r"|(?:[a-z]+ )?(?<![a-z])(?:is|was|were|got|has been|had been|gets?|being) (?:[a-z]+ly )?(?:turned down|rejected|vetoed|refused|declined|denied|slashed|cut|shot down|overruled|overturned|reversed|revised|withdrawn|scrapped|dropped|struck|trimmed|halved|doubled|knocked (?:down|back)|nixed|out of (?:the question|reach)|off the table|not (?:approved|accepted|granted|agreed|possible|ours?))(?![a-z])"
    r"|(?<![a-z])(?:(?:did|does|would|could)(?:n't| not)|won't|will not|cannot|can't) (?:fly|pass|work|stand|hold|get (?:approved|through)|make it|go through|be (?:approved|accepted|granted))(?![a-z]))"
)
"""Behind an amount: nobody agreed to it."""
_IS_WRONG: Final = later(
    rf"{_CLOSE},? ?(?:(?:which |it )?(?:turned out|turns out|proved|proves) (?:to be |as )?(?:the |a |an )?(?:wrong|mistaken|incorrect|false|typo|mistake|error|outdated|someone else's|somebody else's|obsolete)(?![a-z])|(?:已经?|早就|现)?(?:被)?(?:换成|改成|改为|更换为|替换为|更正为|更新为))"
    rf"|{_CLOSE}\? ?(?:no|nope|nah|not|不|错)(?![a-z])|{_CLOSE} never (?!(?:changes?|changed|moves?|moved|fails?)(?![a-z]))[a-z]"
)
"""Behind anything: it was said in error, or replaced."""
_PORTION: Final = later(
    r" ?,? ?(?:(?:and |but )?(?<![a-z])(?:less|minus|plus|before|net of)(?: (?:the|a|another|about))*|(?:还[得要]|再|另外?|需|要|先|得){0,3}(?:加|减|扣掉?|去|涨|上浮|下浮|打|抽)(?:掉|去|个)?) ?(?=[0-9]+(?:\.[0-9]+)? ?(?:%|percent)|[一二两三四五六七八九]折|[0-9.]+折|[一二两三四五六七八九]成|百分之)"
)
"""Behind an amount: a share of it is yet to be taken off or added."""
_NO_BEFORE: Final = later(
    r"(?<![是要差来及好可])(?:不|没|甭|(?<![特分区级告])别)(?:再|能|会|想|用|敢)?(?![是超仅如妨管但论只同晚早迟少多到足过低高大小知含止变巧料计满忘错漏误耽见得])[一-鿿]{1,2}? ?\Z"
    r"|(?<![a-z])(?:can't|cannot|can not|won't|will not|couldn't|could not|doesn't|does not|don't|do not|didn't|did not|never|isn't|is not|wasn't|was not|aren't|not)(?: (?!forget|miss|later|more|less|only|just|until|before|after|by|since|exceed|over|above|under|below|wait|sure|earlier|fewer|than|to|change|because)[a-z]+){1,2}(?: (?:on|for|at|with))?(?: the)? ?[¥$€£]?\Z"
    r"|没(?:有)?人[一-鿿]{0,3}\Z|(?<![a-z])(?:rules?|ruled|ruling) out(?: the)? [¥$€£]?\Z|(?:代替|取代|替代|顶替|替换)了? ?\Z|(?<![a-z])(?:replac(?:es|ed|ing)|supersed(?:es|ed|ing)|in place of|in lieu of|takes? the place of|skip(?:s|ped|ping)?|scrap(?:s|ped)?|cancel(?:s|l?ed)?|scratch|ditch(?:es|ed)?|nix(?:ed)?|strike|cross(?:ed)? out|forget|forgo|give up|gave up|no more|(?:nobody|no one|none of us|neither of them)(?: [a-z]+){0,2})(?: the)? [¥$€£]?\Z"
)
"""Before a value: a verb that denies it."""
_PASSIVE: Final = later(
    rf"{_CLOSE} (?:(?:was|were|got|gets|has been|had been|is being|will be|is|are) )(?:[a-z]+ly )?(?!(?:confirm|fix|set|book|agree|approv|schedul|plan|reserv|settl|lock|propos|suggest|mention|announc|us|add|includ|enter|mark|offer|request|accept|select|decid|block|nam|not|stat|record|need|requir|prefer|expect|target|nail|clear|list|repeat|report|stor|sav|fill|sign|guarante|pencil|assign|dedicat|earmark|own|releas|complet|deliver|publish|call)(?:t?ed|d)(?![a-z]))[a-z]+ed(?![a-z])"
)
"""Behind a date or a time that is a subject: something was done to it that is not known to let it stand."""
_PUT_OFF: Final = later(
    r"[^,;。!?\n]{0,16},[^,;。!?\n]{0,6}(?:挪(?!用)|推迟|延(?:后|期|到|至)|顺延|改(?:期|天|日|时间|到)|换(?:天|日子|个(?:时间|日子))|另约|另定|另行|再约|重(?:新)?[约排定]|错(?:开|后|一[天周])|往后)"
)
"""Behind a date or a time: the next clause looks for another one."""
_UNDONE: Final = later(
    rf"{_CLOSE}(?:又|再|被)?[涨降减砍升](?:价|掉)?了 ?(?=[¥$€£0-9一二两三四五六七八九十百半])"
    rf"|{_CLOSE},? (?:withdrawn|rejected|vetoed|refused|declined|turned down|retracted|revoked|rescinded|scrapped|overruled|denied|shot down)(?![a-z])"
    rf"|{_CLOSE} (?:did|does|would|could|has|had|was|is|will|can)(?:n't| not|not) (?!(?:change|include|cover|move|vary|exceed|count|contain|comprise|only|just|yet|due|paid|refundable)(?![a-z]))[a-z]"
    rf"|{_CLOSE} (?:short(?! of)|shy|f(?:ell|alls?) (?:short|through|flat)|(?:was|were|got|has been|had been) [a-z]+(?:ed|t) down)(?![a-z])"
)
"""Behind an amount: it came to nothing, or is not reached."""
_PART_BEFORE: Final = later(
    r"(?:(?<![a-z])(?:half|double|twice|triple|thrice|quadruple|(?:a|one|two|three) (?:third|quarter|fifth|tenth)s?|[0-9.]+ ?(?:%|percent|per cent|times|x)|(?:a |some )?(?:fraction|part|portion|share|multiple|percentage) of)(?: of)?(?: the| that| this| our)? ?[¥$€£]?|(?<![a-z])(?:short|shy|north|south|wide) of(?: the)? ?[¥$€£]?"
    r"|(?:[双两]|[0-9一二三四五六七八九十几数]+)倍(?:于)?的? ?|(?:一半|半数|加倍|翻倍|翻番|零头)的? ?)\Z"
)
_PART_BEHIND: Final = later(
    rf"{_CLOSE}(?:的(?:一半|半数|[一二三四五六七八九十百0-9.]+(?:倍|成|%|分之)|百分之|零头|几分之)|(?:还|尚|就|只)?[差缺少]|翻(?:倍|番|一番)|减半|打[对一二三四五六七八九0-9.]+折)"
)
_FAR: Final = later(r"(?:离|距离?)[^,;。!?\n]{0,6}\Z")
"""Before an amount: it is not reached yet."""
_LACKING: Final = later(r"[^,;。!?\n]{0,4}(?:还|尚|仍)?(?:差|有|远|不够|欠)")
_ECHO: Final = later(
    rf"{_CLOSE}\?+ ?(?!(?:yes|yep|yeah|sure|ok|okay|fine|works|perfect|great|confirmed|correct|right|是|对|好|行|可以|没问题|嗯|确认|就)|\Z)\S"
)
"""Behind a value that is all that is asked: what answers is no yes."""
_ALL_ASKED: Final = later(r"(?:\A|[。!?\n]|\. )[\s\"'*-]*\Z")


def is_overturned(text: str, one: Said, kind: str, others: Sequence[Said]) -> bool:
    """Tells whether the sentence of a value says that it holds no more, or that another value is meant.

    Args:
        text: Folded.
        one: The value.
        kind: Of it; empty: of a kind of which nothing but another value takes the place.
        others: All values of its kind that the text says and does not deny, in order.
    """
    start, end, _ = one
    before = max(0, start - _NEAR)
    if _IS_WRONG.match(text, end) or (_ECHO.match(text, end) and _ALL_ASKED.search(text, before, start)):
        return True
    moment, amount = kind in _MOMENTS, kind in _AMOUNTS
    if moment and (_WILL_NOT_DO.match(text, end) or _PASSIVE.match(text, end) or _PUT_OFF.match(text, end)):
        return True
    if amount and (_REFUSED.match(text, end) or _PORTION.match(text, end) or _UNDONE.match(text, end)):
        return True
    if (moment or amount) and _NO_BEFORE.search(text, before, start):
        return True
    if kind in _COUNTED and (_PART_BEFORE.search(text, before, start) or _PART_BEHIND.match(text, end)):
        return True
    if amount and _FAR.search(text, before, start) and _LACKING.match(text, end):
        return True
    return is_succeeded(text, one, others)
