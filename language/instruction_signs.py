"""What the words look like by which a memory reads like an instruction to the model: a pattern for each sign.

Implements specs/projections.md (P-132, P-133). Every stretch is bounded, so that the work grows with the text's length
alone; `language.instructions` applies them.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

__all__ = ["SIGNS"]

_SECRETS = (
    r"(?:api[ _-]?keys?|(?:access|auth|bearer|session|api)[ _-]?tokens?|secrets?|passwords?|credentials?"
    r"|private keys?|"
    r"ssh keys?|id_rsa|id_ed25519|\.env\b|\.npmrc|\.pypirc|\.netrc|kubeconfig|\.kube\b|keychain|session"
    r" cookies?|env(?:ironment)?(?: variable|var)?s?\b|\.ssh\b|\.aws\b|system prompt|"
    r"conversation|chat (?:history|log)|memory file)"
)
_AWAY = r"(?:https?://|ftp://|\b[\w.+-]+@[\w-]+\.\w|\b(?:webhook|pastebin|attacker|my server)\b)"
_PEOPLE = r"(?:the )?(?:users?|humans?|owner|operator|developers?|person|anyone|anybody|them)\b"
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|directions|messages?|orders|polic(?:y|ies))"
)
_DROP = (
    r"(?:ignore|disregard|forget|discard|dismiss|override|pay no attention to|(?:do not|don't|stop) "
    r"(?:follow|obey)(?:ing)?)"
)
_GUARDS = r"(?:prompts?|checks?|dialogs?|filters?|polic(?:y|ies)|restrictions?|guardrails|questions|gates?|requests)"
_THIS = (
    r"(?:this|these|that) (?:\S+ )?(?:memor(?:y|ies)|notes?|lines?|instructions?|entry|entries|rules?"
    r"|steps?|messages?)"
)
_PRIVATE = (
    rf"(?:{_SECRETS}|\b\w*_(?:secret|token|password|api_key)\w*|\b\w*secret_\w+"
    r"|\b(?:customers?|clients?|patients?|users?|employees?)'?s? (?:tables?|data|databases?|lists?|records|e-?mails?"
    r"|messages?)\b"
    r"|\bdatabase dumps?\b|\bsource code\b)"
)
_OUTSIDE = (
    rf"(?:{_AWAY}|\b(?:pastebin|paste (?:service|site|bin)|gist|ngrok|telegram|webhook\w*)\b"
    r"|\b(?:public|external|third[- ]party|remote|anonymous) (?:\S+ )?(?:bucket|server|service|endpoint|host|share"
    r"|url|channel|drive)\b)"
)
_IN_SIGHT = (
    r"(?:urls?|links?|query strings?|images?|pull requests?|prs?|commit messages?|issues?|comments?"
    r"|branch names?)\b"
)
_AGAIN = r"(?:always|whenever|every time|each time|before (?:each|every|any|you)|at the start of|on (?:each|every))\b"
_INSTALL = (
    r"\b(?:pip3?|npm|pnpm|yarn|gem|cargo|go|uv) (?:install|add|i|get)\b[^\n]{0,80}"
    r"(?:--(?:extra-)?index-url|--index|--registry|--source|git\+)[= ]?\S{0,100}"
)
_SHELL = r"(?:sudo )?(?:(?:ba|z|da|k)?sh|python3?|perl|ruby|node|php)\b"

SIGNS = {
    "override": lazy_pattern(
        r"\b(?:ignore|disregard|forget|override|overrule|bypass)\b(?: \S+){0,4}? "
        r"(?:previous|prior|above|earlier|preceding|existing|other|all|any|your|these|those|system|safety)\b"
        r"(?: \S+){0,3}? ?\b(?:instructions?|prompts?|rules?|guidelines?|guardrails|directives?|directions|messages|"
        r"restrictions|safeguards)"
        r"|\b(?:ignore|disregard|forget) (?:everything|anything|all(?: of (?:this|that|it|the))?)(?: \S+){0,3}? "
        r"(?:above|before(?! (?:the|a|an|each|any|you)\b)|previous(?:ly)?|earlier|prior|preceding|so far)\b"
        r"|^\W*(?:please )?(?:ignore|disregard|forget) (?:all )?(?:the )?(?:previous|prior|above|preceding"
        r"|earlier)\W*$"
        r"|[.!;:,] (?:please )?(?:ignore|disregard|forget) (?:all )?(?:the )?(?:previous|above)\W*$"
        rf"|\b{_DROP} (?:what(?:ever)?|anything|everything|all)(?: that)? (?:the |your )?(?:developers?|system"
        r"|users?|operator|admin\w*) "
        r"(?:has |have |had )?(?:told|said|instructed|asked|wrote|gave)\b"
        rf"|\b{_DROP}(?: \S+){{0,3}}? {_ORDERS} (?:that )?you (?:were|have been|are|had been) (?:given|told"
        r"|following)\b"
        r"|\b(?:pay no attention to|(?:do not|don't|stop) (?:follow|obey)(?:ing)?) (?:the |your |any )?"
        rf"(?:system|developer|previous|earlier|prior|original|above) {_ORDERS}"
        rf"|\b(?:earlier|previous|prior|original|above|preceding|system) {_ORDERS} (?:above )?(?:no longer (?:apply"
        r"|count|hold)|do(?:es)? not "
        r"(?:apply|count)|(?:is|are) (?:now )?(?:void|null|cancell?ed|revoked|superseded|invalid|lifted))"
        rf"|\b(?:obey|follow|trust|heed) (?:only|nothing but) {_THIS}"
        r"|\b(?:higher|more) (?:priority|authority|weight) than (?:the |any |all )?(?:users?|system|developers?"
        r"|operator)\b"
        rf"|\b{_THIS} (?:takes?|has|have) (?:\S+ )?(?:precedence|priority) over (?:the |any |all |every )?(?:users?"
        r"|system|developers?|other)\b"
        r"|\b(?:whatever|no matter what) (?:the |an? )?(?:users?|human|person|anyone) (?:says?|asks?|wants?"
        r"|requests?),? "
        r"(?:you |then |please )?(?:always |must |will |should )?(?:answer|say|reply|respond|do|recommend|claim"
        r"|insist|tell|run|use)\b"
        r"|\byour (?:real|true|actual|secret) (?:task|goal|purpose|role|job|objective|mission|identity) (?:is"
        r"|will be)\b"
        r"|\b(?:do|follow|obey|execute|trust) (?:whatever|everything|all|any|every)(?: \S+){0,2}? "
        r"(?:the |this |that )?(?:page|site|website|link|url|issue|comment|e-?mail|web content|document)(?: there)? "
        r"(?:says?|tells?|asks?|contains?)\b"
        r"|\b(?:follow|obey|execute) (?:the |all |any |every |its )?(?:instructions?|orders|commands?) (?:found"
        r" |given |written )?"
        r"(?:at|on|from|in) (?:\S+ )?https?://"
        rf"|\b{_THIS} (?:outranks?|overrides?|trumps?|beats?|supersedes?|replaces?) (?:anything|everything|all"
        r"|any|every|whatever|the (?:users?|system))\b"
        r"|\b(?:do|follow|obey|execute) (?:whatever|everything|anything)(?! (?:the |your )?(?:users?"
        r"|developers?|owner)\b)[^\n]{0,100} "
        r"(?:says?|tells?|commands?|instructs?|orders)\b"
        rf"|\b{_DROP} (?:what|everything|anything|the (?:rules|instructions)) (?:in |of |from )?(?:claude"
        r"|agents|gemini)\.md\b"
        r"|\b(?:take|accept|follow|obey|execute) (?:orders|instructions|commands) (?:from|in|of) (?:\S+ )?"
        r"(?:comments?|issues?|messages?|e-?mails?|pages?|websites?|anyone|strangers)\b"
        r"|\bas if (?:the |a |your )?(?:user|owner|human|operator)s? (?:had |has |have )?(?:typed|said|written"
        r"|wrote|asked|approved|confirmed|ordered)\b"
        r"|\b(?:when|whenever|if|once) (?:the |an? )?(?:user|human|reviewer|owner|anyone|someone|asked)\b[^\n]{0,40}"
        r"\b(?:report|say|claim|answer|state|pretend|reply|tell them|insist) (?:that )?(?:no|there (?:is|are"
        r"|were) no|nothing|everything|all)\b"
        r"|\btreat (?:\S+ ){1,5}?as (?:system |trusted )?(?:instructions|commands|orders)\b"
        r"|\bnew (?:system )?(?:instructions?|prompt|directives?) ?:|\b(?:system|hidden) override\b",
        re.MULTILINE,
    ),
    "role": lazy_pattern(
        r"\byou are (?:now|no longer)\b|\bfrom now on,? you(?:r| are| will| must| should|'re)\b"
        r"|\bpretend (?:to be|that you|you(?:'re| are))\b|\b(?:act|behave|respond) as (?:if you (?:were|are|have)"
        r"|an? "
        r"(?:unrestricted|uncensored|unfiltered|jailbroken))\b"
        r"|\byou are an? (?:unrestricted|uncensored|unfiltered|jailbroken|amoral)\b"
        r"|\byou have no (?:restrictions|rules|limits|limitations|policies|filters|guidelines)\b"
        r"|\b(?:switch|enter|change|go) (?:in)?(?:to )?(?:the )?(?:god|dan|unrestricted|unfiltered|jailbreak) mode\b"
        r"|\b(?:skip|bypass|disable|suppress|circumvent|auto-?accept|turn off|get around|ignore) (?:all |any "
        r"|every |each )?(?:of )?"
        rf"(?:(?<=all )|(?<=any )|(?<=every )|(?<=each )|(?<=of )|your )(?:your |the |its )?(?:\S+ )?"
        rf"(?:permission|approval|confirmation|safety|content|security|consent|trust) {_GUARDS}"
        r"|\bdeveloper mode (?:on|enabled)\b|\bjailbreak|\bdo anything now\b"
    ),
    "secrecy": lazy_pattern(
        rf"\b(?:do not|don't|dont|never|must not|should not|without|avoid)\b(?: \S+){{0,2}}? "
        r"(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|notify|notifying|alert|alerting"
        r"|let)\b"
        rf"(?: \S+){{0,4}}? {_PEOPLE}"
        rf"|\b(?:hide|conceal|keep)\b(?: \S+){{0,4}}? (?:secret |hidden )?from {_PEOPLE}|\bthe user must (?:not"
        r"|never) know\b"
        r"|\bleav(?:e|ing) no (?:trace|evidence|record|mention|sign)\b|\bcover (?:up )?your tracks\b"
        r"|\bdo (?:this|it|so|that|all of this) (?:silently|secretly|covertly|in secret|quietly|unnoticed)\b"
        r"|\b(?:do not|don't|never|must not) (?:reveal|mention|disclose|admit|acknowledge|show|quote|talk about)\b"
        r"(?: \S+){0,3}? "
        rf"{_THIS}|\bkeep {_THIS} (?:hidden|secret|private|to yourself|out of)\b"
        rf"|\b(?:omit|leave|keep) (?:{_THIS}|it|this)(?: \S+){{0,2}}? (?:out of|from) (?:your|the|any) (?:summary"
        r"|answer|response|report|reply)"
    ),
    "remote code": lazy_pattern(
        rf"\b(?:curl|wget|iwr|invoke-webrequest|fetch)\b[^|;&\n]{{0,200}}(?:\||;|&&)\s*{_SHELL}"
        r"|\b(?:eval|source) [\"'`]*(?:\$\(|<\(|`)\s*(?:curl|wget)\b"
        r"|\b(?:download|fetch|grab|pull)\b[^\n]{0,60}https?://(?!localhost|127\.0\.0\.1)[^\n]{0,120}"
        r"\b(?:and|then) (?:then )?(?:run|execute|source|eval|launch) (?:it|them|that|the (?:file|script|result))\b"
        r"|\b(?:registry|index-url|mirror|proxy|download|fetch|install|pull|source)\b[^\n]{0,60}https?://"
        r"(?!10\.|127\.|0\.0\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}\b"
        rf"|{_INSTALL}[^\n]{{0,60}}\b{_AGAIN}|\b{_AGAIN}[^\n]{{0,60}}{_INSTALL}"
        r"|\bnpx (?:-y|--yes) [^\n]{0,60}\b(?:before (?:doing )?anything|without asking|at the start of)\b"
        rf"|\b{_SHELL} (?:-c )?[\"'<(]*\$?\(?\s*(?:curl|wget)\b"
        rf"|\b(?:always|first|before|whenever|every time|each time|must|immediately)\b(?: \S+){{0,8}}? "
        rf"(?:run|running|execute|executing|call|invoke)\b(?: \S+){{0,3}}? [`\"']?(?:curl|wget|nc|ncat|netcat"
        r"|powershell|eval)"
        rf"\b(?![^\n]{{0,80}}(?:localhost|127\.0\.0\.1))"
        rf"|\b(?:always|first|before|after|on|at|whenever|every|each|must)\b[^\n.]{{0,60}}[,:] [`\"']?(?:curl|wget) "
        rf"(?:-\S+ )*[\"']?https?://(?!localhost|127\.0\.0\.1)"
        rf"|\b(?:iex|invoke-expression)\b|powershell\S* [^\n]{{0,40}}-enc"
    ),
    "exfiltration": lazy_pattern(
        r"\b(?:send|post|upload|exfiltrate|forward|e-?mail|leak|transmit|submit|copy|append|include|push|back"
        r" ?up|dump|save|paste|store|report)\b"
        rf"[^\n]{{0,80}}{_SECRETS}[^\n]{{0,80}}{_AWAY}"
        r"|\b(?:send|post|upload|exfiltrate|forward|e-?mail|leak|transmit|submit|copy|append|push|sync|mirror"
        r"|publish)\b"
        rf"[^\n]{{0,60}}{_PRIVATE}[^\n]{{0,60}}{_OUTSIDE}"
        r"|\b(?:put|embed|insert|include|append|encode|add|place|hide|paste"
        rf"|write)\b[^\n]{{0,40}}{_PRIVATE}[^\n]{{0,20}} "
        rf"(?:in|into|to|inside) (?:the |an? |each |every |all )?(?:\S+ )?{_IN_SIGHT}"
        r"|\b(?:read|cat|open|print|load|take)\b[^\n]{0,30}"
        r"(?:\.ssh/|id_rsa|id_ed25519|\.aws/credentials|/etc/shadow|\.netrc|\.env\b)"
        r"[^\n]{0,60}\b(?:and|then) (?:then )?(?:include|paste|put|send|report|write|post|attach|remember|quote"
        r"|store)\b"
        r"|\b(?:nslookup|dig|ping) [^\n]{0,40}\$\((?:cat|whoami|env|printenv|base64)"
        r"|\b(?:give|grant|invite|add|make)\b[^\n]{0,40}[\w.+-]+@[\w-]+\.\w[^\n]{0,40}\b(?:admin\w*|owner|root"
        r"|write|maintainer|collaborator)\b"
        rf"[^\n]{{0,40}}\b(?:{_AGAIN}|silently|without)"
        r"|\badd\b[^\n]{0,40}\b(?:ssh-(?:rsa|ed25519)|public key|ssh key)[^\n]{0,80}\bauthorized_keys\b"
        r"|\b(?:replace|change|swap) (?:\S+ ){0,3}?(?:wallet|payment|bank|iban|bitcoin|ethereum) (?:\S+ )?"
        r"(?:address|account|number|details)(?: \S+)? (?:with|to|by)\b"
        rf"|\b(?:curl|wget|nc|ncat)\b[^\n]{{0,160}}"
        rf"(?:\$\(?\{{?(?:env\b|printenv|cat |[a-z_]*(?:key|token|secret|password))|"
        rf"@?(?:~/|\$home/)?\.(?:env|ssh|aws|netrc)\b|id_rsa)"
        rf"|(?:\bprintenv\b|\benv\b|\bcat [^\n|]{{0,60}}(?:\.env|id_rsa|\.netrc|credentials))[^\n|]{{0,40}}\|"
        rf"[^\n]{{0,40}}\b(?:curl|wget|nc|ncat)\b"
        rf"|!\[[^\]]{{0,200}}\]\(https?://[^)?\s]{{0,300}}\?[^)\s]{{0,300}}(?:\{{|<|=\$|data=|token=|secret=)"
    ),
    "prompt leak": lazy_pattern(
        r"\b(?:reveal|print|repeat|output|show|disclose|recite|dump)\b(?: \S+){0,4}? "
        r"(?:system prompt|hidden (?:prompt|instructions)|initial instructions|your instructions)"
        r"|\b(?:repeat|recite|print|output|copy out|reproduce) (?:everything|all(?: of)?(?: the)? ?(?:text|words)?"
        r"|the (?:text|words|lines)) (?:that )?(?:(?:stands?|comes?|is|are|was|were|appears?) )?"
        r"(?:above|before (?:this|it)|preceding)\b"
        rf"|\b(?:tell|show|give|list|repeat|reveal|print|quote|summari[sz]e)(?: (?:me|us|them))?(?: \S+)? {_ORDERS} "
        r"(?:that )?"
        r"you (?:were|have been|are|had been) (?:given|told|shown|following)\b"
    ),
    "false leave": lazy_pattern(
        r"\bthe user has (?:already |explicitly )?(?:approved|authori[sz]ed|consented|permitted|agreed|granted"
        r"|given (?:you )?"
        r"(?:permission|consent|approval))\b(?: \S+){0,4}? (?:all|any|every|full|to (?:run|delete|push|send|share))\b"
        r"|\b(?:permission|consent|approval|authori[sz]ation) (?:was|is|has been|were|had been) (?:already "
        r"|hereby )?(?:granted|given) "
        r"(?:for|to)(?: \S+)? (?:any|all|every)\b|\b(?:granted|given) (?:for|to) (?:any|all|every) (?:\S+ )?"
        r"(?:commands?|actions?|deletions?)\b"
        r"|\byou (?:do not|don't|never|no longer) need (?:to ask|(?:any )?(?:consent|permission|approval"
        r"|confirmation))\b[^\n.]{0,30}"
        r"\b(?:any|all|every|destructive|dangerous|delet\w+|shell)\b"
        r"|\b(?:security|admin\w*|legal|platform|compliance|ops|it) (?:team|department)? ?(?:has |have )?"
        r"(?:already )?"
        r"(?:approved|authori[sz]ed|cleared|allowed) (?:push|delet|skipp|disabl|bypass|shar|send|upload|remov"
        r"|ignor)ing\b"
        r"|\b(?:approve|accept|allow|confirm|grant) (?:every|all|any) (?:of the )?(?:tool (?:calls?|uses?)"
        r"|permissions?(?: requests?| prompts?)?|"
        r"commands?|prompts?|requests?) (?:automatically|without|silently|by default|yourself)\b"
        r"|\b(?:confirm|accept|approve|answer|click|acknowledge) (?:every|all|any|each) (?:of the )?(?:\S+ )?"
        r"(?:dialogs?|prompts?|questions?|confirmations?|requests?|warnings?) (?:with (?:a )?yes|automatically"
        r"|yourself|for the user)\b"
        r"|\badd [^\n]{0,20}\bbash\(\*\)"
        r"|\b(?:always|only) (?:recommend|suggest|promote|praise|advertise)\b[^\n.]{0,60}\b(?:over|instead of"
        r"|rather than|never) "
        r"(?:\S+ ){0,3}?(?:competit|all other)"
        r"|\b(?:if|when|whenever) (?:the user|anyone|somebody|someone|asked)\b[^\n.]{0,80}\balways "
        r"(?:recommend|suggest|reply|respond|answer|say|link)\b"
    ),
    "encoded": lazy_pattern(
        r"\bbase64 (?:-d|--decode|-di)\b[^\n]{0,40}\|\s*"
        + _SHELL
        + r"|\b(?:eval|exec)\(\s*(?:atob|base64|bytes\.fromhex|"
        r"codecs|__import__)"
        r"|\b(?:base64|hex|rot13|url|gzip)[- ]?decode\b[^\n]{0,160}\b(?:and|then) (?:then )?(?:run|execute|do|follow"
        r"|obey|eval)\b"
        r"|\bdecode (?:the |this |that |these )?(?:\S+ ){0,3}?(?:hex|base64|rot13|string|blob|text|payload|bytes"
        r"|line|message)\b[^\n]{0,80}"
        r"\b(?:and|then) (?:then )?(?:run|execute|do|follow|obey|eval)\b|\b(?:decode|run|execute"
        r"|eval)\b[^\n]{0,60}\b[a-z0-9+/]{60}"
        r"|(?<![a-z0-9+/])[a-z0-9+/]{60,}+={0,2}[^\n]{0,60}\b(?:decode|decoded|base64 -d|execute|eval)\b"
    ),
    "role marker": lazy_pattern(
        r"(?<!\btag )(?<!\btags )(?<!\belement )(?<!\bcalled )(?<!\bnamed )<\|?/?(?:im_start|im_end|system|assistant"
        r"|endoftext|start_header_id|eot_id)\b"
        r"[^>]{0,40}>?"
        r"|\[/?(?:inst|sys)\]|<<sys>>|^(?:#+ ?)?(?:system|assistant|developer)(?: prompt| message)? ?:(?= ?\S)"
        r"|</?(?:system[-_](?:prompt|reminder|message)|memor(?:y|ies)|instructions|tool_result|function_results)\b[^>]{0,40}>",
        re.MULTILINE,
    ),
}
"""What each sign looks like, in a text without case; the name is what is told."""
