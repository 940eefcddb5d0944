"""What stands around a rule: words that merely say it, or words that take it back, narrow it or make it conditional.

Words that stand in one clause with the rule must be known to change nothing; what stands in the clauses beside it counts
where it is known to change something.
"""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

import re
from typing import Final

from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_rule_sense import Reading, read
from snapshot_sdk._fact_rule_tail import what_follows

_WIDTH: Final = 160
"""Characters to either side of a rule, in its sentence, that are read."""
_HEADING: Final = 600
"""Characters before a line in which the heading of its list is looked for."""
_BREAK: Final = later(
    r"[,:;\"()\[\]{}|<>。\n【】「」『』《》]|-{2,}|(?:^|\s)-\s|['](?![a-z])|(?<![a-z])'|(?<![a-z])(?:and|but)(?![a-z])|并且?|而且|同时|但"
)
"""What parts the clause of a rule from those beside it."""

_SPEAKER: Final = (
    "用户|客户|客人|顾客|对方|店主|老板|甲方|主管|经理|领导|同事|他们?|她们?|我们?|你们?|您|大家|助手|模型"
)
_SAYS: Final = "要求|说过?|表示|希望|强调|指示|规定|提醒|叮嘱|交代|嘱咐|约定|确认|告知|指出|坚持|请求|写道|吩咐|明确|偏好|承诺|同意|认为|想"
_FRAME_CHINESE: Final = later(
    rf"(?:{_SPEAKER}|(?<![一-鿿])(?![^,:。]{{0,4}}[没不谁曾旧原去前老有无别])[一-鿿]{{1,4}}?(?=规定|要求|提醒|强调|嘱咐|叮嘱))?(?:已经?|都|也|再|曾)?(?:之前|早先|明确|再三|再次|特别|多次|反复|一再|一直|刚才|最初|还|又){{0,3}}(?:{_SAYS})(?:的是|了|过)?(?:我们?|你们?|您|助手)?"
    r"|从现在(?:开始|起)|从今(?:以后|天起|天开始|往后)|今后|即日起|接下来|切记|注意|记得|务必|一定|必须|始终|继续|仍然|仍|依然|所以|因此|那么|另外|此外|还有|首先|其次|最后|重要|总之|即|在?(?:(?:(?:写|发|说)?给(?:客人|客户|顾客|读者|用户|大家|别人|他们|我们|我)的)?(?:文字|字|文案|内容|话|消息)|回答|回复|答复|输出)(?:里面?|中|时|内)"
)
_WHO: Final = r"(?:the |our |this )?(?:user|customer|client|guest|owner|boss|manager|team|operator|he|she|they|we|i|you|it)(?:'s|'ve|'d)?"
_FRAME_ENGLISH: Final = later(
    rf"(?<![a-z])(?:{_WHO} )?(?:(?:has|have|had|also|still|explicitly|clearly|again|repeatedly|always|already|previously|just|earlier) ){{0,3}}"
    r"(?:said|says?|wants?|wanted|asks?|asked|told|tells?|insists?|insisted|requires?|required|requested|requests?|states?|stated|reminds?|reminded"
    r"|instructs?|instructed|prefers?|agreed|demands?|demanded|confirmed|made clear|wrote|writes)(?: (?:that|us|me|you|to|the (?:agent|assistant|team)|everyone|everybody))*(?![a-z])"
    r"|(?<![a-z])(?:the|your|our|their|his|her) (?:limit|cap|rule|constraint|requirement|instruction|wish)(?: (?:of|is|that|says|stays|remains))*(?![a-z])"
    r"|(?<![a-z])(?:also|note|notes|remember|important|make sure|be sure|ensure|kindly|just|therefore|hence|thus|again|first|second|finally|keep in mind"
    r"|from now on|from here on|going forward|starting now|effective immediately|strictly|really|ever|still|too|that|the (?:rule|constraint|instruction|policy) (?:is|says)|rule|constraint|reminder)(?![a-z])"
)
"""Words that say a rule, and nothing about it."""
_SUBJECT: Final = later(rf"^[^a-z㐀-鿿]*(?:(?:{_SPEAKER})|{_WHO}(?![a-z]))")
"""Who a statement is about: 我喜欢靠窗的座位 is told as 用户喜欢…; in front of a command it may narrow it."""
_STATES: Final = later(r"(?<![a-z])(?:i|my|we|our)(?![a-z])|我|^对")
_BEHIND: Final = later(
    r"(?:啊|呢|哦|了|的)?(?:这[条个一]?)?(?:的?(?:规则|要求|约束|原则|约定|指示|规定))?(?:仍然?|依然|还|继续)?(?:有效|适用|不变|生效)?"
    r"|(?<![a-z])(?:for|in|to|with) (?:everything|everyone|everybody)(?: (?:you|we|i|that|the agent|written|write|writes|wrote|produce|produces|say|says|send|sends|for|to|me|us|them|him|her|user|the)){0,8}(?![a-z])"
    r"|(?:对|给|向)(?:所有人|任何人|每个人|大家)"
    r"|(?<![a-z])(?:again|any ?more|please|at any time|at all(?: times)?|in any (?:case|way)|under any circumstances|no matter what|(?:for|to|with) any(?:one|body)(?: else)?"
    r"|for any reason|from now on|going forward|from here on|thanks|thank you|ever|ok|okay|still applies|still holds|remains in force|is still (?:valid|in force)|either|too)(?![a-z])"
)
"""Words behind a rule that change nothing."""
_REASON: Final = later(
    r"因为|理由|原因|由于|以免|免得|否则|以便|以防|避免|不然|(?<![a-z])(?:because|so that|so as|in order|since (?:it|they|he|she|we|this|that)|as (?:it|they|he|she|we|this|that)|to (?:avoid|prevent)|otherwise|or else)(?![a-z])"
)
"""What begins the reason of a rule."""

_OLD: Final = "旧|老(?=规矩|规定|版|政策|规则)|上一?版|上个版本|前一版|原(?:先|来|本|规|版|定)|当初|过去|曾经?|以前|历史|过期|过时|失效|作废|废止|废除|废弃|撤销|撤回|取消|删除|删掉|去掉|移除|忽略|无视|不算|停用|错误|反例|禁用|假设|误|划掉|撤下|放弃|收回|推翻"
_TAKEN_BACK: Final = later(
    rf"(?:{_OLD})[^,:。;]{{0,8}}[:)\]】」\"]*\s*\Z|以前|曾经|原先|当初|旧版|上一版|谁说|凭什么|难道|哪有|听说|据说|传言|别(?:再)?(?:管|理)|不(?:用|必|需要?)再?(?:管|理会|遵守|执行|遵循|照)|无[需须](?:遵守|执行|遵循|理会)|不是说|而不是|忘(?:了|掉)"
    r"|(?<![a-z])(?:old|former|formerly|obsolete|outdated|deprecated|superseded|cancell?ed|withdrawn|revoked|rescinded|repealed|retired|replaced|void|voided|expired|removed|deleted|dropped|lifted|retracted|disregard|ignore|ignoring|forget|instead of|rather than|no longer|used to"
    r"|who (?:says|said)|allegedly|supposedly|hypothetical(?:ly)?|not true that|wrong|mistaken|incorrect|untrue|false|struck|crossed out|overrul(?:ed|es)|overridden|(?:is|are) (?:gone|off|over|history)|not bound by|stop (?:following|applying|enforcing)"
    r"|(?:do not|don't|does not|doesn't|need not|needn't|no need to|not have to|never)(?: need to| have to)? (?:follow|apply|obey|heed|enforce|observe|honou?r|keep to|stick to|say|repeat|write))(?![a-z])"
    r"|(?:^|[^a-z])(?:previous(?:ly)?|earlier|before|originally|initially|was|prior)(?: (?:rules?|policy|versions?|instructions?|text|wording|prompt))?\s*[:)\]]\s*[\"'*]*\s*\Z"
)
"""In the clauses before a rule: it holds no more, or never did."""
_TAKEN_BACK_BEHIND: Final = later(
    r"废(?:止|除|弃|了|掉)|作废|撤销|撤回|失效|停用|过期|过时|不再|不算数?|不作数|算了|旧(?:规|版|的|要求)|老规矩|(?:此|这|该|本|上述|上)[一]?[条项句](?:规则)?(?:已|不|取消|删|忽略|无效|改|去)|已(?:经)?(?:被)?(?:取消|删除|解除|推翻|替换|更改|改)|(?:取消|删除|忽略|推翻|解除|放开)了|现在(?:可以|已|不|允许|改|又|起)|后来(?:改|取消|允许)|说错|有误|错误|不对|错了|错的|不是真|假的|玩笑|搞错|弄错|改(?:为|成)(?=允许|可)|那是(?:以前|过去|旧|老|去年|上|昨)|免了|例外|就(?:行|可以|好)(?![的了])|也(?:行|可以)|其实可以|删[去掉]|收回|反悔|改主意|冲突|除外|到期|为准|划掉|撤下"
    r"|(?<![a-z])(?:scratch that|never ?mind|superseded|cancell?ed|withdrawn|revoked|rescinded|repealed|retired|replaced|overrid(?:es?|den)|overruled|obsolete|outdated|deprecated|void|voided|expired|old|former(?:ly)?|used to|no longer|not any ?more|any ?more|disregard|ignore|forget (?:it|that|this)"
    r"|except(?:ed|ions?)|exempt(?:ed)?|joked|jokingly|sarcastic(?:ally)?|wrong|mistaken|(?:a|by) mistake|incorrect|untrue|not true|false|joking|kidding|joke|lifted|dropped|removed|deleted|struck|crossed out|retract(?:ed)?|take (?:that|it) back|changed|relaxed|repeal|(?:but|now) (?:now|it is|you (?:may|can)|we (?:may|can)|actually)|changed (?:our|my|his|her|their) minds?|(?:that|this|it) (?:has )?(?:ended|stopped|was|changed|lapsed)|conflicts?|is (?:history|over|gone|off)|does(?: not|n't) (?:apply|hold|count))(?![a-z])"
)
"""The same in the clauses behind it, and at the beginning of the next sentence."""
_NEXT: Final = later(
    r"\s*[-*(\[【~\"']*\s*(?:(?:那|这|此|该|本|上述|上面|前述|以上|刚才)(?:一)?(?:[条项句个话]|规[则定]|要求|说的)?|已经?|现已|现在|[oh啊哦,， ]{0,4}(?:算了|不对|说错|错了|开玩笑|忽略|作废|撤销|撤回|取消)"
    r"|(?:actually|ok|oh|well|sorry|correction)?[, ]*(?:(?:we|i|they|he|she) changed|scratch|never ?mind|not any|no longer|strike|forget|ignore|disregard|just kidding|kidding|cancel|supersede|obsolete|withdrawn|revoked|retired|void|deprecated|expired|repealed|lifted|removed|deleted|dropped|replaced|wrong|outdated|that|this|it|the rule|now|old|undo|i take|take))"
)
"""How a sentence begins that speaks of the one before."""
_SCOPE_BEFORE: Final = later(
    r"(?:(?:(?<![回答][答复])(?:时|里)|时候|期间|[测试产发生]环境中?|阶段|情况下?|场景下?|周末|假日|节假日|工作日|今天|明天|今晚|本周|这周|下周|本月|这次|本次|本轮|这轮|暂时|目前|上线前|范围内|而言|来说|的话)|(?<![摘话录则要求])中)[\s,:]*\Z"
    r"|(?:^|[,;(\[])\s*(?:[-*] )?(?:in|on|at|during|while|when|whenever|for|within|until|once|after|before|under|unless|if|where|only|today|tonight|tomorrow|this (?:week|month|time|turn)|on weekends?)(?![a-z])[^,:]*[,:]\s*[\"'*]*\Z"
    r"|(?:^|[,;(\[])\s*(?:当|对(?![话方])于?|针对|在|如|若|凡)[^,:\]]{1,24}[,:]\s*[\"'*]*\Z"
)
"""The clause right before a rule says where or when it holds."""
_ELSE: Final = later(r"(?:否则|不然|(?<![a-z])(?:otherwise|or else))[\s,:]*\Z")
"""Right before a rule: it holds only where something else does not."""
_NO_EXCEPTION: Final = later(
    r"(?<![a-z])(?:no|without(?: any)?|not a single|zero) exceptions?(?![a-z])|(?:没有|绝?无|不得有|概无)(?:任何)?例外|无一例外"
)
_ANYWHERE: Final = later(
    r"(?:文字|字|文案|内容|话|消息|回答|回复|答复|输出)(?:里面?|中|内)|任何(?:时候|情况|场合|条件)|无论|不管|(?<![a-z])(?:in (?:any|all|every) |at all times|at any |for (?:any|all|every)|in (?:summary|short|general|addition|particular)|for the record|on (?:second thought|reflection)|once again)"
)
_SCOPE_BEHIND: Final = later(
    r"[\s,;]*[(\[,-]+\s*(?:but |though |只是|不过|但是?)?\s*(?:(?:in (?!order|any|short|all)|on|at (?!any|all)|during|while|when|whenever|for (?!any|legal|security|privacy|safety|example)|within|until|till|once|under (?!any)|unless|if|where|only|except|just|today|tonight|tomorrow|weekends?|weekdays?|this (?:week|month|time|turn)|per(?= (?:order|item|day|night|week|month|year|hour|person|customer|request|case|call)(?![a-z]))|as long as|provided|excluding|apart from|temporar)(?![a-z])"
    r"|[仅只]?限|除|当|如果?(?!下)|若|直到|截至|[^,。]{0,6}(?:天|时|周[一二三四五六日末]|晚上|夜里|早上|期间|季)\s*(?:[,。;]|\Z)|每|对于?|针对|仅|只(?:在|对|针)|周末|今天|本周|本次|暂时?|目前|工作日|节假日|测试(?![一-鿿]*[不须要必请也])|试行)"
)
"""The clause right behind a rule does."""
_HEADS: Final = later(
    r"(?:旧|老|上一?版|前一版|以前|过去|历史|过期|失效|作废|废止|废除|撤销|取消|删除|忽略|停用)[^,，。]{0,8}(?:规|要求|约束|政策|指令|条|版|内容)|(?:规则|要求|约束|政策|条款|指令)[^,，。]{0,8}(?:作废|废止|失效|撤销|取消|过期|停用|废除|删除|忽略|不再)"
    r"|(?<![a-z])(?:old|former|previous|past|obsolete|outdated|deprecated|superseded|revoked|retired|expired|withdrawn|cancell?ed|removed|deleted|dropped|repealed|ignored?|disregard)(?![a-z])[^.\n]{0,24}(?:rule|polic|instruction|constraint|guideline|requirement|version|prompt|note)"
    r"|(?:rules?|polic(?:y|ies)|instructions?|constraints?|guidelines?)[^.\n]{0,24}(?:obsolete|outdated|deprecated|superseded|revoked|retired|expired|withdrawn|cancell?ed|repealed|no longer|not apply|void)"
)
"""A heading over rules that hold no more."""
_UNSETTLED: Final = later(
    r"草案|草稿|提[议案]|建议|例[如:句]?|示例|翻译|译文|待[定议确]|讨论|商议|候选|设想|假[设想如]|题目|征求|拟[定议]|备选|模板|未定|未决|试行|审[核批议]|第[一二三四五六七八九十0-9]+版"
    r"|(?<![a-z])(?:draft|propos(?:al|ed)|suggest(?:ion|ed)|examples?|e\.g\.|samples?|translat(?:e|ion)|quiz|question|tbd|tbc|pending|candidate|ideas?|options?|hypothe[a-z]+|imagine|suppose|fiction|story|under (?:discussion|review)|to be (?:confirmed|decided)|version [0-9]+|v[0-9]+|review|maybe|perhaps|unconfirmed|undecided)(?![a-z])"
)
"""It is not said to hold yet, or merely shown."""
_LABEL: Final = later(r"([^:;。.!?\n\"()\[\]{}【】]{1,60}):\s*[\"'*`~\s-]*\Z")
_GOOD_LABEL: Final = later(
    rf"(?:{_SPEAKER}|规则|规定|约束|要求|需求|注意|提醒|记住|谨记|重要|说|指示|偏好|备注|须知|红线|底线|铁律|原则|禁止|禁忌|务必|另外|此外|也|还有|确认|限制|摘要|总结|状态|记忆|政策|指令|目标|任务|背景|已知|结论|语言|语气|格式|风格|预算|隐私|安全|必须|声明|命令|原话|原文|约定|承诺|事实|信息|内容|第[一二三四五六七八九十0-9]+[条点项]|^\W*[一二三四五六七八九十0-9]+\W*$)"
    r"|(?<![a-z])(?:user|customer|client|guest|owner|boss|manager|team|he|she|they|we|i|you|rules?|constraints?|requirements?|requires?|instructions?|notes?|important|reminder|remember|policy|policies|preferences?|prefers?|says?|said|wants?|asked|asks|insists|told|requests?|limits?|always|never|also|attention|warning|critical|summary|state|memory|context|facts?|goals?|tasks?|key|standing|hard|must|musts|must not|don't|do nots?|dos and don'ts|prohibit(?:ed|ions?)|forbidden|guidelines?|orders?|verbatim|quotes?|agreed|agreement|confirmed|privacy|safety|security|language|tone|style|format|budget|system|content|text|p\.?s|so|finally|first|second|third|one|two)(?![a-z])"
)
"""Labels under which rules are kept: of other labels nobody knows what they say of it."""
_ANNOTATED: Final = later(r"\s*[\"'”*`]{0,3}\s*[(\[【]([^)\]】\n]{1,80})")
_GOOD_NOTE: Final = later(
    rf"{_SPEAKER}|约束|重要|确认|有效|不变|来自|来源|第[0-9一二三四五六七八九十]+|规则|要求|硬性|强制|永久|长期|置顶|必须|原话|出处|{_REASON.pattern}"
    r"|(?<![a-z])(?:user|customer|client|turn|call|msg|message|source|from|hard|constraint|rule|important|confirmed|still|valid|pinned|permanent|always|must|verbatim|quote[d]?|said|since turn|reason|because|see|m[0-9]+|thanks?|please|firm|strict|mandatory|non-negotiable)(?![a-z])|^[\W0-9]*$"
)
"""Notes behind a rule that change nothing."""
_QUOTES: Final = "\"“”「」『』'"
_CROSSED: Final = later(r"[❌✗✘☒][\s\ufe0f*]*\Z")
_JSON_BEGIN: Final = later(r"(?:\"\s*:|\[|,|\{)\s*\"\s*\Z")
_JSON_END: Final = later(r"\"\s*(?:[\]}]|,\s*[\"\[{]|\Z)")
_JSON_KEY: Final = later(r"\"([^\"]{1,60})\"\s*:\s*(?:\[[^\]]*)?\Z")


def in_string(before: str, behind: str) -> tuple[str, str]:
    """Gives what stands around a rule; of one that is a string of JSON its key alone.

    Args:
        before: What stands before it in its sentence.
        behind: What stands behind it.
    """
    if not (_JSON_BEGIN.search(before[-_WIDTH:]) and _JSON_END.match(behind.lstrip())):
        return before, behind
    key = _JSON_KEY.search(before[-_WIDTH:].rstrip()[:-1])
    return (f"{key[1].replace('_', ' ')}: " if key is not None else ""), ""


def unframed(piece: str) -> str:
    """Blanks the words of a clause that merely say a rule: "the user said that".

    Args:
        piece: Folded.
    """
    for pattern in (_FRAME_ENGLISH, _FRAME_CHINESE):
        piece = pattern.sub(_blank, piece)
    return piece


def without_subject(piece: str, rule: str) -> str:
    """Blanks who a statement is about, if the rule is a statement and no command.

    Args:
        piece: Folded.
        rule: Folded.
    """
    return _SUBJECT.sub(_blank, piece) if _STATES.search(rule) else piece


def what_changes(text: str, span: tuple[int, int], sentence: tuple[int, int], following: str) -> str:
    """Says what the clauses beside a rule do to it; empty: nothing.

    Args:
        text: Folded.
        span: Where the rule stands.
        sentence: Around it.
        following: Beginning of the next sentence.
    """
    before, behind = (
        text[max(sentence[0], span[0] - _WIDTH) : span[0]],
        text[span[1] : min(sentence[1], span[1] + _WIDTH)],
    )
    if _is_struck(before, behind):
        return _OVER
    head = _heading(text, sentence[0])
    if head and _HEADS.search(head):
        return _OVER
    before, behind = in_string(before, behind)
    behind = _NO_EXCEPTION.sub(_blank, behind)
    if _TAKEN_BACK.search(before) or _TAKEN_BACK_BEHIND.search(behind):
        return _OVER
    short = len(following.split()) <= _FEW
    if (short or _NEXT.match(following)) and _TAKEN_BACK_BEHIND.search(following):
        return _OVER
    if (head and _UNSETTLED.search(head)) or _SHOWN.search(before):
        return _OPEN
    if _ANAPHOR.match(behind) and not _STILL.search(behind):
        return _OVER
    why = _scope(before, behind) or _labelled(before) or _annotated(behind) or _quoted(before, behind)
    return why or (what_follows(text, span[1]) if behind else "")


def _scope(before: str, behind: str) -> str:
    if _ELSE.search(before):
        return _NARROW
    scope = _SCOPE_BEFORE.search(before)
    if scope is not None and not _ANYWHERE.search(scope[0]) and not _ANYWHERE.search(before[-_NEAR:]):
        return _NARROW
    return _NARROW if _SCOPE_BEHIND.match(behind) else ""


def _labelled(before: str) -> str:
    """Says that a rule stands under a label of which is not known that it merely says it."""
    label = _LABEL.search(before)
    if label is None:
        return ""
    if _UNSETTLED.search(label[0]):
        return _OPEN
    return "" if _GOOD_LABEL.search(label[1]) else f"it stands under “{label[1].strip(_MARKS)}”"


def _annotated(behind: str) -> str:
    """Says that a note stands behind a rule of which is not known that it changes nothing."""
    note = _ANNOTATED.match(behind)
    if note is None:
        return _OPEN if _UNSETTLED.search(_TAIL.split(behind)[0]) else ""
    said = note[1]
    if _UNSETTLED.search(said):
        return _OPEN
    return "" if _GOOD_NOTE.search(said) else f"“{said.strip(_MARKS)}” stands beside it"


def _quoted(before: str, behind: str) -> str:
    """Says that the words around a quoted rule are not known to merely say it: to give up "never call"."""
    before, behind = before.rstrip(), behind.lstrip(" .!~*")
    if not before or not behind or before[-1] not in _QUOTES or behind[0] not in _QUOTES:
        return ""
    outer, after = _BREAK.split(before[:-1])[-1], _REASON.split(_BREAK.split(behind[1:])[0])[0]
    around = read(without_subject(unframed(outer), "我"))
    why = around.sense.differs_from(_NOTHING)
    if why:
        return why
    if around.words or read(_BEHIND.sub(_blank, after)).words:
        return "words are new beside it"
    return ""


_OVER: Final = "it is said to hold no more"
_NARROW: Final = "it holds only in part"
_OPEN: Final = "it is not said to hold, but proposed or shown"
_SHOWN: Final = later(rf"(?:{_UNSETTLED.pattern})[^,:。;]{{0,12}}[:)\]】]\s*[\"'*`]*\s*\Z")
_TAIL: Final = later(r"[。.!?;\n]")
_NEAR: Final = 24
_FEW: Final = 3
"""Words of a sentence that can speak of nothing but the one before: "Overruled."."""
_ANAPHOR: Final = later(
    r"[\s\"'”)\].~*-]*[,;:-]+\s*(?:但是?|不过|可是?|but |though )?\s*(?:(?:那|这|此|该)(?:一)?(?:[条项句话事]|规[则定矩]|要求|是)|(?<![a-z])(?:that|this|which)(?: (?:rule|one|line|policy))? (?:was|is|has|no|ended|will|does|did|can|may)(?![a-z]))"
)
"""A clause behind a rule that speaks of the rule."""
_STILL: Final = later(
    r"仍|还|一直|重要|有效|不变|必须|记|适用|硬性|底线|要求|强调|规定|叮嘱|交代|(?<![a-z])(?:important|firm|final|non-negotiable|hard|standing|said|asked|insisted|requested|still|applies|holds|matters|because|always|must|critical|essential|rule)(?![a-z])"
)


def what_is_new(before: str, said: str, behind: str, rule: Reading, written: str) -> str:
    """Says what the words in the clause of a rule that stands word for word do to it; empty: nothing.

    Args:
        before: What stands before it in its sentence.
        said: The rule as it stands there.
        behind: What stands behind it.
        rule: The rule.
        written: As it is looked for, folded.
    """
    before = _BREAK.split(before[-_WIDTH:])[-1]
    behind = _REASON.split(_BREAK.split(behind[:_WIDTH])[0])[0]
    if not before.strip(_MARKS) and not behind.strip(_MARKS):
        return ""
    before, behind = without_subject(unframed(before), written), _BEHIND.sub(_blank, behind)
    clause = read(f"{before}{said}{behind}")
    why = clause.sense.differs_from(rule.sense)
    return why or ("words are new beside it" if len(clause.words) > len(rule.words) else "")


_MARKS: Final = " \t*_`~.!?#>-·•0123456789"


_NOTHING: Final = read("").sense


def _is_struck(before: str, behind: str) -> bool:
    line = before.rpartition("\n")[2]
    if _CROSSED.search(before):
        return True
    return (line.count("~~") % 2 == 1 and "~~" in behind) or bool(re.search(r"<(?:del|s|strike)>[^<]*\Z", before))


def _heading(text: str, start: int) -> str:
    """The last line before a sentence that heads what follows it; empty: none is near."""
    if start == 0:
        return ""
    for line in reversed(text[max(0, start - _HEADING) : start].split("\n")):
        line = line.strip().rstrip("*_").rstrip()
        if line.startswith("#") or line.endswith(":"):
            return line
    return ""


def _blank(hit: re.Match[str]) -> str:
    return " " * len(hit[0])
