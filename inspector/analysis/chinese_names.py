"""Names in running Chinese text, by rule: people by surname and what stands around, organisations and places by suffix.

Precision comes first: a name that is made up would be missed in a summary that never had to have it. A surname alone is
no evidence, as most surnames begin common words (高级, 任何, 周末); so a person needs a label, a title, or a word before
or behind that goes with people, and the two characters must not be such a word. ``docs/facts.md`` has the figures.
"""

# ruff: noqa: SIM905, E501 - lists of words are read as text; Chinese counts double there

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_SURNAMES: Final = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金"
    "陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
)
"""The hundred most frequent surnames, nearly nine in ten people (census of 2006)."""
_COMPOUND: Final = (
    "欧阳|司马|上官|诸葛|皇甫|尉迟|公孙|慕容|令狐|司徒|宇文|夏侯|端木|南宫|东方(?=[一-鿿][，。、；：\\s])"
)
_WORDS: Final = frozenset(
    "王国 王牌 王子 王朝 李子 张贴 张开 张罗 张扬 刘海 陈列 陈述 陈旧 杨树 杨梅 黄金 黄色 黄昏 黄瓜 黄油 黄页 周一 周二 周三 周四 "
    "周五 周六 周日 周天 周末 周边 周期 周年 周围 周到 周转 周报 徐徐 孙子 孙女 胡同 胡说 胡椒 胡乱 朱红 高级 高中 高度 高价 高效 高铁 高速 高兴 "
    "高考 高端 高层 高峰 高压 高温 高低 高于 高山 高手 高校 高质 高新 高达 高清 林业 林地 林区 何时 何必 何况 何种 何处 何不 马上 马路 马虎 马桶 马达 "
    "罗列 罗马 宋代 宋体 宋朝 郑重 郑州 谢谢 谢绝 谢意 韩国 韩式 韩语 唐代 唐朝 唐山 于是 于此 董事 萧条 程序 程度 程式 许可 许多 许诺 沈阳 曾经 "
    "曾在 曾是 曾有 曾任 苏州 苏打 丁字 丁点 丁香 叶子 叶片 余下 余额 余地 余量 余款 余数 杜绝 戴上 戴着 夏天 夏季 夏日 夏令 钟点 钟头 钟表 田地 "
    "田间 任何 任务 任意 任职 任由 任期 任命 任一 任选 范围 范本 范文 范例 方案 方便 方法 方式 方向 方面 方可 方形 方针 方才 石头 石油 石材 石膏 "
    "熊猫 金额 金牌 金属 金融 金卡 金色 陆续 陆地 陆运 陆路 孔子 白色 白天 白领 白班 白酒 白板 白名 康复 康养 毛巾 毛病 毛利 毛重 江苏 江西 江南 江北 "
    "江边 史上 史料 顾客 顾问 顾虑 顾及 龙虾 龙头 万一 万元 万分 万事 万能 万件 段落 段子 雷达 雷电 钱款 钱包 黎明 易拉 易碎 易用 易懂 常见 常用 常规 "
    "常常 常年 常务 武汉 武器 贺卡 贺信 文件 文字 文化 文本 文档 文案 文章 文明 文员 文科 安全 温馨 文具 毛毯 毛笔 毛线 马克 罗勒 金藻 余氯 石灰 白菜 白糖 龙井 黄豆 黄酒 石榴 陈皮 陈醋 姜片 姜汁 汤圆 汤料 钱币 田螺 方糖 叶酸 黄灯 任助 任工 于该 于其 于一 于各".split()
)
"""Common words that begin with a surname."""
_FUNCTION: Final = "的了是不在有和与我你他她它这那就都也还很会能要到从由给跟向对于把被让请及或等为吗呢吧去来说没已将即先再又若则其并且以因"
"""Characters that hold sentences together: they stand in no name of a person or an organisation."""
_GIVEN: Final = rf"[^\W0-9A-Za-z_{_FUNCTION}]"
_PERSON: Final = rf"(?:(?:{_COMPOUND}){_GIVEN}{{1,2}}|[{_SURNAMES}]{_GIVEN}{{1,2}})"
_LAZY: Final = rf"(?:(?:{_COMPOUND}){_GIVEN}{{1,2}}?|[{_SURNAMES}]{_GIVEN}{{1,2}}?)"
_TITLES: Final = "先生|女士|小姐|太太|老师|经理|总监|主任|医生|大夫|护士长|教授|师傅|律师|书记|院长|校长|处长|科长|局长|队长|阿姨|叔叔|董事长|总裁|工程师|同学"
_LABELS: Final = (
    "下单人|收货人|联系人|收件人|寄件人|负责人|经办人|预订人|申请人|担保人|投保人|被保险人|受益人|入住人|乘机人|客户|用户|患者|病人|乘客|旅客|住户|业主|"
    "房东|租客|司机|骑手|学生|家长|员工|同事|作者|主讲人|姓名|户名|名字是|名字叫|我叫|他叫|她叫|孩子叫|名叫|本人|抄送|主送"
)
_END: Final = r"(?=[\s，。；、,.;:：！？!?）)」”\"]|$)"
_TOLD: Final = "让|找|问|通知|转告|告诉|联系|发给|交给|转给|寄给|抄送给?|写的是|问一下|找一下|@"
"""What stands before a person who is told something, or gets something."""
_BESIDE: Final = "由|请|和|跟|与|、"
"""What stands before a person, and before much else: such a name needs an act, too."""
_ACTS: Final = (
    "说(?![明法辞服起不])|表示|负责|同意|要求(?=[换改退把加取开先])|提出|认为|审批|批准|回复|提到|签收|请假|拒绝|答应|约[在好定]|打来|来取|来拿|确认(?=一?下|了|时间|过)"
    "|[明今昨]天(?=[来去到会没要])|已经(?=签|同|到|确|出|付|回)|先生|女士|的(?:电话|手机|手机号|邮箱|订单|账户|账号|生日|身份证|病历|护照|工号)"
)
"""What a person does or has, and a thing hardly does."""
_PEOPLE: Final = re.compile(
    rf"(?:{_LABELS})\s*(?:[:：]|是|为)?\s*(?P<labelled>{_PERSON}){_END}"
    rf"|(?:{_LABELS})\s*(?:[:：]|是|为)?\s*(?P<shown>{_LAZY})(?={_ACTS})"
    rf"|(?<![一-鿿])我是(?P<self>{_PERSON}){_END}"
    rf"|(?P<titled>(?:{_COMPOUND}|[{_SURNAMES}]){_GIVEN}{{0,2}}?(?:{_TITLES}))(?!们)"
    rf"|(?<![一-鿿])(?P<near>[小老][{_SURNAMES}])(?![一-鿿](?:的|是))(?=[一-鿿，。])(?=上午|下午|晚上|明天|今天|昨天|说|不|会|要|在|已|来|去|，)"
    rf"|(?:{_TOLD})(?P<told>{_PERSON}){_END}"
    rf"|(?:{_TOLD}|{_BESIDE})(?P<acting>{_LAZY})(?={_ACTS}|和[{_SURNAMES}]{_GIVEN}{{1,2}}{_END})"
    rf"|(?:^|(?<=[\s，。；、！？：:,;]))(?P<acts>{_LAZY})(?={_ACTS})",
    re.MULTILINE,
)
_NEXT: Final = re.compile(rf"[和与、]({_PERSON}){_END}")
"""After a name: another one of a list."""
_BEFORE_YU: Final = "由让请找问和跟与给是叫，。、；：！？\n "
"""What may stand before the surname 于, which is a preposition nearly everywhere else."""

_BODY: Final = rf"(?:[协仁共祥]和|[^\W_{_FUNCTION}])"
_REGIONS: Final = (
    "北京|上海|天津|重庆|广东|广州|深圳|东莞|佛山|珠海|浙江|杭州|宁波|温州|江苏|南京|苏州|无锡|四川|成都|湖北|武汉|湖南|长沙|山东|济南|青岛|烟台|福建|厦门|福州|陕西"
    "|西安|辽宁|大连|沈阳|吉林|长春|黑龙江|哈尔滨|河南|郑州|河北|石家庄|山西|太原|江西|南昌|安徽|合肥|云南|昆明|贵州|贵阳|广西|南宁|海南|海口|甘肃|兰州|新疆"
    "|内蒙古|宁夏|青海|西藏|香港|澳门|台湾|台北|中国"
)
_BANKS: Final = (
    "中国(?:工商|农业|建设|民生|光大|邮政储蓄)?|工商|农业|建设|交通|招商|中信|光大|民生|浦发|浦东发展|兴业|平安|华夏|广发|邮储|浙商|渤海|汇丰|恒生|渣打|花旗"
    "|东亚|北京|上海|宁波|南京|杭州|江苏|徽商|微众|网商"
)
_SCHOOLS: Final = "清华|复旦|同济|南开|暨南|中山|哈佛|斯坦福|牛津|剑桥|耶鲁|东南|西南|华东|华南|华中|中央"
_HOSPITALS: Final = "协和|同仁|华西|湘雅|瑞金|仁济|华山|中山|同济|积水潭|安贞|天坛|宣武|朝阳|西京|齐鲁"
_KNOWN: Final = re.compile(
    rf"(?:{_BANKS})银行(?:[^\W_{_FUNCTION}]{{2,6}}[分支]行)?"
    rf"|(?:{_REGIONS}|{_SCHOOLS})(?:{_BODY}{{0,6}})(?:大学|学院)(?!习|生)(?:{_BODY}{{0,4}}医院)?"
    rf"|(?:{_REGIONS})(?:{_BODY}{{2,10}})(?:医院|中学(?!习)|小学(?!习|生)|研究院|研究所|法院|派出所)"
    rf"|(?:{_HOSPITALS})医院|[^\W_{_FUNCTION}]{{0,2}}市?第[一二三四五六七八九十]+(?:人民|中心)?(?:医院|中学(?!习))"
)
"""Organisations whose beginning is known: a place, a bank, a university."""
_COMPANIES: Final = re.compile(
    rf"(?P<organisation>{_BODY}{{2,18}}(?:有限责任公司|股份有限公司|有限公司|集团|律师事务所|会计师事务所))(?!里|们)"
    r"|(?P<latin>(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9&.]{1,20}公司)"
)
_LEADING: Final = re.compile(
    "(?:联系|通知|询问|咨询|拜访|收购|入职|考入|就读|转入|寄往|发往|汇款|汇入|开户行|工作单位|单位|公司名称|抬头|户名|名称|地址|前往|来自|属于|选择|通过|经过"
    "|关于|以及|还有|因为|所以|但是|如果|毕业|客户|用户|公司|仓库|取件点|会议|住址|改|送|找|住|约|往|称|叫|回|换|存|寄|发|店址|填写|填|写|开)+"
)
"""Words before a name of an organisation or a place that are no part of it."""
_GENERIC: Final = re.compile(
    "(?:一|两|几|多|每|哪|某|各|同|另|本|贵|该|总|子|母|分|新|旧|原|大|小|家|个|所|间|附近|当地|其他|所有|任何|合作|快递|物流|保险|指定|公立|私立|三甲|上|同一"
    "|搬家|利益|四大|科技|技术|数字|国际|信息|软件|互联网|航空|外包|上市|租车|旅游|猎头|装修|供应|贸易|国有|外资|民营|综合|专科|重点|普通)+"
)
"""What before 公司, 医院 … says which kind, and names none."""

_NUMBER: Final = "[0-9０-９一二三四五六七八九十百]+"
_PLACE_PART: Final = rf"[^\W0-9_{_FUNCTION}]"
_PLACES: Final = re.compile(
    rf"(?P<address>(?:{_PLACE_PART}{{2,7}}?(?:省|自治区))?(?:{_PLACE_PART}{{2,5}}?市)?(?:{_PLACE_PART}{{1,5}}?[区县])?"
    rf"(?:{_PLACE_PART}{{2,5}}?(?:镇|乡|街道))?{_PLACE_PART}{{2,6}}(?:路|街|大道|巷|弄|胡同)\s?{_NUMBER}\s?(?:号|弄)(?!线|车|楼))"
    rf"|(?P<region>{_PLACE_PART}{{2,6}}?(?:省|自治区){_PLACE_PART}{{2,5}}?市(?:{_PLACE_PART}{{1,4}}?[区县])?)"
    rf"|(?P<district>{_PLACE_PART}{{2,4}}?市{_PLACE_PART}{{1,4}}?[区县])"
    rf"|(?<=[在到去往于从住])(?P<city>{_PLACE_PART}{{2,3}}市)(?![一-鿿]?[场政民])"
)
_NO_CITY: Final = re.compile("[城超门上夜股本全该各集菜黑外楼房]市|大都市")
_NO_STREET: Final = re.compile("[线铁公网道思]路|[这那]条?[路街]")


_KIND: Final = re.compile("(?:有限责任公司|股份有限公司|有限公司|公司|集团|律师事务所|会计师事务所)$")
_CHINESE: Final = re.compile("[一-鿿]{2}")
_KIND_HINT: Final = re.compile("公司|集团|事务所")
_KNOWN_HINT: Final = re.compile("银行|大学|学院|医院|[中小]学|研究[院所]|法院|派出所")
_PLACE_HINT: Final = re.compile("[路街巷弄]|大道|胡同|省|自治区|市")
_REACH: Final = 40
"""Characters before and behind such a word within which its name stands."""
_SHORTEST: Final = 2
"""Characters of a name of an organisation without its kind."""


class ChineseName(NamedTuple):
    """A name in a text."""

    start: int
    end: int


def find_chinese_names(text: str) -> Iterator[ChineseName]:
    """Find names of people, organisations and places that their surroundings show to be names.

    Args:
        text: Any text.
    """
    if not _CHINESE.search(text):
        return
    taken: list[ChineseName] = []
    for found in (*_places(text), *_organisations(text), *_people(text)):
        if all(found.end <= one.start or one.end <= found.start for one in taken):
            taken.append(found)
            yield found


def _people(text: str) -> Iterator[ChineseName]:
    at = 0
    while match := _PEOPLE.search(text, at):
        group = match.lastgroup or ""
        start, end = match.span(group)
        # 高级经理 begins with a word, and 任何医生 with the end of one.
        if group != "near" and (text[start : start + 2] in _WORDS or text[max(0, start - 1) : start + 1] in _WORDS):
            at = start + 1
            continue
        if text[start] == "于" and start and text[start - 1] not in _BEFORE_YU:
            at = start + 1
            continue
        yield ChineseName(start, end)
        while group in ("labelled", "told", "acting") and (more := _NEXT.match(text, end)) is not None:
            start, end = more.span(1)
            if text[start : start + 2] in _WORDS:
                break
            yield ChineseName(start, end)
        at = end


def _around(hint: re.Pattern[str], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Look for a pattern only around the words that it ends with: most of a text has none of them."""
    start = end = -1
    for hit in hint.finditer(text):
        low, high = max(0, hit.start() - _REACH), min(len(text), hit.end() + _REACH)
        if start >= 0 and low > end:
            yield from pattern.finditer(text, start, end)
            start = low
        start, end = (low if start < 0 else start), high
    if start >= 0:
        yield from pattern.finditer(text, start, end)


def _organisations(text: str) -> Iterator[ChineseName]:
    for match in _around(_KNOWN_HINT, _KNOWN, text):
        yield ChineseName(*match.span())
    for match in _around(_KIND_HINT, _COMPANIES, text):
        start, end = match.span(match.lastgroup or "")
        lead = _LEADING.match(text, start, end)
        start = lead.end() if lead is not None else start
        generic = _GENERIC.match(text, start, end)
        kind = _KIND.search(text, start, end)
        body_end = kind.start() if kind is not None else end
        if body_end - start >= _SHORTEST and not (generic is not None and generic.end() >= body_end):
            yield ChineseName(start, end)


def _places(text: str) -> Iterator[ChineseName]:
    for match in _around(_PLACE_HINT, _PLACES, text):
        start, end = match.span(match.lastgroup or "")
        lead = _LEADING.match(text, start, end)
        start = lead.end() if lead is not None else start
        if end - start < 3 or _NO_CITY.search(text, start, end) or _NO_STREET.search(text, start, end):
            continue
        yield ChineseName(start, end)
