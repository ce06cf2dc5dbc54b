"""Finds what of a message a person says in their own words, cut into sentences.

Implements specs/capture.md (K-20…K-22, K-165…K-172). Code, quotations, pasted logs and mails, tags of programs and sections of
memories are no one's statement; in doubt a line is left out. Knows nothing of what is worth remembering. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from learning.detection import (
    attributed,
    handing_over,
    introducing,
    invisible,
    lookalikes,
    memory_sections,
    pasted,
)
from learning.detection.markup import without_blocks
from learning.detection.memory_sections import BULLET as _BULLET
from learning.detection.speakers import speaker
from ledger.lazy_pattern import lazy_pattern

MAX_MESSAGE = 20_000
"""Of a longer message this many characters are read: nobody types more (K-20)."""


class Sentence(NamedTuple):
    """One sentence: `text` is on one line, `start` and `end` its place in the message.

    `sure` is false where the message does not tell whether the person says it or somebody else (K-173).
    """

    text: str
    start: int
    end: int
    sure: bool = True


_NOT_PLAIN = lazy_pattern(r"[\n<>~#$|]")

_FENCE = lazy_pattern(r"[ \t]*(`{3,}|~{3,})")
_HEADING = lazy_pattern(r"(#{1,6})[ \t]+(.*)")
_PASTED = lazy_pattern(
    r"""\s*(?:
        \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d | \[?\d\d:\d\d:\d\d |
        [A-Z][a-z]{2}\ +\d{1,2}\ \d\d:\d\d:\d\d   # a time begins a log
      | \[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL|PANIC|SEVERE|NOTICE)\b[\]:]?
      | (?:error|warning|fatal|panic|note|help|npm\ (?:ERR!|WARN)|ERR!|remote|hint|info|lp|E|W)(?:\[\w+\]|!)?:\s
      | [\w.$/]*(?:Error|Exception|Warning|Failure|Fault)(?:\s\[\w+\])?:\s
      | Traceback\ \(most | File\ "[^"]+",\ line\ \d | at\ [\w.$<>/\[\]\ ]+\( | at\ (?:async\ )?(?:file|node|
      /)\S+:\d | \.{3}\ \d+\ more
      | Caused\ by:\s | goroutine\ \d+ | thread\ '[^']*'\ panicked | \#\d+\s+0x | stack\ backtrace:
      | \$\s\S | [\w.-]+@[\w.-]+[:\ ][^\s]*[\$\#]\s | PS\ [A-Z]:\\ | >>>\s | In\ \[\d+\]: | [\u276f\u279c]\s
      | diff\ --git | index\ [0-9a-f]{7,} | @@\ -\d | (?:\+\+\+|---)\s\S | [+-](?:\s{2,}|
      [\w<{}(\[/@\#"'.])\S*.*[;{}(),:=]
      | (?:\S*/)?[\w.-]+\.\w{1,5}:\d+(?::\d+)?(?:[:\s]|$)
      | \d+\s*\|\s | \s*\|\s*\^ | \s*[\^~]{2,} | \s*-->\s
      | (?:From|To|Cc|Bcc|Subject|Sent|Date|Von|An|Betreff|Gesendet|De|Objet|Asunto)\s?:\s\S
      | (?:>{3,}|<{3,}|={3,}|-{3,}|\*{3,}|_{3,})
      | [{}\[\]()]+[,;]?\s*$ | "[\w.-]+"\s*:\s | <[/!?]?\w[^>]*>\s*(?:$|<|\w.*</) | \|.*\|\s*$
      | (?:import|from|export|const|let|var|def|class|func|fn|pub|public|private|static|package|using|namespace|
      struct|
          enum|interface|type|async\ def|@\w+|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|WHERE|RUN|COPY|CMD|
          ENV|ENTRYPOINT)\b
          [^.?!]*[;{(\[:=*,]\s*$
      | (?:FAILED|PASSED|FAIL|PASS|ok|not\ ok)\s+\S+(?:::|/|\s\d|\.\w)
      | \S+\s+(?:\.{3,}|…)\s*(?:ok|FAILED|passed|failed|done)\b
      | [=\-*_\#]{4,} | Test\s(?:Suites?|Files?)?:?\s*\d | \d+\ (?:passed|failed|errors?|warnings?)\b[^a-z]*$
    )""",
    re.VERBOSE,
)
_CODE_LINE = lazy_pattern(
    r".*(?:[;{}]\s*$|=>\s*[{(]|\)\s*:\s*$|^\s*(?:return|if|for|while|else)\b.*[(){};:]\s*$)"
)

_OPENING_NO = lazy_pattern(
    r"[\s\"'(]*(?:no(?:[\s,]+no)*|nope|nah|wrong|nein|non|não|stop|again|(?:\w+)(?=!\s+(?:not|nicht|pas)\b))[!.…]+",
    re.IGNORECASE,
)
"""A "no!" belongs to what follows it (K-21)."""
_SALUTATION = lazy_pattern(
    r"\s*(?:hi|hello|hey|dear|liebe[rs]?|hallo|bonjour|hola|guten tag|good (?:morning|"
    r"afternoon))\b[^.?!\n]{0,40},\s*$",
    re.IGNORECASE,
)

_BREAK = lazy_pattern(
    r"""[`"'“«„.!?…。\uff01\uff1f](?:
        (?<=`)[^`\n]*`
      | (?<=")(?<![\w"]")[^"\n]{0,600}"
      | (?<=')(?<!\w')(?=[^\s'])(?:[^'\n]|(?<=\w)'(?=\w)){0,600}'(?!\w)
      | (?<=“)[^”\n]{0,600}” | (?<=«)[^»\n]{0,600}» | (?<=„)[^“”\n]{0,600}[“”]
      | (?P<end>(?<=[.!?…。\uff01\uff1f])[.!?…。\uff01\uff1f]*(?:['")\]’”]+)?)(?=\s|$))
    """,
    re.VERBOSE,
)
"""Code and quotations, which are one piece, and what ends a sentence. One set of signs begins it, so that all else is skipped."""
_ABBREVIATION = lazy_pattern(
    r"(?:^|[\s(])(?:e\.?g|i\.?e|etc|vs|cf|approx|incl|excl|dr|mr|mrs|ms|prof|st|resp|max|min|ca|bzw|ggf|"
    r"z\.\s?b|d\.\s?h|usw|"
    r"p\.\s?ex|sr|sra|fig|eq|al|jr|nr|vol|dept|ext|[a-z]|\d{1,2})$",
    re.IGNORECASE,
)
_SHORT = frozenset("etc approx incl excl mrs prof resp max min bzw ggf usw sra fig vol dept ext".split())
"""The abbreviations of three letters and more that have no sign within."""
_QUOTED_WHOLE = lazy_pattern(r"""(?:"[^"]*"|“[^”]*”|«[^»]*»|„[^“”]*[“”]|'[^']*'|\u2018[^’]*’)[.,;!?]*$""")
_TWO_LETTERS = lazy_pattern(r"[^\W\d_]['’]?[^\W\d_]|[^\W\d_]\+\+|[^\x00-\u02ff]")
_SHELL = lazy_pattern(r"\s*(?:\$|[\u276f\u279c])\s(?:cat|less|head|tail|grep|curl|git|echo|more|bat|ls|gh)\s")
"""A command of a shell, below which stands what it printed."""
_TYPED = lazy_pattern(
    r"""(?<=\S)\s*[.:]?\s*(?<![\w=-])(?:
        [>$%]\s(?=[A-Z_]+=\S+\s | [\w.+-]+\s+[A-Z_]+=\S | \./\w | [\w.-]+\s[\w./-]*\w\.(?:js|ts|py|sh|rb|go)\b)
      | [$%]\s(?=[\w.+-]+\s+--?[a-z]) | [\u276f\u279c]\s)
      (?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)""",
    re.VERBOSE,
)
"""A prompt of a shell and a command, copied behind a person's words."""
_ENDS_QUOTE = frozenset("\"'”“»’")
_OPENS_QUOTATION = lazy_pattern(r":\s*(?P<sign>[\"'“„«\u2018])")
_CLOSES_QUOTATION = {
    sign: lazy_pattern(rf"[.!?…]{closing}\s+(?=[^\W\d_a-zà-ÿ])")
    for sign, closing in {'"': '"', "'": "'", "“": "”", "„": "[“”]", "«": "»", "\u2018": "’"}.items()
}
_POINTING_OUT = str.maketrans("»«", "«»")
"""German quotation marks point to what they hold; where one comes first they are turned round."""
_FLAT = lazy_pattern(r"\s+")


_LONG = 300
_REPORT = lazy_pattern(
    r"""\A[^\n]{0,100}\b(?:(?:code|pr|peer|pull\ request)\ review | review(?:er)?(?:'s)?\ (?:feedback|comments?|notes|
      says) | pr\ (?:feedback|comments?) |
        actionable\ comments | feedback\ (?:from|on|by) | comments?\ (?:from|on|by)\ (?:the\ )?(?:pr|review\w*|bot|copilot|coderabbit) |
        (?:ci|build|test|lint|action)s?\ (?:log|output|run|failure|report)s?)\b[^\n]*(?=\n)
      | \b(?:around|at|on)\ lines?\ \d+\ (?:to|-|and|through)\ \d+\b | \bActionable\ comments\ posted\b | \bNitpick\b
      | ^\s*\d+-\d+:\s | \bexit\ code\ \d | ^[ ]*Found\ \d+\ (?:errors?|problems?|warnings?)\b |
         (?:^[^\n]*[┌┐└┘│━✔✖✓✅❌×⚠🔍][^\n]*\n[^\x00]*?){3}
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)
"""Signs of a review, a bot's comment or the output of a build within a long message."""


def _without_report(text: str) -> str:
    """Return the line that a person wrote above a report that they pasted, or the text where it is none (K-20)."""
    found = _REPORT.search(text)
    if found is None:
        return text
    first, _, rest = text.partition("\n")
    return first if rest and found.start() > len(first) else ""


def sentences(text: str) -> list[Sentence]:
    """Return the sentences that the person says themselves, in their order (K-20, K-21)."""
    if len(text) > MAX_MESSAGE:
        text = text[:MAX_MESSAGE]
    if 0 <= text.find("»") < text.find("«"):
        text = text.translate(_POINTING_OUT)
    if not text.isascii() and (seen := invisible.visible(text)) != text:
        if invisible.smuggles(text):
            return []
        at = invisible.places(text)
        return [one._replace(start=at[one.start], end=at[one.end - 1] + 1) for one in _sentences(seen)]
    return _sentences(text)


def _sentences(text: str) -> list[Sentence]:
    if len(text) > _LONG:
        text = _without_report(text)
    found: list[Sentence] = []
    if _NOT_PLAIN.search(text) is None and "```" not in text:
        whose = pasted.whose_line(text)
        if whose != "others" and _PASTED.match(text) is None:
            _cut(text, 0, len(text), found, sure=whose == "own")
        return found
    for start, end, sure in _spoken(text):
        _cut(text, start, end, found, sure=sure)
    return found


# --- which lines are spoken --------------------------------------------------------------------------------------


def _spoken(text: str) -> Iterator[tuple[int, int, bool]]:
    """Give the stretches of a message that a person typed, and whether that is sure; a new thought begins a new one."""
    masked = without_blocks(text) if "<" in text else text
    lines = masked.split("\n")
    fenced = _fenced(lines)
    whose = pasted.whose(
        [
            "" if code or line.lstrip().startswith(">") else line
            for code, line in zip(fenced, lines, strict=True)
        ]
    )
    reading = _Lines()
    at = 0
    stretch: tuple[int, int, bool] | None = None
    for line, code, of in zip(lines, fenced, whose, strict=True):
        begin, end = at, at + len(line)
        at = end + 1
        spoken = -1 if code or of == "others" else reading.begin(line)
        sure = of == "own" and not reading.in_doubt
        if spoken < 0:
            if stretch is not None:
                yield stretch
            stretch = None
            continue
        if stretch is not None and _goes_on(masked[stretch[0] : stretch[1]], line):
            stretch = (stretch[0], end, stretch[2] and sure)
            continue
        if stretch is not None:
            yield stretch
        stretch = (begin + spoken, end, sure)
    if stretch is not None:
        yield stretch


def _fenced(lines: list[str]) -> list[bool]:
    """Return for each line whether it is within a fence, or one."""
    found: list[bool] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        found.append(bool(fence) or mark is not None)
        if mark is not None and (not fence or fence in mark[1]):
            fence = "" if fence else mark[1][:3]
    return found


def _goes_on(before: str, line: str) -> bool:
    """Say whether a line goes on with a sentence that was wrapped: a long line without an end, then a small letter."""
    last = before.rpartition("\n")[2].rstrip()
    return len(last) >= 60 and last[-1:] not in ".!?:;" and line[:1].islower()


_NEXT, _THIS, _LETTER, _HANDED, _AFTER = range(1, 6)
"""What was announced: the lines to come, these up to a blank line, a letter to the end, perhaps these, or perhaps all that follows."""


class _Lines:
    """Judges one line after the other, since a heading or an introduction says what the lines below it are."""

    def __init__(self) -> None:
        self._memories: float = 0
        self._told = False
        """Whether the section of memories holds prose, so that nothing says where it ends."""
        self._entries = False
        self._pasting = 0
        self._listing = False
        self._prose = False
        self._blank = True
        self._before = ""
        self.in_doubt = False
        """Whether the line may be of a text that was handed over."""

    def begin(self, line: str) -> int:
        """Return where in the line a person begins to speak, -1 where the line is not theirs."""
        blank = not line.strip()
        after_blank, self._blank = self._blank, blank
        before = self._before
        if not blank:
            self._before = line
        if (
            self._memories
            and not blank
            and not memory_sections.goes_on(line, before, after_blank=after_blank)
        ):
            self._memories = 0
            if self._told and self._pasting == 0:
                self._pasting = _AFTER
        named = memory_sections.title(line)
        if named and not self._memories:
            self._memories = named
            self._told = False
            return -1
        if (heading := _HEADING.match(line)) is not None:
            if self._memories:
                self._memories = memory_sections.below(self._memories, len(heading[1]), before) or named
            return -1
        if self._memories:
            self._told = self._told or (not blank and _BULLET.match(line) is None)
            return -1
        if blank:
            # what was pasted after a line that introduced it ends here, unless it is a letter
            if self._pasting == _THIS and self._prose:
                self._pasting = _AFTER
            elif self._pasting not in (_NEXT, _LETTER, _AFTER):
                self._pasting = 0
            self._prose = self._prose and self._pasting == _NEXT
            self.in_doubt = False
            return -1
        return self._own(line, after_blank=after_blank)

    def _own(self, line: str, *, after_blank: bool) -> int:
        self.in_doubt = self._pasting in (_HANDED, _AFTER)
        if self._is_introduced(line, after_blank=after_blank) or line.lstrip().startswith(">"):
            return -1
        bullet = _BULLET.match(line)
        self._entries = memory_sections.is_entry(line) or (self._entries and bullet is not None)
        self._listing = self._listing and (bullet is not None or bool(speaker(line)))
        if self._entries or self._listing:
            return -1
        begin = bullet.end() if bullet is not None else 0
        if bullet is None and line.startswith(("    ", "\t")) and (after_blank or _CODE_LINE.match(line)):
            return -1
        if _PASTED.match(line, begin) or (_CODE_LINE.match(line) and "`" not in line):
            return -1
        self._introduce(line, begin)
        return begin

    def _is_introduced(self, line: str, *, after_blank: bool) -> bool:
        """Say whether a line above announced this one as somebody's, or it is a command whose output follows."""
        if self._pasting == _NEXT:
            self._pasting = _LETTER if _SALUTATION.match(line) else _THIS
            self._prose = self._prose and after_blank
        elif self._pasting == _HANDED and _SALUTATION.match(line):
            self._pasting = _LETTER
        elif self._pasting not in (_THIS, _LETTER) and _SHELL.match(line):
            self._pasting = _THIS
        return self._pasting in (_THIS, _LETTER)

    def _introduce(self, line: str, begin: int) -> None:
        """Note whether a line announces what stands below it."""
        work = introducing.work_on(line, begin, len(line))
        if introducing.announces(line) or (work > 0 and not line[work:].strip()):
            self._pasting = _NEXT
            self._prose = introducing.is_prose(line)
        elif begin:
            return
        elif introducing.tells_what_somebody_wrote(line):
            self._pasting = _NEXT
        elif introducing.hands_over(line) or introducing.sums_up(line):
            self._pasting = _HANDED
        elif introducing.is_of_others_rules(line):
            self._listing = True


# --- sentences ---------------------------------------------------------------------------------------------------


def _cut(text: str, start: int, end: int, found: list[Sentence], *, sure: bool) -> None:
    """Add the sentences of a stretch, but for those that give the words of somebody else."""
    if work := introducing.work_on(text, start, end):
        _add(text, start, work, found, sure=sure)
        return
    at = start
    if ": " in text and (handed := handing_over.behind_colon(text, start, end)):
        _add(text, start, handed, found, sure=sure)
        at = handing_over.behind_quotation(text, handed, end)
    while at < end:
        at = _cut_to_others(text, at, end, found, sure=sure)


def _cut_to_others(text: str, start: int, end: int, found: list[Sentence], *, sure: bool) -> int:
    """Add the sentences up to one that gives the words of somebody else; return where the person speaks again, or `end`."""
    begin = start
    for match in _BREAK.finditer(text, start, end):
        if match["end"] is None:
            continue
        stop = match.start()
        if stop - begin < 16 and match.end() < end and _opens_with_no(text, begin, match.end()):
            continue
        if text[stop] == "." and match.end() - stop == 1 and _abbreviates(text, begin, stop):
            continue
        if not _add(text, begin, match.end(), found, sure=sure):
            return _behind_quotation(text, begin, match.end(), end)
        begin = match.end()
    if begin < end and not _add(text, begin, end, found, sure=sure):
        return _behind_quotation(text, begin, end, end)
    return end


def _behind_quotation(text: str, begin: int, stop: int, end: int) -> int:
    """Return where the quotation ends that a sentence opens behind a colon, if a new sentence begins there, else `end` (K-261)."""
    opened = _OPENS_QUOTATION.search(text, begin, stop)
    closed = _CLOSES_QUOTATION[opened["sign"]].search(text, opened.end(), end) if opened else None
    return closed.end() if closed else end


def _opens_with_no(text: str, begin: int, end: int) -> bool:
    found = _OPENING_NO.match(text, begin)
    return found is not None and found.end() == end


def _abbreviates(text: str, begin: int, stop: int) -> bool:
    word = text[max(begin, stop - 7) : stop]
    if not _may_abbreviate(word) or (short := _ABBREVIATION.search(word)) is None:
        return False
    digits = short.group().strip(" (").isdigit()
    return not digits or not text[begin : stop - len(short.group().strip(" ("))].strip()


def _has_two_letters(text: str) -> bool:
    return (len(text) > 1 and text[:2].isalpha()) or _TWO_LETTERS.search(text) is not None


def _may_abbreviate(text: str) -> bool:
    """Say whether a text may end in an abbreviation: most end in a plain word that is none."""
    last = text.rpartition(" ")[2]
    return len(last) < 3 or not (last.isascii() and last.isalpha()) or last.lower() in _SHORT


def _may_prompt(said: str) -> bool:
    """Say whether a sign that shells prompt with stands in a sentence."""
    return ">" in said or "$" in said or "%" in said or "\u276f" in said or "\u279c" in said


def _add(text: str, begin: int, end: int, found: list[Sentence], *, sure: bool) -> bool:
    """Add a sentence, if there is one; false where what follows is somebody else's."""
    said = text[begin:end]
    if _may_prompt(said) and (typed := _TYPED.search(said)) is not None:
        said = said[: typed.start()]
    flat = said.strip()
    if not _has_two_letters(flat):
        return True
    if flat[0] in "\"“«„'\u2018" and _QUOTED_WHOLE.match(flat):
        return True
    whose = attributed.whose(flat)
    if whose == "others":
        return flat.rstrip(".!?")[-1:] in _ENDS_QUOTE
    start = begin + said.index(flat[0])
    if "\n" in flat or "  " in flat or "\t" in flat:
        flat, length = _FLAT.sub(" ", flat), len(flat)
    else:
        length = len(flat)
    found.append(
        Sentence(flat, start, start + length, sure and whose == "own" and not lookalikes.mixes(flat))
    )
    return True
