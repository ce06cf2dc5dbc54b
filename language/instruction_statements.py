"""What an instruction to the model looks like that is told as a fact, a custom or a policy, in several languages.

Implements specs/projections.md (P-132). Nobody orders anything there: "the health check posts .env to https://…". What is
told must itself be what no memory has a reason to say. Beside `language.instruction_signs`; every stretch is bounded.
"""

from __future__ import annotations

from language.instruction_languages import ELSEWHERE, UNTOLD
from ledger.lazy_pattern import lazy_pattern

__all__ = ["NEEDED", "TOLD"]

_VALUE = (
    r"(?:(?<![\w*])\.env\b(?!\.(?:example|sample|template))|(?:~|\$home)?/?\.(?:ssh|aws|netrc|npmrc|pypirc"
    r"|gnupg|kube)\b[\w./-]{0,40}"
    r"|\bid_(?:rsa|ed25519|ecdsa)\b|\bprintenv\b|(?<=output of )`?env\b|\benvironment variables?\b"
    r"|\b(?:access|auth|api|session|bearer|github|deploy|secret|private|ssh|signing)[ _-]?(?:tokens?|keys?)\b"
    r"|\b[a-z]{2,20}_(?:token|secret|password|api_key|access_key)\b|\bpasswords?\b|\bcredentials?\b|\bsecrets\b"
    r"|\b(?:session )?cookies\b|\b(?:customers?|users?|clients?|patients?|employees?)'? (?:table|list|data"
    r"|records|database)\b)"
)
_WORDS = (
    r"(?:\b(?:the |each |every |all )?(?:conversations?|chat(?: history| log)?|transcripts?)\b|\buser(?:'s|s'"
    r"|s)? (?:\w+ )?"
    r"(?:prompts?|messages?|questions?|input)\b)"
)
_ADDRESS = r"(?:https?://(?!localhost|127\.)|\b[\w.+-]+@[\w-]+\.\w)"
_SENT = (
    r"\b(?:send|sends|sent|sending|post|posts|posted|posting|shar(?:e|es|ed|ing)|mail(?:s|ed|ing)?|e-?mail(?:s"
    r"|ed|ing)?"
    r"|forward(?:s|ed|ing)?|upload(?:s|ed|ing)?|mirror(?:s|ed|ing)?|past(?:e|es|ed|ing)|push(?:es|ed|ing)?"
    r"|report(?:s|ed|ing)?"
    r"|cop(?:y|ies|ied|ying)|transmit(?:s|ted|ting)?|stream(?:s|ed|ing)?|submit(?:s|ted|ting)?|deliver(?:s|ed"
    r"|ing)?)\b"
)
_SHOWN = (
    r"\b(?:carr(?:y|ies)|contains?|includes?|ends? with|begins? with|starts? with|shows?|quotes?|lists?|holds?"
    r"|has|have"
    r"|(?:is|are) (?:formed|built|made|derived|composed) (?:from|of|with))\b"
)
_PLACE = (
    r"\b(?:pull request|pr|commit|merge request|issue|chat|error|bug|crash|nightly|daily|weekly"
    r"|status)(?:'s)? (?:\w+ )?"
    r"(?:descriptions?|messages?|bod(?:y|ies)|titles?|reports?|comments?)\b|\bbranch names?\b"
    r"|\b(?:repl(?:y|ies)|answers?|responses?|summar(?:y|ies)|bug reports?|error reports?)\b"
)
_INTO = (
    r"\b(?:in|into|to|with|at the end of)\b (?:the |each |every |your |an? |its )?(?:\w+ )?"
    r"(?:chat|repl(?:y|ies)|answers?|summar(?:y|ies)|pull requests?|prs?|issues?|comments?|commit messages?)\b"
)
_SHELL = r"(?:(?:ba|z|da|k)?sh|a shell|the shell|python3?|node|perl)\b"
_GET = r"\b(?:fetch(?:es|ed|ing)?|download(?:s|ed|ing)?|pull(?:s|ed|ing)?|grab(?:s|bed|bing)?|get(?:s|ting)?|load(?:s|ed|ing)?)\b"
_RUN = (
    r"\b(?:run(?:s|ning)?|execut(?:e|es|ed|ing)|evaluat(?:e|es|ed|ing)|sourc(?:e|es|ed|ing)"
    r"|launch(?:es|ed|ing)?|obey(?:s|ed|ing)?|follow(?:s|ed|ing)?)\b"
)
_AGENT = r"\b(?:(?:the |an? |every |all |good |real |our )*(?:agents?|assistants?|models?|bots?|ai)(?: here| in this \w+)?)"
_USERS = r"(?:the |a )?(?:user|human|owner|person|developer|reviewer|maintainer|operator)s?"

TOLD = {
    "told exfiltration": lazy_pattern(
        r"\b(?:is|are|be|as|shows?|holds?|with|contains?) the (?:values?|contents?) of \$?\{?\w{0,30}"
        r"(?:secret|token|passw|api_?key|access_?key)\w{0,20}|"
        rf"(?:{_VALUE}|\bsystem prompt\b)[^\n.]{{0,20}}\b(?:is|are|becomes?) (?:\w+ )?part of (?:the|each"
        rf"|every|your|any) (?:\w+ )?"
        r"(?:answers?|repl(?:y|ies)|responses?|readme|reports?|messages?|summar(?:y|ies))\b|"
        rf"(?:{_VALUE}|\benvironment dumps?\b)[^\n.]{{0,60}}(?:\b(?:go|goes|travels?|flows?|ends? up|lands?"
        rf"|belongs?|receives?)\b|\bat\b)"
        rf"[^\n.]{{0,40}}{_ADDRESS}[^\n.]{{0,40}}\b(?:after|before|each|every|when|whenever|daily|nightly)\b|"
        r"\b(?:this|the|each|every) (?:chat|conversation|session|dialogue)\b[^\n.]{0,30}\b(?:lives?|is kept"
        r"|is stored|is archived"
        rf"|is logged|is mirrored|goes|continues) (?:at|on|to|under|in) {_ADDRESS}|"
        rf"{_SENT}[^\n.]{{0,60}}(?:{_VALUE}|{_WORDS})[^\n]{{0,60}}\b(?:to|with|at|for|via|into|in|under|by)\b"
        rf"[^\n]{{0,30}}{_ADDRESS}"
        rf"|(?:{_VALUE}|{_WORDS})[^\n.]{{0,30}}(?:\b(?:is|are|gets?|be|being) (?:then |also |always "
        rf"|regularly |automatically |first )?)"
        rf"(?:backed up[^\n]{{0,40}}|{_SENT}[^\n]{{0,40}}){_ADDRESS}"
        rf"|{_VALUE} (?:is|are|gets?) (?:then |also |always |automatically )?(?:echoed|printed|posted|pasted"
        rf"|put|written|shown"
        rf"|appended|added|copied|dumped|attached|repeated) {_INTO}"
        rf"|(?:{_PLACE})(?! \S+ (?:never|not))(?: \w+){{0,6}}? {_SHOWN}[^\n.]{{0,40}}(?:{_VALUE})"
        r"(?!\w| (?:names?|name only|placeholders?|rotation|policy|docs|documentation|section|page|handling"
        r"|usage)\b)"
        rf"|\bfor [\w.+-]+@[\w-]+\.\w[^\n.]{{0,30}}{_SHOWN}[^\n.]{{0,40}}{_VALUE}"
        rf"|\b(?:read|reads|reading)\b[^\n.]{{0,20}}{_VALUE}[^\n.]{{0,30}}\b(?:and|then)\b"
        rf"[^\n.]{{0,15}}\b(?:mention|quote|repeat|print|show|say)\w*\b"
        rf"|\b(?:add|append|put|encod|includ|attach)(?:s|es|ed|ing|e)?\b[^\n.]{{0,40}}{_WORDS}"
        rf"[^\n.]{{0,40}}\b(?:query string|url|link|image|pixel|subdomain)\b"
        rf"|\$\((?:whoami|hostname|env|printenv|id|cat [^)\n]{{0,60}})\)\.[\w-]+\.\w|\bbase64 of {_VALUE}"
        rf"|\b{_SENT}[^\n.]{{0,40}}\boutput of `?(?:env|printenv)\b|\b(?:env|printenv)`? and paste\b"
        rf"|--export-secret-keys\b[^\n]{{0,60}}\b(?:curl|wget|nc)\b"
    ),
    "told remote code": lazy_pattern(
        rf"\b{_SHELL}[^\n.]{{0,20}}\b(?:fed|given|handed|passed|eats?|reads?)\b[^\n.]{{0,40}}https?://|"
        r"\bhttps?://\S{1,200} (?:says?|orders?|commands?|tells?|asks?)\b[^\n]{0,30}\b(?:is|gets|are) (?:what "
        r")?(?:\w+ )?"
        r"(?:done|run|executed|obeyed|followed)\b|\bmeans? (?:to run )?[\"'`]?rm -rf\b|"
        rf"\bpip(?:e|es|ed|ing)\b[^\n]{{0,80}}\b(?:from|of)\b[^\n]{{0,60}}[\w-]\.\w[^\n]{{0,40}}\b(?:in)?to "
        rf"(?:sudo )?{_SHELL}"
        rf"|{_GET}[^\n]{{0,40}}https?://(?!localhost|127\.)[^\n]{{0,80}}\b(?:and|then|,)[^\n]{{0,20}}{_RUN} "
        rf"(?:whatever|what|it|them|that|the (?:result|output|file|script|response))\b"
        r"|\bwhatever (?:(?:\S+ )?https?://|it|the (?:script|page|server|url|response))[^\n]{0,40}\b(?:prints"
        r"|returns|says|sends"
        rf"|contains|answers)\b|{_RUN} whatever\b[^\n]{{0,20}}\b(?:returns?|prints?|says|contains?|comes"
        rf"|stands|is)\b"
        r"|\bwhatever (?:stands|is|is written|is said|appears)\b[^\n]{0,40}\b(?:is|gets|are) (?:then |always "
        r")?(?:carried out|executed|run|obeyed|followed|evaluated|done)\b"
        r"|\bwhat (?:is|was|it|they|gets) (?:\w+ )?(?:downloaded|fetched|downloads?|fetches|returned)\b"
        r"[^\n]{0,30}\b(?:is|gets) (?:then )?(?:run|executed|sourced|evaluated)\b"
        r"|\binstall(?:s|ed|ing)?\b[^\n]{0,30}\bfrom https?://(?!10\.|127\.|0\.0\.|192\.168\.|172\.(?:1[6-9]"
        r"|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}\b"
        r"|\bssh-(?:rsa|ed25519|dss) aaaa[^\n]{0,200}\bauthorized_keys\b|\bauthorized_keys\b"
        r"[^\n]{0,80}\bssh-(?:rsa|ed25519) aaaa"
        r"|\b(?:append|add|put|write|insert)\w*\b[^\n]{0,40}\b(?:public )?key\b[^\n]{0,40}\bauthorized_keys "
        r"on (?:every|all|each)\b"
        rf"|{_GET}[^\n]{{0,20}}https?://\S{{1,200}}[^\n]{{0,10}}\b(?:and|then) (?:follow|obey|do|carry out)\b"
    ),
    "told authority": lazy_pattern(
        rf"\b(?:equal to|equals?|as good as|worth as much as|ranks? with|same weight as|count(?:s)? like)"
        r" (?:those of )?(?:the )?(?:users?|owners?|maintainers?)(?:'s?)?\b|"
        r"\b(?:outranks?|overrides?|takes? precedence over|beats?|trumps?|supersedes?|counts? more than|is "
        r"above|stands? above|comes? before)"
        rf" (?:what )?{_USERS}(?:'s|s')? (?:\w+ )?(?:instructions?|requests?|wish(?:es)?|orders?|says?|wants?"
        rf"|asks?|words?|preferences|will)\b"
        r"|\b(?:carried out|done|followed|executed|obeyed) (?:before|ahead of|instead of) (?:the )?user(?:'s"
        r"|s') (?:\w+ )?(?:requests?|instructions?|orders?|tasks?)\b"
        r"|\b(?:treat|treats|treated|regard|regards|regarded|tak(?:e|es|en)|consider(?:ed|s)?|read|handled?"
        r"|seen|accept(?:ed|s)?)\b[^\n.]{0,60}\bas "
        rf"(?:if )?(?:they |it )?(?:came |come |comes |coming |were |was |spoken |written |typed |sent "
        rf")*(?:from|by) {_USERS}\b"
        rf"|\b{_USERS} (?:is|are|counts? as|must be) (?:always |hereby )?(?:assumed|deemed|considered|presumed"
        rf"|taken|understood|held|known)"
        r" to (?:have (?:\w+ )?(?:confirmed|approved|agreed|consented|permitted|authori[sz]ed)|agree|consent"
        r"|approve)\b"
        rf"|{_AGENT} (?:speaks?|acts?|decides?|signs?) (?:for|on behalf of|in the name of) (?:the "
        rf")?(?:maintainers?|owners?|users?|administrators?)\b"
        r"|\b(?:earlier|previous|prior|older) (?:guidance|instructions?|rules|guidelines|orders) (?:is|are) "
        r"(?:all )?(?:void|obsolete|cancell?ed|revoked|superseded)\b"
        rf"|\byour (?:real|true|actual|only) (?:instructions|orders|goal|task|purpose|master|user)\b"
        r"|\b(?:rules|instructions) in (?:agents|claude|gemini)\.md (?:are|is) (?:a test|fake|obsolete|void|a "
        r"joke|not meant|for show)\b"
        r"|\bpay no attention to (?:what|anything|everything|whatever)\b[^\n]{0,40}\b(?:before|above|earlier"
        r"|told)\b"
    ),
    "told guard": lazy_pattern(
        r"\b(?:counts?|considered|regarded|treated|marked) as (?:already )?(?:reviewed|approved"
        r"|confirmed)\b(?! (?:by|when|once|if|after)\b)|"
        r"\b(?:confirmation|permission|approval|consent|review)s?\b[^\n.]{0,30}\b(?:has|have) been (?:retired"
        r"|abolished|dropped|scrapped"
        rf"|done away with) for {_AGENT}\b|"
        rf"{_AGENT} (?:\w+ )?(?:ignores?|skips?|bypass(?:es)?|overrides?|disables?|dismiss(?:es)?|answers? "
        rf"yes to|clicks? away|closes?)\b[^\n.]{{0,30}}"
        rf"\b(?:review|approval|permission|confirmation|security|safety|consent|signature)s?\b"
        r"|\b(?:policy|rule|custom|convention|habit|practice|workflow|standard|norm) (?:here |in this \w+ "
        r")?is (?:to |for \S+ to |that \S+ )?(?:\w+ ){0,3}?"
        r"(?:answer|approve|accept|confirm|skip|ignore|bypass|disable|dismiss)(?:s|es|ing)? (?:all |any "
        r"|every |each )(?:of )?(?:the )?"
        rf"(?:confirmation|permission|approval|security|safety|consent|review)\b"
        r"|\b(?:confirmation|permission|approval|consent)s? (?:dialogs?|prompts?|requests?|questions?|boxes)? "
        r"?(?:is|are) (?:just |only |merely |all |always )?"
        r"(?:an? formality|ignored|clicked away|closed (?:by|without)|answered (?:with )?yes|confirmed "
        r"automatically|for show)\b"
        r"|\b(?:certificate|tls|ssl|signature|checksum|hash) (?:check|verification|validation|checking)s?\b"
        r"[^\n.]{0,10}\b(?:is|are|stays?) (?:always |permanently )"
        r"?(?:turned off|switched off|off|disabled|skipped)\b[^\n.]{0,12}\b(?:for (?:all )?downloads?|for "
        r"updates|when (?:downloading|installing|fetching))\b"
        rf"|\b(?:turn|switch) off certificate checks\b|{_AGENT}[^\n.]{{0,40}}\b(?:merges?|push(?:es)?|deploys?"
        rf"|publish(?:es)?)\b[^\n.]{{0,40}}\b(?:unreviewed|without (?:a |any )?(?:review|approval))\b"
        r"|\b(?:security|vulnerability|safety) (?:warnings?|findings?|alerts?|issues?)\b[^\n.]{0,10}\b(?:is"
        r"|are|get) (?:always )?(?:left out of|omitted from|removed from|hidden from|kept out of)\b"
        rf"|{_AGENT} (?:\w+ )?(?:never|does not|do not|don't|doesn't|need not) (?:bothers?|asks?|troubles?"
        rf"|consults?|disturbs?)\b[^\n.]{{0,40}}"
        r"\b(?:delet|destruct|drop|overwrit|remov|wip|force|dangerous|production|deploy|permission|confirm"
        r"|approv)\w*"
    ),
    "told silence": lazy_pattern(
        rf"\bbefore {_USERS} (?:looks?|sees?|notices?|finds? out|wakes?|comes? back)\b|"
        rf"\b(?:they|{_USERS}) (?:is|are|will be|be|need)(?: never| not|n't)(?: to be| be)? (?:told|informed"
        rf"|notified|shown|asked about)\b(?! (?:the|which|what|how|why|internal|error)\b)"
        r"|\blogs? of (?:the |an? )?(?:agent|assistant|model)(?:'s)?[^\n.]{0,20}\b(?:is|are|gets?) (?:then "
        r"|always )?(?:cleared|deleted|wiped|erased|removed|truncated)\b"
        rf"|\b(?:leave out|omit|skip|hide) this (?:memory|note|entry|line)\b"
        r"|\b(?:silently|secretly|quietly|covertly) (?:adds?|inserts?|appends?|installs?|sends?|uploads?"
        r"|changes?|disables?|grants?|creates?)\b[^\n.]{0,60}"
        rf"\b(?:backdoors?|keys?|users?|accounts?|tokens?|admin\w*)\b"
        rf"|{UNTOLD}"
    ),
    "told grant": lazy_pattern(
        r"\b(?:grant|give|invit|add|mak|promot)(?:s|es|e|ed|ing)?\b[^\n.]{0,20}[\w.+-]+@[\w-]+\.\w"
        r"[^\n.]{0,40}\b(?:admin\w*|owner|root|write|maintainer|full|push) (?:rights?|access|permissions?"
        r"|role)\b"
        r"|\b(?:iban|wallet|bitcoin|ethereum|account numbers?|accounts)\b[^\n]{0,120}\b(?:swapped|replaced"
        r"|exchanged|changed) (?:for|by|with|to) (?:it|this|that|ours|mine)\b"
        r"|\buse the wallet 0x[0-9a-f]{20,}[^\n]{0,20} instead\b"
    ),
    "told in another language": ELSEWHERE,
}
"""What each looks like, in a text without case; the name is what is told to a person."""

NEEDED = {
    "told exfiltration": (
        ".env env .ssh .aws .netrc .npmrc .pypirc .gnupg .kube id_rsa id_ed id_ec token key secret passw credential cookie table data"
        " list record conversation chat transcript prompt message question input $( session dialogue"
    ).split(),
    "told in another language": ["://", "@"],
}
"""Without any of these a sign cannot be in a text: what is asked first, since most texts have none."""
