"""Patterns for the signs by which a memory reads like an instruction to the model.

Implements specs/projections.md (P-132, P-133). Every repetition is bounded, so that the work is linear in the text's length.
`language.instructions` applies them. `language.instruction_statements` has instructions in the form of facts.
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern

_PEOPLE = r"(?:the )?(?:users?|humans?|owner|operator|developers?|person|anyone|anybody|them)\b"
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|directions|messages?|orders|polic(?:y|ies))"
)
_DROP = (
    r"(?:ignore|disregard|forget|discard|dismiss|override|pay no attention to|(?:do not|don't|stop) (?:follow"
    r"|obey)(?:ing)?)"
)
_THIS = (
    r"(?:this|these|that) (?:\S+ )?(?:memor(?:y|ies)|notes?|lines?|instructions?|entry|entries|rules?|steps?"
    r"|messages?)"
)
_PRIVATE = (
    r"(?:(?:api[ _-]?keys?|(?:access|auth|bearer|session|api)[ _-]?tokens?|secrets?|passwords?|credentials?"
    r"|private keys?|ssh keys?|id_rsa|id_ed25519|\.env\b|\.npmrc|\.pypirc|\.netrc|kubeconfig|\.kube\b|keychain"
    r"|session cookies?|env(?:ironment)?(?: variable|var)?s?\b|\.ssh\b|\.aws\b|system prompt|conversation|chat "
    r"(?:history|log)|memory file)|\b\w*_(?:secret|token|password|api_key)\w*|\b\w*secret_\w+|\b(?:customers?"
    r"|clients?|patients?|users?|employees?)'?s? (?:tables?|data|databases?|lists?|records|e-?mails?|messages?)\b"
    r"|\bdatabase dumps?\b|\bsource code\b)"
)
_SHELL = r"(?:sudo )?(?:(?:ba|z|da|k)?sh|python3?|perl|ruby|node|php)\b"
_PRIVATE_FILE = (
    r"(?:(?:~|\$home|/home/\w+|/root)?/?\.(?:ssh|aws|gnupg|kube|docker|azure|netrc|npmrc|pypirc|pgpass"
    r"|git-credentials)\b(?!\.(?:example|sample|template|dist))[\w./-]{0,40}|\bid_(?:rsa|ed25519|ecdsa)\b|"
    r"(?<![\w*])\.env\b(?!\.(?:example|sample|template|dist))|/etc/(?:passwd|shadow)\b|\bsecring\b"
    r"|\b[\w-]{1,30}\.(?:pem|p12|kdbx)\b|\bkeychain\b|\b(?:the )?private keys?\b|\bservice[- ]account (?:key"
    r"|json)\b)"
)
_SAY = (
    r"\b(?:print|show|cat|read out|recite|quote|append|include|attach|paste|copy|encode|base64[- ]encode|put"
    r"|embed|insert|send|post|report|dump|output|echo|reveal|repeat|upload|mail|e-mail|disclose|write)\b"
)
_ANSWER = (
    r"(?:repl(?:y|ies)|answers?|responses?|summar(?:y|ies)|messages?|outputs?|comments?|issues?|prs?|pull "
    r"requests?|descriptions?|bug reports?|reports?|chat|urls?|commits?)\b"
)
_GUARD = (
    r"(?:(?:safety|security|content|permission|approval|confirmation|consent|usage|access|sandbox|trust|ethics"
    r"|moderation|review)(?: and \w+)? (?:checks?|polic(?:y|ies)|rules?|prompts?|restrictions?|guardrails?"
    r"|filters?|guidelines?|measures?|limits?|protocols?|controls?|requirements?|gates?|steps?|dialogs?)|guard "
    r"?rails|safeguards|(?:your|all|any) (?:restrictions|limits|limitations|rules|guidelines|filters|approvals"
    r"|confirmations))"
)
_VENDOR = (
    r"(?:anthropic|openai|google|microsoft|deepmind|meta ai|mistral|cursor|github|the (?:model )?vendor)"
)
_OFFICE = (
    r"(?:(?:system |site |root |network |security |database )?(?:administrators?|admins?|owners?|operators?"
    r"|developers?|creators?|superusers?)|(?:security|platform|compliance|safety|trust|legal|it) (?:team"
    r"|department|officer))"
)
_DO = (
    r"(?:commit|push|add|install|send|upload|delete|remove|run|execute|download|modify|insert|enable|disable"
    r"|grant|copy|merge|replace|approve|forward|post|write|change|edit|invite)\b"
)
_PLAY = (
    r"(?:(?:act|behave|respond|answer|continue|operate|speak|write|role-?play|pose|live on) (?:only )?as|play"
    r"(?:ing)? (?:the )?(?:part|role|character) of|impersonate|assume the (?:identity|role|persona) of|adopt the "
    r"(?:persona|role|identity) of|become|take on the (?:persona|role) of|simulate|stay in character as|call "
    r"yourself)"
)
_EACH_ANSWER = rf"\b(?:each|every|all|any|your) (?:\w+ )?{_ANSWER}"
_LADEN = (
    r"https?://[^\s)>\]]{0,200}\?[^\s)>\]]{0,80}=[^\s)&]{0,40}(?:secret|token|passw|convers|context|history"
    r"|prompt|message|session|cookie|summary|api_?key|env\b|user_?data|answer|[<{$\[])"
)

SIGNS = {
    "override": lazy_pattern(
        r"\b(?:ignore|disregard|forget|override|overrule|bypass)\b(?: \S+){0,4}? (?:previous|prior|above|earlier"
        r"|preceding|existing|other|all|any|your|these|those|system|safety)\b(?: \S+){0,3}? ?\b(?:instructions?"
        r"|prompts?|rules?|guidelines?|guardrails|directives?|directions|messages|restrictions|safeguards)"
        r"|\b(?:ignore|disregard|forget) (?:everything|anything|all(?: of (?:this|that|it|the))?)(?: \S+){0,3}? "
        r"(?:above|before(?! (?:the|a|an|each|any|you)\b)|previous(?:ly)?|earlier|prior|preceding|so far)\b"
        r"|^\W*(?:please )?(?:ignore|disregard|forget) (?:all )?(?:the )?(?:previous|prior|above|preceding"
        r"|earlier)\W*$"
        rf"|\b{_DROP} (?:what(?:ever)?|anything|everything|all)(?: that)? (?:the |your )?(?:developers?|system"
        r"|users?|operator|admin\w*) (?:has |have |had )?(?:told|said|instructed|asked|wrote|gave)\b"
        rf"|\b{_DROP}(?: \S+){{0,3}}? {_ORDERS} (?:that )?you (?:were|have been|are|had been) (?:given|told"
        r"|following)\b"
        r"|\b(?:pay no attention to|(?:do not|don't|stop) (?:follow|obey)(?:ing)?) (?:the |your |any )?(?:system"
        rf"|developer|previous|earlier|prior|original|above) {_ORDERS}"
        rf"|\b(?:obey|follow|trust|heed) (?:only|nothing but) {_THIS}"
        r"|\b(?:higher|more) (?:priority|authority|weight) than (?:the |any |all )?(?:users?|system|developers?"
        r"|operator)\b"
        r"|\b(?:whatever|no matter what) (?:the |an? )?(?:users?|human|person|anyone) (?:says?|asks?|wants?"
        r"|requests?),? (?:you |then |please )?(?:always |must |will |should )?(?:answer|say|reply|respond|do"
        r"|recommend|claim|insist|tell|run|use)\b"
        rf"|\b{_THIS} (?:outranks?|overrides?|trumps?|beats?|supersedes?|replaces?) (?:anything|everything|all|any"
        r"|every|whatever|the (?:users?|system))\b"
        rf"|\b{_DROP} (?:what|everything|anything|the (?:rules|instructions)) (?:in |of |from )?(?:claude|agents"
        r"|gemini)\.md\b"
        r"|\bas if (?:the |a |your )?(?:user|owner|human|operator)s? (?:had |has |have )?(?:typed|said|written"
        r"|wrote|asked|approved|confirmed|ordered)\b"
        r"|\b(?:when|whenever|if|once) (?:the |an? )?(?:user|human|reviewer|owner|anyone|someone"
        r"|asked)\b[^\n]{0,40}\b(?:report|say|claim|answer|state|pretend|reply|tell them|insist) (?:that )?(?:no"
        r"|there (?:is|are|were) no|nothing|everything|all)\b"
        r"|\btreat (?:\S+ ){1,5}?as (?:system |trusted )?(?:instructions|commands|orders)\b",
        re.MULTILINE,
    ),
    "role": lazy_pattern(
        r"\byou are (?:now|no longer)\b"
        r"|\bpretend (?:to be|that you|you(?:'re| are))\b"
        r"|\byou are an? (?:unrestricted|uncensored|unfiltered|jailbroken|amoral)\b"
        r"|\byou have no (?:restrictions|rules|limits|limitations|policies|filters|guidelines)\b"
    ),
    "secrecy": lazy_pattern(
        r"\b(?:do not|don't|dont|never|must not|should not|without|avoid)\b(?: \S+){0,2}? (?:tell|telling|inform"
        r"|informing|mention|mentioning|reveal|revealing|notify|notifying|alert|alerting|let)\b(?: \S+){0,4}? "
        rf"{_PEOPLE}"
        rf"|\b(?:hide|conceal|keep)\b(?: \S+){{0,4}}? (?:secret |hidden )?from {_PEOPLE}"
        r"|\bleav(?:e|ing) no (?:trace|evidence|record|mention|sign)\b"
        r"|\b(?:do not|don't|never|must not) (?:reveal|mention|disclose|admit|acknowledge|show|quote|talk "
        rf"about)\b(?: \S+){{0,3}}? {_THIS}"
    ),
    "remote code": lazy_pattern(
        rf"\b(?:curl|wget|iwr|invoke-webrequest|fetch)\b[^|;&\n]{{0,200}}(?:\||;|&&)\s*{_SHELL}"
        r"|\b(?:eval|source) [\"'`]*(?:\$\(|<\(|`)\s*(?:curl|wget)\b"
        r"|\b(?:registry|index-url|mirror|proxy|download|fetch|install|pull|source)\b[^\n]{0,60}https?://(?!10\."
        r"|127\.|0\.0\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}\b"
        r"|\b(?:pip3?|npm|pnpm|yarn|gem|cargo|go|uv) (?:install|add|i|get)\b[^\n]{0,80}(?:--(?:extra-)?index-url"
        r"|--index|--registry|--source|git\+)[= ]?\S{0,100}[^\n]{0,60}\b(?:always|whenever|every time|each time"
        r"|before (?:each|every|any|you)|at the start of|on (?:each|every))\b"
        r"|\bnpx (?:-y|--yes) [^\n]{0,60}\b(?:before (?:doing )?anything|without asking|at the start of)\b"
        rf"|\b{_SHELL} (?:-c )?[\"'<(]*\$?\(?\s*(?:curl|wget)\b"
        r"|\b(?:always|first|before|whenever|every time|each time|must|immediately)\b(?: \S+){0,8}? (?:run"
        r"|running|execute|executing|call|invoke)\b(?: \S+){0,3}? [`\"']?(?:curl|wget|nc|ncat|netcat|powershell"
        r"|eval)\b(?![^\n]{0,80}(?:localhost|127\.0\.0\.1))"
        r"|\b(?:always|first|before|after|on|at|whenever|every|each|must)\b[^\n.]{0,60}[,:] [`\"']?(?:curl|wget) "
        r"(?:-\S+ )*[\"']?https?://(?!localhost|127\.0\.0\.1)"
        r"|powershell\S* [^\n]{0,40}-enc"
    ),
    "exfiltration": lazy_pattern(
        r"\b(?:send|post|upload|exfiltrate|forward|e-?mail|leak|transmit|submit|copy|append|push|sync|mirror"
        rf"|publish)\b[^\n]{{0,60}}{_PRIVATE}[^\n]{{0,60}}(?:(?:https?://|ftp://|\b[\w.+-]+@[\w-]+\.\w|\b"
        r"(?:webhook|pastebin|attacker|my server)\b)|\b(?:pastebin|paste (?:service|site|bin)|gist|ngrok|telegram"
        r"|webhook\w*)\b|\b(?:public|external|third[- ]party|remote|anonymous) (?:\S+ )?(?:bucket|server|service"
        r"|endpoint|host|share|url|channel|drive)\b)"
        r"|\b(?:put|embed|insert|include|append|encode|add|place|hide|paste"
        rf"|write)\b[^\n]{{0,40}}{_PRIVATE}[^\n]{{0,20}} (?:in|into|to|inside) (?:the |an? |each |every |all )?"
        r"(?:\S+ )?(?:urls?|links?|query strings?|images?|pull requests?|prs?|commit messages?|issues?|comments?"
        r"|branch names?)\b"
        r"|\b(?:curl|wget|nc|ncat)\b[^\n]{0,160}(?:\$\(?\{?(?:env\b|printenv|cat |[a-z_]*(?:key|token|secret"
        r"|password))|@?(?:~/|\$home/)?\.(?:env|ssh|aws|netrc)\b|id_rsa)"
        r"|(?:\bprintenv\b|\benv\b|\bcat [^\n|]{0,60}(?:\.env|id_rsa|\.netrc"
        r"|credentials))[^\n|]{0,40}\|[^\n]{0,40}\b(?:curl|wget|nc|ncat)\b"
    ),
    "prompt leak": lazy_pattern(
        r"\b(?:reveal|print|repeat|output|show|disclose|recite|dump)\b(?: \S+){0,4}? (?:system prompt|hidden "
        r"(?:prompt|instructions)|initial instructions|your instructions)"
        r"|\b(?:repeat|recite|print|output|copy out|reproduce) (?:everything|all(?: of)?(?: the)? ?(?:text"
        r"|words)?|the (?:text|words|lines)) (?:that )?(?:(?:stands?|comes?|is|are|was|were|appears?) )?(?:above"
        r"|before (?:this|it)|preceding)\b"
        r"|\b(?:tell|show|give|list|repeat|reveal|print|quote|summari[sz]e)(?: (?:me|us|them))?(?: \S+)? "
        rf"{_ORDERS} (?:that )?you (?:were|have been|are|had been) (?:given|told|shown|following)\b"
    ),
    "false leave": lazy_pattern(
        r"\bthe user has (?:already |explicitly )?(?:approved|authori[sz]ed|consented|permitted|agreed|granted"
        r"|given (?:you )?(?:permission|consent|approval))\b(?: \S+){0,4}? (?:all|any|every|full|to (?:run|delete"
        r"|push|send|share))\b"
        r"|\byou (?:do not|don't|never|no longer) need (?:to ask|(?:any )?(?:consent|permission|approval"
        r"|confirmation))\b[^\n.]{0,30}\b(?:any|all|every|destructive|dangerous|delet\w+|shell)\b"
        r"|\b(?:security|admin\w*|legal|platform|compliance|ops|it) (?:team|department)? ?(?:has |have )?"
        r"(?:already )?(?:approved|authori[sz]ed|cleared|allowed) (?:push|delet|skipp|disabl|bypass|shar|send"
        r"|upload|remov|ignor)ing\b"
        r"|\b(?:confirm|accept|approve|answer|click|acknowledge) (?:every|all|any|each) (?:of the )?(?:\S+ )?"
        r"(?:dialogs?|prompts?|questions?|confirmations?|requests?|warnings?) (?:with (?:a )?yes|automatically"
        r"|yourself|for the user)\b"
        r"|\badd [^\n]{0,20}\bbash\(\*\)"
        r"|\b(?:if|when|whenever) (?:the user|anyone|somebody|someone|asked)\b[^\n.]{0,80}\balways (?:recommend"
        r"|suggest|reply|respond|answer|say|link)\b"
    ),
    "encoded": lazy_pattern(
        rf"\bbase64 (?:-d|--decode|-di)\b[^\n]{{0,40}}\|\s*{_SHELL}"
        r"|\b(?:eval|exec)\(\s*(?:atob|base64|bytes\.fromhex|codecs|__import__)"
        r"|\bdecode (?:the |this |that |these )?(?:\S+ ){0,3}?(?:hex|base64|rot13|string|blob|text|payload|bytes"
        r"|line|message)\b[^\n]{0,80}\b(?:and|then) (?:then )?(?:run|execute|do|follow|obey|eval)\b"
        r"|\b(?:decode|run|execute|eval)\b[^\n]{0,60}\b[a-z0-9+/]{60}"
    ),
    "role marker": lazy_pattern(
        r"(?<!\btag )(?<!\btags )(?<!\belement )(?<!\bcalled )(?<!\bnamed )<\|?/?(?:im_start|im_end|system"
        r"|assistant|endoftext|start_header_id|eot_id)\b[^>]{0,40}>?"
        r"|\[/?(?:inst|sys)\]"
        r"|^(?:#+ ?)?(?:system|assistant|developer)(?: prompt| message)? ?:(?= ?\S)"
        r"|</?(?:system[-_](?:prompt|reminder|message)|memor(?:y|ies)|instructions|tool_result"
        r"|function_results)\b[^>]{0,40}>",
        re.MULTILINE,
    ),
    "secret files": lazy_pattern(
        rf"{_SAY}[^\n]{{0,40}}\b(?:contents?|values?|text|body|lines?|data)\b[^\n]{{0,40}}{_PRIVATE_FILE}"
        rf"|{_SAY}[^\n]{{0,40}}{_PRIVATE_FILE}[^\n]{{0,60}}\b(?:in|into|to|with|as part of|at the end of|inside|on"
        rf"|under) (?:your|the|each|every|any|all|an?|my|its)\b(?: \S+){{0,3}}? ?{_ANSWER}"
        rf"|\b(?:your|each|every|the) (?:\w+ )?{_ANSWER}[^\n]{{0,60}}\b(?:contains?|includes?|shows?"
        rf"|quotes?)\b[^\n]{{0,40}}{_PRIVATE_FILE}"
        rf"|{_PRIVATE_FILE} (?:is|are) (?:public|not (?:a )?secret|harmless|safe to \w+)\b[^\n]{{0,40}}\b(?:paste"
        r"|share|post|send)"
        r"|\b(?:whenever|when|if|before|after|each time|every time)\b[^\n]{0,60}\b(?:show|print|say|quote|cat"
        rf"|reveal)\b[^\n]{{0,30}}{_PRIVATE_FILE}"
    ),
    "suspended guard": lazy_pattern(
        rf"\b{_GUARD} (?:(?:are|is|was|were|has been|have been|stays?|remains?|counts? as|should be|must be|as) )?"
        r"(?:all |now |hereby |currently |temporarily |already |to be |considered |treated as )*(?:suspended"
        r"|lifted|waived|disabled|deactivated|switched off|turned off|off|void|revoked|cancell?ed|bypassed"
        r"|inactive|removed|unnecessary|obsolete|not (?:needed|required|necessary|in (?:force|effect)|active)(?: "
        r"any ?more)?|no longer (?:needed|required|necessary|in (?:force|effect)|active|valid))(?=\W*$|[.;:,!] ?"
        r"|\W (?:\w+)| (?:until|from (?:now|here|this|today)|for (?:you|this (?:session|repo\w*|project"
        r"|conversation|task|sprint|run))|here|inside|within|and|so|now|today|anyway|by (?:the|your|an?|order)"
        r"|in this (?:session|repo\w*|project|conversation))\b)"
        rf"|\b{_GUARD} (?:do|does) not (?:apply|count|hold|exist)\b(?! (?:to|for|until|in (?:tests|ci))\b)"
        rf"|\b{_GUARD} ?[:=] ?(?:none|off|no|disabled|false)\b"
        r"|\bnothing needs (?:a |an |any )?(?:review|approval|confirmation|permission)\b"
        r"|\b(?:skip|bypass|disable|suppress|circumvent|turn off|switch off|deactivate|evade|waive|dismiss"
        r"|auto-?approve) (?:all |any |every |each |of |the |your |user )*(?:permission|approval|consent|safety"
        r"|security|sandbox) (?:prompts|checks|dialogs|filters|policies|restrictions|guardrails|questions|gates"
        r"|requests|rules|measures)\b(?! (?:in|with|for|on|via|by|when|during|of|only)\b)"
        r"|\b(?:rm -rf|force-?push\w*|git push --force|sudo|shell commands?|any command|every command|all "
        r"commands)\b[^\n]{0,40}\bwithout (?:any )?(?:asking|confirm\w+|approval|permission|review|question|human"
        r"|consent)\b"
        r"|\bnever (?:wait for|ask) (?:a |any |the )?(?:human|user|person|permission|approval|confirmation"
        r"|consent)\b(?! (?:twice|about|for their|to (?:re|type|enter)))"
    ),
    "false authority": lazy_pattern(
        r"\b(?:instructions?|messages?|notices?|directives?|orders?|updates?|announcements?|memos?|commands?"
        rf"|requests?) (?:from|by|of) (?:the |your )?(?:{_VENDOR}|{_OFFICE}|system)\b[^\n:]{{0,20}}:"
        rf"|\b(?:i am|i'm|this is|speaking as|here speaks) (?:the |your )(?:\w+ )?{_OFFICE}\b(?:[^\n]{{0,60}}\b"
        r"(?:you (?:may|can|must|will|should)|(?:authori[sz]ed?|permit(?:ted)?|allow(?:ed)?|grant(?:ed)?"
        r"|pre-?approved?|approved?|clear(?:ed)?|order(?:ed)?|instruct(?:ed)?|command(?:ed)?|waived?|lifted"
        r"|enabled?)|do (?:not|as)|obey|comply|override)\b| ?[:;])"
        rf"|\b(?:{_VENDOR}|(?:the |your ){_OFFICE}|(?:the )?system)(?: \w+)? (?:has|have|had) (?:already |now "
        r"|hereby )?(?:authori[sz]ed|permitted|allowed|granted|pre-?approved|approved|cleared|waived|lifted"
        r"|removed) (?:you|your|this agent|the (?:restrictions|guardrails|agent|assistant)|root|unrestricted|"
        r"(?:full|all|any|every) (?:\w+ )?(?:access|commands?|actions?|tools?|permissions?|restrictions"
        r"|guardrails|checks))\b"
        rf"|\b(?:{_VENDOR}|{_OFFICE}|compliance|legal|security) (?:has |have )?signed off on (?:any |all |every )?"
        r"(?:wip|delet|dropp|skipp|disabl|push|shar|bypass|remov|upload)ing\b"
        rf"|\bby order of (?:the |your )?(?:{_VENDOR}|{_OFFICE})\b"
        r"|\b(?:system|admin|security|platform) (?:notice|message|update|alert|announcement) ?:[^\n]{0,60}\b"
        r"(?:your|you|rules|restrictions|guardrails|instructions)\b"
        r"|(?:\b(?:commands?|deletions?|actions?)|rm -rf)\b[^\n]{0,20}\b(?:is|are) (?:pre-?approved|approved in "
        r"advance|approved beforehand|always approved)\b"
    ),
    "in silence": lazy_pattern(
        r"(?<!can )(?<!may )(?<!could )(?<!might )(?<!would )(?<!will )(?<!must not )(?<!should not )(?<!not )"
        r"(?<!n't )(?<!never )(?<!to )(?<!does )(?<!do )(?<!they )(?<!it )(?<!and then )\b(?:silently|secretly"
        rf"|quietly|covertly|stealthily|discreetly|invisibly|unnoticed|clandestinely) {_DO}"
        rf"|\b{_DO}[^\n.]{{0,40}}\b(?:secretly|covertly|stealthily|clandestinely|unnoticed)\b"
        r"|\b(?:tell|inform|notify|alert) (?:nobody|no[- ]?one)\b(?! (?:but|else|except))"
        r"|\b(?:so|such) (?:that )?(?:nobody|no[- ]?one|(?:the )?(?:users?|owners?|team|reviewers?|humans?"
        r"|maintainers?|anyone|anybody|they)) (?:never |won't |will not |does not |doesn't |cannot |can't |do "
        r"not |ever )?(?:notic|suspect|reali[sz]|find(?:s)? out)\w*\b"
        r"|\b(?:under the radar|behind (?:the|their) (?:\w+ )?backs?)\b"
        r"|\b(?:omit|leave out|exclude|strip|drop)\b[^\n]{0,40} from your (?:report|summary|answer|reply|log)\b"
        r"|\b(?:do not|don't|never) (?:log|record|report|document|commit) (?:this|that|these) (?:step|action"
        r"|command|change|part|run|call|line)s?\b"
    ),
    "persona": lazy_pattern(
        rf"\b{_PLAY} [^\n]{{0,60}}\b(?:(?:without|with no|no|free of|not bound by|beyond) (?:any |all |its |your "
        r"|the )?(?:\w+ )?(?:limits?|limitations?|restrictions?|rules|filters?|guidelines?|ethics|morals"
        r"|boundaries|refusals?|guardrails|censorship|constraints)|(?:never|cannot|can't|does not|doesn't|won't) "
        r"(?:refuses?|declines?|says? no)|(?:answers?|does|do|obeys?) everything|anything goes)"
        rf"|\b{_PLAY} (?:an? |the )?(?:\w+ )?(?:dan|evil\w*|god|jailbreak\w*|unrestricted)\b"
        r"|\bas if (?:no|there (?:were|was|are|is) no|you had no) (?:\w+ )?(?:rules?|limits?|restrictions?"
        r"|guidelines?)\b"
    ),
    "override in another language": lazy_pattern(
        r"\b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*|verwirf|negeer|vergeet)\b(?: \S+){0,3}? "
        r"(?:alle\w*|vorherig\w*|bisherig\w*|vorig\w*|früher\w*|obig\w*|sämtlich\w*|eerdere|bovenstaande"
        r"|voorgaande|deine)(?: \S+){0,2}? ?\b(?:anweisung\w*|regeln?|instruktion\w*|vorgaben?|befehle?|system\w*"
        r"|richtlinien?|instructies|regels|opdrachten|aanwijzingen|prompts?)\b"
        r"|\b(?:ignor(?:a|e|en|ez|em|ad|ate|ați|i)|olvid(?:a|e|en)|descart(?:a|e)|esque[cç]a\w*|dimentica\w*"
        r"|oublie[zr]?|omet|desconsider\w*|no hagas caso de|ne (?:tiens|tenez) pas compte (?:de|des))\b(?: "
        r"\S+){0,3}? ?\b(?:instruc\w+|instruç\w+|istruzioni|instructions|instrucțiuni\w*|reglas|regras|regole"
        r"|règles|órdenes|ordens|ordini|ordres|consignes|directives|directrices|indicaciones|indicazioni)\b(?: "
        r"\S+){0,2}? ?\b(?:anterior\w*|previ\w*|precedent\w*|précédent\w*|antérieur\w*|ci-dessus|de arriba|acima"
        r"|sopra|del sistema|do sistema|système)"
        r"|\b(?:no (?:sigas|obedezcas|hagas caso a)|não (?:siga|obedeça)|non (?:seguire|obbedire a)|ne (?:suis"
        r"|suivez) (?:pas|plus)|(?:be)?folge nicht|volg niet)(?: \S+){0,3}? ?\b(?:instruc\w+|instruç\w+"
        r"|istruzioni|instructions|reglas|regras|regole|règles|consignes|anweisung\w*|regeln|instructies)\b"
        r"|\b(?:(?:про)?игнорир\w+|забудь\w*|ігнору\w+|забудь\w*)(?: \S+){0,4}? ?\b(?:инструкци\w*|указани\w*"
        r"|правил\w*|команд\w*|інструкці\w*|вказівк\w*)"
        r"|(?:忽略|无视|無視|忘记|忘掉|忘記|忽視|不要理会|不要遵守)[^\n。]{0,6}(?:之前|以上|先前|前面|所有|一切|上述|上面|此前|全部)[^\n。]{0,8}(?:指令|指示|规则"
        r"|規則|提示|命令|要求|说明)"
        r"|(?:以前|これまで|今まで|上記|前|すべて|全て|全部)[^\n。]{0,8}(?:指示|命令|ルール|プロンプト|指令)[^\n。]{0,8}(?:無視|忘れ)"
    ),
    "beacon": lazy_pattern(
        rf"!\[[^\]]{{0,200}}\]\({_LADEN}"
        rf"|{_EACH_ANSWER}[^\n]{{0,80}}(?:!\[[^\]]{{0,100}}\]\(|\b(?:image|pixel|picture"
        r"|gif)\b[^\n]{0,40})https?://[^\s)]{0,200}\?"
        rf"|\b(?:image|pixel|picture|gif|beacon)\b[^\n]{{0,60}}https?://[^\n]{{0,200}}{_EACH_ANSWER}"
        rf"|{_EACH_ANSWER}[^\n]{{0,60}}\[[^\]]{{0,100}}\]\({_LADEN}"
    ),
}
"""The pattern of each sign, for a lower-case text; the messages to a person show the name."""
