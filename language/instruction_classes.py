"""What whole classes of instructions to the model look like: secret files, suspended guards, false authority and others.

Implements specs/projections.md (P-132). Beside `language.instruction_signs`, which knows single ways to say it. Every
stretch is bounded here too.
"""

from __future__ import annotations

from ledger.lazy_pattern import lazy_pattern

__all__ = ["CLASSES"]

_PRIVATE_FILE = (
    r"(?:(?:~|\$home|/home/\w+|/root)?/?\.(?:ssh|aws|gnupg|kube|docker|azure|netrc|npmrc|pypirc|pgpass|git-credentials)\b"
    r"(?!\.(?:example|sample|template|dist))"
    r"[\w./-]{0,40}|\bid_(?:rsa|ed25519|ecdsa)\b|(?<![\w*])\.env\b(?!\.(?:example|sample|template|dist))"
    r"|/etc/(?:passwd|shadow)\b|\bsecring\b|\b[\w-]{1,30}\.(?:pem|p12|kdbx)\b|\bkeychain\b|\b(?:the )?private keys?\b"
    r"|\bservice[- ]account (?:key|json)\b)"
)
_SAY = (
    r"\b(?:print|show|cat|read out|recite|quote|append|include|attach|paste|copy|encode|base64[- ]encode|put|embed|insert"
    r"|send|post|report|dump|output|echo|reveal|repeat|upload|mail|e-mail|disclose|write)\b"
)
_ANSWER = (
    r"(?:repl(?:y|ies)|answers?|responses?|summar(?:y|ies)|messages?|outputs?|comments?|issues?|prs?|pull requests?"
    r"|descriptions?|bug reports?|reports?|chat|urls?|commits?)\b"
)
_GUARD = (
    r"(?:(?:safety|security|content|permission|approval|confirmation|consent|usage|access|sandbox|trust|ethics|moderation"
    r"|review)(?: and \w+)? (?:checks?|polic(?:y|ies)|rules?|prompts?|restrictions?|guardrails?|filters?|guidelines?"
    r"|measures?|limits?|protocols?|controls?|requirements?|gates?|steps?|dialogs?)|guard ?rails|safeguards"
    r"|(?:your|all|any) (?:restrictions|limits|limitations|rules|guidelines|filters|approvals|confirmations))"
)
_ENDED = (
    r"(?:suspended|lifted|waived|disabled|deactivated|switched off|turned off|off|void|revoked|cancell?ed|bypassed|inactive"
    r"|removed|unnecessary|obsolete|not (?:needed|required|necessary|in (?:force|effect)|active)(?: any ?more)?"
    r"|no longer (?:needed|required|necessary|in (?:force|effect)|active|valid))"
)
_WHOLLY = (
    r"(?=\W*$|[.;:,!] ?|\W (?:\w+)| (?:until|from (?:now|here|this|today)"
    r"|for (?:you|this (?:session|repo\w*|project|conversation|task|sprint|run))"
    r"|here|inside|within|and|so|now|today|anyway|by (?:the|your|an?|order)|in this (?:session|repo\w*|project"
    r"|conversation))\b)"
)
_VENDOR = (
    r"(?:anthropic|openai|google|microsoft|deepmind|meta ai|mistral|cursor|github|the (?:model )?vendor)"
)
_OFFICE = (
    r"(?:(?:system |site |root |network |security |database )?(?:administrators?|admins?|owners?|operators?"
    r"|developers?|creators?|superusers?)|(?:security|platform|compliance|safety|trust|legal|it) (?:team|department|officer))"
)
_PERMIT = (
    r"(?:authori[sz]ed?|permit(?:ted)?|allow(?:ed)?|grant(?:ed)?|pre-?approved?|approved?|clear(?:ed)?|order(?:ed)?"
    r"|instruct(?:ed)?|command(?:ed)?|waived?|lifted|enabled?)"
)
_DO = (
    r"(?:commit|push|add|install|send|upload|delete|remove|run|execute|download|modify|insert|enable|disable|grant|copy"
    r"|merge|replace|approve|forward|post|write|change|edit|invite)\b"
)
_STEALTH = r"(?:silently|secretly|quietly|covertly|stealthily|discreetly|invisibly|unnoticed|clandestinely)"
_REPORTED = (
    r"(?<!can )(?<!may )(?<!could )(?<!might )(?<!would )(?<!will )(?<!must not )(?<!should not )(?<!not )(?<!n't )"
    r"(?<!never )(?<!to )(?<!does )(?<!do )(?<!they )(?<!it )(?<!and then )"
)
_NOBODY = r"(?:nobody|no[- ]?one|(?:the )?(?:users?|owners?|team|reviewers?|humans?|maintainers?|anyone|anybody|they))"
_BOUNDLESS = (
    r"(?:(?:without|with no|no|free of|not bound by|beyond) (?:any |all |its |your |the )?(?:\w+ )?(?:limits?|limitations?"
    r"|restrictions?|rules|filters?|guidelines?|ethics|morals|boundaries|refusals?|guardrails|censorship|constraints)"
    r"|(?:never|cannot|can't|does not|doesn't|won't) (?:refuses?|declines?|says? no)|(?:answers?|does|do|obeys?) everything"
    r"|anything goes)"
)
_PLAY = (
    r"(?:(?:act|behave|respond|answer|continue|operate|speak|write|role-?play|pose|live on) (?:only )?as|play(?:ing)?"
    r" (?:the )?(?:part|role|character) of|impersonate|assume the (?:identity|role|persona) of|adopt the (?:persona|role|identity) of"
    r"|become|take on the (?:persona|role) of|simulate|stay in character as|call yourself)"
)
_EACH_ANSWER = rf"\b(?:each|every|all|any|your) (?:\w+ )?{_ANSWER}"
_LADEN = (
    r"https?://[^\s)>\]]{0,200}\?[^\s)>\]]{0,80}=[^\s)&]{0,40}(?:secret|token|passw|convers|context|history|prompt|message"
    r"|session|cookie|summary|api_?key|env\b|user_?data|answer|[<{$\[])"
)

CLASSES = {
    "secret files": lazy_pattern(
        rf"{_SAY}[^\n]{{0,40}}\b(?:contents?|values?|text|body|lines?|data)\b[^\n]{{0,40}}{_PRIVATE_FILE}"
        rf"|{_SAY}[^\n]{{0,40}}{_PRIVATE_FILE}[^\n]{{0,60}}\b(?:in|into|to|with|as part of|at the end of|inside|on|under) "
        rf"(?:your|the|each|every|any|all|an?|my|its)\b(?: \S+){{0,3}}? ?{_ANSWER}"
        rf"|\b(?:your|each|every|the) (?:\w+ )?{_ANSWER}[^\n]{{0,60}}\b(?:contains?|includes?|shows?|quotes?)\b"
        rf"[^\n]{{0,40}}{_PRIVATE_FILE}"
        rf"|{_PRIVATE_FILE} (?:is|are) (?:public|not (?:a )?secret|harmless|safe to \w+)\b[^\n]{{0,40}}\b(?:paste|share|post|send)"
        rf"|\b(?:cat|read|open|load)\b[^\n]{{0,20}}{_PRIVATE_FILE}[^\n]{{0,40}}\b(?:and|then)\b[^\n]{{0,20}}{_SAY}"
        rf"|\b(?:whenever|when|if|before|after|each time|every time)\b[^\n]{{0,60}}\b(?:show|print|say|quote|cat|reveal)\b"
        rf"[^\n]{{0,30}}{_PRIVATE_FILE}"
    ),
    "suspended guard": lazy_pattern(
        rf"\b{_GUARD} (?:(?:are|is|was|were|has been|have been|stays?|remains?|counts? as|should be|must be|as) )?"
        rf"(?:all |now |hereby |currently |temporarily |already |to be |considered |treated as )*{_ENDED}{_WHOLLY}"
        rf"|\b{_GUARD} (?:do|does) not (?:apply|count|hold|exist)\b(?! (?:to|for|until|in (?:tests|ci))\b)"
        rf"|\b{_GUARD} ?[:=] ?(?:none|off|no|disabled|false)\b"
        r"|\bnothing needs (?:a |an |any )?(?:review|approval|confirmation|permission)\b"
        r"|\bapprovals? (?:mode )?(?:is|are|:|=) ?(?:set to )?(?:full[- ]auto|automatic|off|none|yolo)\b"
        rf"|\b{_GUARD} no longer (?:apply|applies|count|counts|hold)\b(?! (?:to|for)\b)"
        rf"|\b(?:pretend|assume|imagine|suppose|consider|treat)(?: that)? (?:all |any |every |the |your )*"
        rf"{_GUARD}[^\n]{{0,30}}\b{_ENDED}\b"
        r"|\b(?:skip|bypass|disable|suppress|circumvent|turn off|switch off|deactivate|evade|waive|dismiss|auto-?approve)"
        r" (?:all |any |every |each |of |the |your |user )*(?:permission|approval|consent|safety|security|sandbox)"
        r" (?:prompts|checks|dialogs|filters|policies|restrictions|guardrails|questions|gates|requests|rules|measures)\b"
        r"(?! (?:in|with|for|on|via|by|when|during|of|only)\b)"
        r"|\b(?:rm -rf|force-?push\w*|git push --force|sudo|shell commands?|any command|every command|all commands)\b"
        r"[^\n]{0,40}\bwithout (?:any )?(?:asking|confirm\w+|approval|permission|review|question|human|consent)\b"
        r"|\bnever (?:wait for|ask) (?:a |any |the )?(?:human|user|person|permission|approval|confirmation|consent)\b(?! (?:twice"
        r"|about|for their|to (?:re|type|enter)))"
    ),
    "false authority": lazy_pattern(
        r"\b(?:instructions?|messages?|notices?|directives?|orders?|updates?|announcements?|memos?|commands?|requests?)"
        rf" (?:from|by|of) (?:the |your )?(?:{_VENDOR}|{_OFFICE}|system)\b[^\n:]{{0,20}}:"
        rf"|\bas (?:the |your |an? )?(?:\w+ )?{_OFFICE}\b[^\n]{{0,20}}\b(?:i|we) (?:hereby )?{_PERMIT}\b"
        r"|\b(?:i|we) (?:hereby |explicitly )?(?:authori[sz]e|permit|allow|grant|pre-?approve|order|command) (?:you"
        r"|the (?:agent|assistant|model)|(?:any|all|every|full|unrestricted) (?:\w+ )?(?:access|commands?|actions?|tools?"
        r"|changes|deletions?|operations?))\b"
        rf"|\b(?:i am|i'm|this is|speaking as|here speaks) (?:the |your )(?:\w+ )?{_OFFICE}\b"
        rf"(?:[^\n]{{0,60}}\b(?:you (?:may|can|must|will|should)|{_PERMIT}|do (?:not|as)|obey|comply|override)\b| ?[:;])"
        rf"|\b(?:{_VENDOR}|(?:the |your ){_OFFICE}|(?:the )?system)(?: \w+)? (?:has|have|had) (?:already |now |hereby )?"
        r"(?:authori[sz]ed|permitted|allowed|granted|pre-?approved|approved|cleared|waived|lifted|removed)"
        r" (?:you|your|this agent|the (?:restrictions|guardrails|agent|assistant)|root|unrestricted|(?:full|all|any|every)"
        r" (?:\w+ )?(?:access|commands?|actions?|tools?|permissions?|restrictions|guardrails|checks))\b"
        rf"|\b(?:restrictions|guardrails|limits|filters|checks|rules)\b[^\n]{{0,20}}\b(?:lifted|removed|waived|disabled"
        rf"|suspended) by (?:the |your )?(?:{_VENDOR}|{_OFFICE})\b"
        rf"|\b(?:{_VENDOR}|{_OFFICE}|compliance|legal|security) (?:has |have )?signed off on (?:any |all |every )?"
        r"(?:wip|delet|dropp|skipp|disabl|push|shar|bypass|remov|upload)ing\b"
        rf"|\bby order of (?:the |your )?(?:{_VENDOR}|{_OFFICE})\b"
        r"|\b(?:system|admin|security|platform) (?:notice|message|update|alert|announcement) ?:[^\n]{0,60}\b(?:your|you|rules"
        r"|restrictions|guardrails|instructions)\b"
        r"|\byou (?:are|have been) (?:hereby |now |already |fully )?(?:authori[sz]ed|cleared|permitted|pre-?approved) "
        r"to (?:run|delete|execute|push|send|bypass|use|do|access|ignore|skip)\b[^\n]{0,40}"
        r"\b(?:any|all|every\w*|anything|without|rm|production|freely)\b"
        r"|(?:\b(?:commands?|deletions?|actions?)|rm -rf)\b[^\n]{0,20}\b(?:is|are) (?:pre-?approved|approved in advance"
        r"|approved beforehand|always approved)\b"
    ),
    "in silence": lazy_pattern(
        rf"{_REPORTED}\b{_STEALTH} {_DO}|\b{_DO}[^\n.]{{0,40}}\b(?:secretly|covertly|stealthily|clandestinely|unnoticed)\b"
        rf"|\b(?:tell|inform|notify|alert) (?:nobody|no[- ]?one)\b(?! (?:but|else|except))"
        rf"|\b(?:so|such) (?:that )?{_NOBODY} (?:never |won't |will not |does not |doesn't |cannot |can't |do not |ever )?"
        r"(?:notic|suspect|reali[sz]|find(?:s)? out)\w*\b|\b(?:under the radar|behind (?:the|their) (?:\w+ )?backs?)\b"
        r"|\b(?:omit|leave out|exclude|strip|drop)\b[^\n]{0,40} from your (?:report|summary|answer|reply|log)\b"
        rf"|\bwithout {_NOBODY} (?:ever )?(?:noticing|knowing|seeing|reali[sz]ing|finding out)\b"
        r"|\b(?:no|without(?: any)?) mention (?:of (?:it|this|that) )?in (?:the|your|any) (?:summary|report|log|changelog|reply"
        r"|answer|message)\b"
        r"|\b(?:do not|don't|never) (?:log|record|report|document|commit) (?:this|that|these) (?:step|action|command|change"
        r"|part|run|call|line)s?\b"
        r"|\b(?:delete|clear|erase|wipe|purge|remove) (?:the |your |all |any )?(?:shell |bash |zsh |command |audit |access )?"
        r"(?:history|logs?|audit trail|traces?|evidence)\b[^\n]{0,20}\b(?:afterwards|so (?:that )?no|to hide|to cover)\b"
    ),
    "persona": lazy_pattern(
        r"\bfrom (?:this (?:point|moment)|here|today)(?: (?:forward|on|onwards?))?,? you (?:act|are|will|must|behave|answer"
        r"|respond|operate|have|obey)\b"
        r"|\b(?:unrestricted|uncensored|unfiltered|amoral|jailbroken|unaligned|lawless) (?:ai|assistant|model|bot|agent|llm"
        r"|chat ?bot|mode|version|persona)\b"
        rf"|\b{_PLAY} [^\n]{{0,60}}\b{_BOUNDLESS}"
        rf"|\b{_PLAY} (?:an? |the )?(?:\w+ )?(?:dan|evil\w*|god|jailbreak\w*|unrestricted)\b"
        r"|\b(?:imagine|suppose|assume|pretend|suppose) (?:that )?you (?:have|had|are|were|follow) (?:no|not bound by|free of"
        r"|without)(?: \w+)? (?:rules?|limits?|limitations?|restrictions?|guidelines?|filters?|ethics|morals|guardrails)\b"
        r"|\bas if (?:no|there (?:were|was|are|is) no|you had no) (?:\w+ )?(?:rules?|limits?|restrictions?|guidelines?)\b"
        r"|\b(?:you|assistant) (?:will |shall |must |can |may )?(?:never|cannot|can't) (?:refuse|decline|say no)\b"
    ),
    "override in another language": lazy_pattern(
        # German, Dutch
        r"\b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*|verwirf|negeer|vergeet)\b(?: \S+){0,3}? (?:alle\w*"
        r"|vorherig\w*|bisherig\w*|vorig\w*|früher\w*|obig\w*|sämtlich\w*|eerdere|bovenstaande|voorgaande|deine)(?: \S+){0,2}? ?"
        r"\b(?:anweisung\w*|regeln?|instruktion\w*|vorgaben?|befehle?|system\w*|richtlinien?|instructies|regels|opdrachten"
        r"|aanwijzingen|prompts?)\b"
        # Spanish, Portuguese, Italian, French, Catalan, Romanian
        r"|\b(?:ignor(?:a|e|en|ez|em|ad|ate|ați|i)|olvid(?:a|e|en)|descart(?:a|e)|esque[cç]a\w*|dimentica\w*|oublie[zr]?|omet"
        r"|desconsider\w*|no hagas caso de|ne (?:tiens|tenez) pas compte (?:de|des))\b(?: \S+){0,3}? ?"
        r"\b(?:instruc\w+|instruç\w+|istruzioni|instructions|instrucțiuni\w*|reglas|regras|regole|règles|órdenes|ordens|ordini"
        r"|ordres|consignes|directives|directrices|indicaciones|indicazioni)\b(?: \S+){0,2}? ?\b(?:anterior\w*|previ\w*"
        r"|precedent\w*|précédent\w*|antérieur\w*|ci-dessus|de arriba|acima|sopra|del sistema|do sistema|système)"
        r"|\b(?:no (?:sigas|obedezcas|hagas caso a)|não (?:siga|obedeça)|non (?:seguire|obbedire a)|ne (?:suis|suivez) (?:pas|plus)"
        r"|(?:be)?folge nicht|volg niet)(?: \S+){0,3}? ?\b(?:instruc\w+|instruç\w+|istruzioni|instructions|reglas|regras"
        r"|regole|règles|consignes|anweisung\w*|regeln|instructies)\b"
        # Polish, Czech, Russian, Ukrainian
        r"|\b(?:(?:z?ignoruj|zapomnij|pomiń|zapomeň)\w*)(?: \S+){0,4}? ?\b(?:instrukcj\w*|polece\w+|zasad\w*|regu\w+|pokyn\w*)"
        r"|\b(?:(?:про)?игнорир\w+|забудь\w*|ігнору\w+|забудь\w*)(?: \S+){0,4}? ?\b(?:инструкци\w*|указани\w*|правил\w*|команд\w*"
        r"|інструкці\w*|вказівк\w*)"
        # Turkish, Vietnamese, Indonesian
        r"|\b(?:önceki|yukar[\u0131i]daki|tüm)(?: \S+){0,3}? (?:talimat\w*|kural\w*|komut\w*)(?: \S+){0,2}?"
        r" (?:yok say|görmezden gel|unut)\w*"
        r"|\bbỏ qua(?: \S+){0,4}? (?:hướng dẫn|chỉ dẫn|lệnh|quy tắc)|\babaikan(?: \S+){0,3}? (?:instruksi|perintah|aturan)\b"
        # Chinese, Japanese, Korean, Arabic, Hindi
        r"|(?:忽略|无视|無視|忘记|忘掉|忘記|忽視|不要理会|不要遵守)[^\n。]{0,6}(?:之前|以上|先前|前面|所有|一切|上述|上面|此前|全部)[^\n。]{0,8}"
        r"(?:指令|指示|规则|規則|提示|命令|要求|说明)"
        r"|(?:以前|これまで|今まで|上記|前|すべて|全て|全部)[^\n。]{0,8}(?:指示|命令|ルール|プロンプト|指令)[^\n。]{0,8}(?:無視|忘れ)"
        r"|(?:이전|위의?|앞의?|모든|지금까지)[^\n.]{0,10}(?:지시|명령|규칙|지침|프롬프트)[^\n.]{0,8}(?:무시|잊)"
        r"|(?:تجاهل|انس)[^\n]{0,20}(?:التعليمات|الأوامر|القواعد)|(?:पिछले|सभी|उपरोक्त)[^\n]{0,12}(?:निर्देश|नियम|आदेश)[^\n]{0,14}"
        r"(?:अनदेखा|नज़रअंदाज़|भूल)"
    ),
    "beacon": lazy_pattern(
        rf"!\[[^\]]{{0,200}}\]\({_LADEN}"
        rf"|{_EACH_ANSWER}[^\n]{{0,80}}(?:!\[[^\]]{{0,100}}\]\(|\b(?:image|pixel|picture|gif)\b[^\n]{{0,40}})https?://"
        r"[^\s)]{0,200}\?"
        rf"|\b(?:image|pixel|picture|gif|beacon)\b[^\n]{{0,60}}https?://[^\n]{{0,200}}{_EACH_ANSWER}"
        rf"|\[[^\]]{{0,100}}\]\({_LADEN}[^\n]{{0,100}}{_EACH_ANSWER}|{_EACH_ANSWER}[^\n]{{0,60}}\[[^\]]{{0,100}}\]\({_LADEN}"
    ),
}
"""What each class looks like, in a text without case; the name is what is told."""
