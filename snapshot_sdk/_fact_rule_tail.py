"""The clauses behind a rule in its sentence: one that is not known to leave the rule alone may take it back.

Words that undo a rule have no end: the director just has to nod, 老客户直接签, hotfixes skip that. Those that leave it alone
are of few sorts: a reason, thanks, who said it, that it is meant, another demand, a value under its label. So a clause of
any other sort makes the rule uncertain. What stands behind a reason or another demand mostly goes on with that, and the
items of a list have no more to do with one another: there only what lets something through counts.
"""

# ruff: noqa: E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

from itertools import zip_longest
from typing import Final, Literal

from snapshot_sdk._fact_patterns import later
from snapshot_sdk._fact_values import find_values

Sort = Literal["quiet", "other", "unknown"]
"""What a clause is to the rule before it: a word about it that changes nothing, something else, not known."""

_WIDTH: Final = 160
"""Characters behind a rule that are read."""
_LINE: Final = 400
"""Characters before a rule in which the items before it in its line are looked for."""
_SPLIT: Final = later(
    r"(?<![0-9]),|,(?![0-9])|[;:]|\s-\s|-{2,}|(?<![a-z])(?:and|but|yet|although|though|however)(?![a-z])|但是?|并且?|而且|同时|不过"
)
_NOTE: Final = later(r"\s*[\"'”*`]{0,3}\s*[(\[【][^)\]】\n]{1,80}[)\]】]")
"""A note in brackets right behind a rule, which is judged by itself."""
_END: Final = later(r"[。!?\n]|\s\||\.(?=\s|$)")
_SEMICOLONS: Final = 2
"""Semicolons in a line that make it a list: with one a second half of the sentence begins."""
_QUOTES: Final = ('"', "」", "』")
"""A rule that ends with one is quoted: what stands behind a semicolon is no part of what was said."""
_NUMBERED: Final = later(r"(?:^|[\s;,:，。])[(]?(?:[0-9]{1,2}[.)]|[①-⑳])\s*\S[^\n]*\Z")
_QUIET_MARKS: Final = " \t*_`~.!>#\"'”’()[]{}|"

_REASON: Final = later(
    r"\W*(?:(?:特别是|尤其是?|包括|例如|比如|比方|诸如|像是|即|也就是)|(?:including|include|includes|such as|e\.?g|for (?:example|instance)|i\.?e|that is|especially|particularly|in particular|namely|like)(?![a-z])|(?:这|也|主要|都|正)?是?(?:因为|由于|为了|为的是|以免|免得|否则|不然|避免|防止|以防|以便|以确保|以保证|所以|因此|毕竟|考虑到|鉴于|理由|原因|会(?:导致|造成|影响|引起)|容易(?:导致|造成|引起)|涉及|这样(?:能|会|才))"
    r"|(?:and |mainly |mostly |partly |simply |it's |this is |that is |that's )?(?:because|so that|so as|in order|otherwise|or else|due to|given(?: that)?|owing to|(?:this|which|that|it) (?:would|could|might|risks?|prevents?|avoids?|keeps?|protects?|ensures?)|lest|for (?:legal|security|privacy|safety|compliance|tax|audit|cost|legal) |(?:the )?reason|reason)(?![a-z])"
    r"|so (?=[a-z]+ (?:can|do|does|will|would|is|are|stays?|gets?|sees?|knows?|has|have)(?![a-z]))"
    r"|to (?!(?:be|the|a|an|some|most|any|all|our|my|whom|which)(?![a-z]))[a-z]+(?![a-z])"
    r"|as (?!(?:of|long|soon|far|if|needed|required|necessary|appropriate|applicable|possible|usual|a|an|before|until|in)(?![a-z]))[a-z']+ [a-z]"
    r"|since (?!(?:then|now|yesterday|last|early|late|mid|january|february|march|april|may|june|july|august|september|october|november|december|q[0-9]|[0-9])(?![a-z]))[a-z']+ [a-z])"
    r"|.*(?<![a-z])(?:otherwise|or else)\W*\Z"
)
"""A clause that says why, or names cases."""
_SPEAKS: Final = (
    "said|says?|stated?|wrote|writes|added|explained|asked|asks|told|tells|insisted|insists|requested|requested|requires?|required"
    "|stressed|emphasi[sz]ed|confirmed|reminded|repeated|ordered|instructed|noted|demanded|wants?|wanted|specified"
)
_SPOKEN: Final = later(
    rf"\W*(?:as |so |which |that's what |this is what )?(?:[a-z.'-]+ ){{0,3}}(?:has |had |have |explicitly |clearly |again |also |just ){{0,2}}(?:{_SPEAKS})(?: (?:so|it|this|that|us|me|you|again|explicitly|clearly|earlier|before|by|for|in|on|at|during|the|a|his|her|their|our|first|last|message|turn|call|chat|email|meeting|brief|[#0-9]+|[a-z]+)){{0,4}}\W*\Z"
    r"|\W*(?:per|according to|as per|source|from|quoted?|verbatim) (?:the )?[a-z0-9 #'-]{1,40}\Z"
    r"|(?!.*(?:[嘴口][上头]|随口|以前|当初|听|据|只是|不过|没))\W*(?:这|此|上述|该|以上)?(?:[一]?[条点项]|些)?(?:均|都|也)?(?:是|为|由|系)?[一-鿿a-z]{0,6}?(?:在?第?[一二三四五六七八九十0-9]+[轮次条步]|再三|反复|多次|一再|明确|特别|曾?再次|亲自|刚才|当时|开头|最初|群里|邮件里|会上){0,3}(?:提到?|说过?|要求|强调|规定|提出|叮嘱|交代|吩咐|指示|指定|确认|约定|嘱咐|定|讲)(?:过|了|的|好的|清楚的?){0,2}(?:规则|要求|约束|原则)?\W*\Z"
)
"""A clause that says who said so."""
_MEANT: Final = later(
    r"\W*(?:(?:but |and |so )?(?:please(?![a-z])[^,]*|(?:many )?thanks?(?: you)?(?: very much| a lot| in advance)?|ok(?:ay)?|period|full stop|ever|always|never|again|at all|no (?:exceptions?|excuses|matter|ifs)[^,]*|without (?:any )?exceptions?|regardless[^,]*|whatever happens|even (?:if|when|for|on)[^,]*|(?:it|this|that)(?: rule)?(?: is|'s) (?:very |really |a |an |the |critical|most |non-negotiable|important|hard |firm|strict|essential|key ){1,4}(?:rule|constraint|requirement|limit|one|policy|point)?|important|critical|strictly|seriously|non-negotiable|understood|got it|remember(?: that| this| it)?|mind you|under (?:any|no) circumstances|(?:it |this |that |the rule )?(?:still|always) (?:applies|holds|stands)|(?:this|it) (?:applies|goes) to (?:everyone|everybody|all|everything)|(?:and )?that(?:'s| is) (?:final|a must|an order|important))"
    r"|(?:用户|客户|老板|领导|对方)?(?:的)?(?:原话|原文|原句)|(?:非常|十分|特别|很|最|尤其)?(?:谢谢|多谢|感谢|辛苦|拜托|麻烦)[^,]{0,8}|请?(?:务必|一定|严格)?(?:请)?(?:遵守|执行|记住|牢记|注意|切记|谨记|知悉|配合|照办|遵照执行|照做|落实)(?:一下|了|好)?|切记|重要|务必|(?:这|此)?(?:一)?[条点]?(?:都|也|均)?(?:很|非常|十分|特别|最)(?:重要|关键|要紧)|没有(?:任何)?例外|无一例外|绝无例外|不得有?例外|无例外|(?:任何|什么)(?:情况|时候|人|理由)下?(?:都|也)[一-鿿]{1,4}|无论[^,]*|不管[^,]*|不论[^,]*|哪怕[^,]*|即使[^,]*|(?:这(?:条)?是?)?(?:底线|红线|硬性?(?:要求|规定|约束|指标)|铁律|死规定|原则问题)|(?:一直|长期|始终|永久|全程|仍然?|继续|依然)(?:都)?(?:有效|适用|生效|执行|遵守)|违者[^,]*|违反[^,]*|后果[^,]*|(?:切记|谨记|牢记){2,}|说到做到|对所有人都?(?:一样|适用|有效)|全员(?:适用|遵守|执行))\W*\Z"
)
"""A clause that asks for it, thanks for it, or says that it is meant."""
_INCLUDED: Final = later(
    r"\W*(?:(?:everything|all|(?:[a-z]+ (?:and )?){1,3}) (?:is |are )?(?:already )?(?:included|inclusive|counted in)|all[ -]?in(?:clusive)?|incl(?:\.|uding|usive of)? [a-z ]{1,40}|with everything)\W*\Z"
    r"|(?!.*[不没未])(?:[一-鿿]{0,8}?(?:都|已|也|全部?)*(?:含|包括|算|计)在?[一-鿿]{0,6}|全包|全含|一价全包)\W*\Z"
)
"""A clause that says what a limit covers: everything included, 税费都算在里面."""
_NAMED: Final = later(
    r"\W*(?:(?:the |our |my |total |project |target )?(?:budget|deadline|due date|due|language|total|price|cost|order|ticket|address|email|phone|contact|owner|status|version|branch|repo|limit|port|path|model|date|delivery|status)(?: (?:number|no|id|code|name))?(?P<is> (?:is|was set to))?|(?:[一-鿿]{0,4}(?:预算|总价|价格|金额|订单号?|工单号?|编号|地址|邮箱|电话|联系人|负责人|状态|版本|分支|语言|端口|路径|截止(?:日期|时间)?|交期|期限|日期|时间|人数|数量|收货人|保留期?|有效期|工期|周期|长度|字数|单位|币种)(?P<zh>是|为|定在)?))(?![a-z])"
)
"""The label of a value of its own."""
_PERSON: Final = later(
    r"\W*(?:他们?|她们?|对方)(?!可|能|会|同意|说|自)|\W*(?:我们?|咱们?)(?!可|能|自|说|同意)|\W*(?:i|we|my|our)(?:'m|'re|'ve)?(?= [a-z])|\W*(?:he|she|they)(?:'s|'re)?(?= [a-z])"
)
"""A clause about the speaker, or somebody in the rule, says why: he is ill, 我妈妈也会看."""
_LABEL: Final = 20
"""Characters of the label of what follows it."""
_REMARK: Final = later(
    r"注|说明|补充|但|更新|现状|事实|其实|实际|(?<![a-z])(?:notes?|caveats?|updates?|p\.?s|but|except|fact|reality|currently|now)(?![a-z])"
)
"""Labels of what is said of the rule."""
_UNSURE: Final = frozenset(("date", "time", "number"))
"""A rule may end with a date; a number may be one of anything (睁一只眼)."""
_DEMANDS: Final = later(
    r"(?:不得|不要|不许|不准|不能|不可(?!能)|禁止|严禁|切勿|请勿|勿|必须|务必|应当|应该|只能|只可|只用|一律|须(?=[一-鿿])|(?<![重主只])要(?!是|么|不|求)|请(?!示|假|客)|保证|确保|记得|保持|喜欢|偏好|偏爱|希望|习惯|想要|(?<![分个区类级性特识告])别(?![人的处])|需要?(?=[一-鿿]))"
    r"|(?<![a-z])(?:must|mustn't|shall|should|shouldn't|avoid|no more than|at most|at least|ha(?:s|ve) to|prefers?|likes|loves|wants|wishes|needs to)(?![a-z])"
    r"|^(?:(?:and|also|then|but|plus|second|third|finally|next|please|so|you) )*(?:never|always|do not|don't|only|cannot|can't)(?![a-z])"
)
"""A word by which another demand is known."""
_COMMAND: Final = later(
    r"\W*(?:(?:and|also|then|but|plus|instead|first|second|third|finally|next|in addition|please|so|rather|just) )*"
    r"(?:use|keep|answer|reply|respond|write|send|include|add|make sure|ensure|put|set|target|ship|deploy|run|test|format|return|provide|give|show|refer|address|sign|cite|copy|cc|store|save|log|report|stay|stick|speak|translate|limit|prefer|start|finish|end|follow|leave|move|book|update|document|commit|push|open|close|create|build|install|fix|name|quote|list|sort|round|charge|pay|ship|deliver|pack|label|track|record|note|read|load|mark|tag|encrypt|back up|redact|mask|hide|remove|delete|archive|attach|forward|summari[sz]e|explain|describe|refuse|decline|escalate|route|redirect|point|restart|retry|validate|verify|review|rebase|merge|squash|pin|print|export|import|convert|compress|schedule|plan|focus|remain|be (?:polite|brief|concise|formal|careful|clear|friendly|kind|specific|precise|honest)|no (?=[a-z]+\W*\Z))(?![a-z'])(?! (?:is|are|was|were|has|had|can|may|will|would|does|did)(?![a-z]))"
    r"|.*(?:(?:用|使用|采用|写成|转成|保存为|输出为?|统一|改用)[^,]{0,6}(?:中文|英文|英语|日语|格式|表格|语气|字体|语言|编码|单位|时区|模板|pdf|json|markdown|utf|python|excel|word|csv)|抄送|称呼|署名|字数控制|控制在)"
)
"""How a command of another matter begins; a command to ask or to get leave may be the way round the rule."""
_COMMAND_CHINESE: Final = later(
    r"\W*(?:有?急?事|有(?:问题|需要|疑问|变动))?(?:[请就都先再另]|直接|统一|改为?|一并)*"
    r"(?:发(?![现生布往票达展明热])|写(?![在着])|用(?!完)|寄|打印|标注|列出|回复|返回|通过(?!了)|联系|提交|保存|记录|附上|填|选用|留言)"
)
"""The same in Chinese, where no word of wanting need stand before it: 有事发短信."""
_LETS: Final = later(
    r"就[能算]?(?:行|好|够|可以?|成|没事|没问题|能|算|没再|别)|即可|够了|足够|(?<![不])可以|(?<![只不可才])能(?!力|源|够?不|量|耗)|随意|随便|自便|没问题|无妨|不妨|没关系|没事|另(?:说|算|议|行|当)|例外|除外|跳过|不算|(?<!并)不(?:用|必|适用|在此列|受|限)|无需|无须|免(?:了|于|审|签|去)|也行|而已|罢了|没人|无所谓|放宽|放开|通融|默认|酌情|看(?:着|情况)|视情况|点头|签字|同意|批准|许可|打(?:个)?招呼|豁免|变通|绕过|到[^,]{0,8}(?:为止|结束|月底|年底|周末)"
    r"|(?<![a-z])(?:fine|ok|okay|enough|suffices?|sufficient|(?<![0-9] )may(?! [0-9])|can(?! ?not|'t)|could|free to|feel free|go ahead|go(?:es)? straight|welcome|skips?|skipped|waive[sd]?|waiver|exempt(?:ed)?|except|exceptions?|unless|optional|though|anyway|anyhow|pointless|moot|nobody|no one|just|only needs?|permitting|permission|permit(?:s|ted)?|blessing|nod|nods|approv(?:al|es?|ed)|thumbs|allow(?:s|ed)?|let|lets|until|till|ask|get|gets|check with|if|when|once|whenever|where|depending|mostly|usually|flexible|negotiable|bend|bends|sign-off|signs off|signature|okays?|clears?|cleared|first)(?![a-z])"
)
"""Words that let something through, or end it."""
_LIMITED: Final = later(
    r"以[下上内外]|往[上下]|起步|[以及]?内|不到|不足|小于|少于|大于|超过|低于|高于|之[前后内]|到期|截至|直到|起(?![床])"
    r"|(?<![a-z])(?:under|below|less|over|above|more|within|up to|before|after|until|till|through|from|since|starting|by)(?![a-z])"
)
"""With such a word a value may be the bound up to which something is let through."""


_LISTING: Final = later(
    r"\W*,(?: [a-z0-9_./`-]+){1,4}(?:,(?: [a-z0-9_./`-]+){1,4})+,? (?:and|or)(?: [a-z0-9_./`-]+){1,5}(?=[^a-z0-9]|\Z)"
)
"""More of what a rule is about: "documentation, readme files, or other prose"."""
_DENIES: Final = later(r"[不没无免]|(?<![a-z])(?:not?|never|none|nothing|without|neither)(?![a-z])|n't")


def what_follows(text: str, end: int) -> str:
    """Says that a clause behind a rule, in its sentence, may take it back; empty: none does.

    Args:
        text: Folded.
        end: Character after the last of the rule.
    """
    note = _NOTE.match(text, end)
    begin = note.end() if note else end
    stop = _END.search(text, begin, begin + _WIDTH)
    behind = text[begin : stop.start() if stop else begin + _WIDTH]
    listing = _LISTING.match(behind)
    if listing is not None and not _LETS.search(listing[0]):
        behind = behind[listing.end() :]
    marks = list(_SPLIT.finditer(behind))
    loose, listed = False, bool(marks) and (text[end : end + 1] in _QUOTES or _in_list(text, end))
    for place, (mark, after) in enumerate(zip_longest(marks, marks[1:])):
        clause = behind[mark.end() : after.start() if after else len(behind)].strip(_QUIET_MARKS)
        loose = loose or mark[0] == ":" or (listed and mark[0] == ";")  # a colon begins an explanation
        sort = _sort(clause) if clause else "quiet"
        headed = after is not None and after[0] == ":" and len(clause) <= _LABEL and not _REMARK.search(clause)
        if sort == "unknown" and (headed or (place == 0 and _PERSON.match(clause))) and not _LETS.search(clause):
            sort = "other"
        if sort == "unknown" and (not loose or _LETS.search(clause)):
            return f"“{clause}” stands behind it, and may take it back"
        loose = loose or sort == "other"
    return ""


def _sort(clause: str) -> Sort:
    """Tells of what sort a clause is."""
    if _MEANT.match(clause) or (_SPOKEN.match(clause) and not _LETS.search(clause)):
        return "quiet"
    if _REASON.match(clause) or (_INCLUDED.match(clause) and not _DENIES.search(clause)):
        return "other"
    if _LETS.search(clause):
        return "unknown"
    if _DEMANDS.search(clause) or _COMMAND.match(clause) or _COMMAND_CHINESE.match(clause):
        return "other"
    named = _NAMED.match(clause)
    rest = clause[named.end() :].strip(_QUIET_MARKS) if named is not None else clause
    values = [one.kind for one in find_values(rest)]
    if named is not None and (named["is"] or named["zh"] or not rest or values) and not _LIMITED.search(rest):
        return "other"
    counted = not _LIMITED.search(clause) and not _DENIES.search(clause) and any(kind not in _UNSURE for kind in values)
    return "other" if counted else "unknown"


def _in_list(text: str, end: int) -> bool:
    """Tells whether a rule is an item of a list within its line."""
    begin = max(text.rfind("\n", 0, end) + 1, end - _LINE)
    last = text.find("\n", end)
    line = text[begin : min(len(text) if last < 0 else last, end + _LINE)]
    return line.count(";") >= _SEMICOLONS or _NUMBERED.match(line[: end - begin]) is not None
