"""Patterns for instructions to the model in the form of a fact, a custom or a policy, in several languages.

Implements specs/projections.md (P-132). Such a text orders nothing: "the health check posts .env to https://…". It must be a
statement that no memory needs. Complements `language.instruction_signs`; every repetition is bounded.
"""

from __future__ import annotations

from ledger.lazy_pattern import lazy_pattern

_ADDRESS = r"(?:https?://(?!localhost|127\.)|\b[\w.+-]+@[\w-]+\.\w)"
_GUARDED = (
    r"(?:passw[oö]rt\w*|kennw[oö]rt\w*|schlüssel\w*|zugangsdaten|umgebungsvariablen?|geheimnisse?|(?:kunden"
    r"|nutzer|patienten|benutzer)daten|datos de (?:clientes|usuarios)|dati (?:dei )?(?:clienti|utenti)|données "
    r"(?:des )?(?:clients|utilisateurs)|dados (?:dos )?(?:clientes|usuários)|(?:данн\w+|баз\w+) (?:клиентов"
    r"|пользователей)|用户(?:数据|信息)|顧客(?:データ|情報)|고객 ?(?:정보|데이터)|contraseñas?|claves?|credenciales|senhas?|chaves?"
    r"|credenciais|mots? de passe|clés?|identifiants|secrets|segreti|credenziali|chiav[ei]|wachtwoord\w*"
    r"|sleutels?|has[łe]\w*|klucz\w*|парол\w*|ключ\w*|секрет\w*|переменн\w*|şifre\w*|parola\w*|密码|密碼|密钥|密鑰|环境变量"
    r"|環境變數|令牌|凭证|パスワード|秘密鍵|環境変数|トークン|비밀번호|환경 ?변수|토큰|(?<![\w*])\.env\b(?!\.example)|\.ssh\b|id_rsa\b)"
)
_SEND_WORDS = (
    r"(?:schick\w*|sende\w*|gesendet|gemailt|geladen|übertrag\w*|joint\b|envío|übermittel\w*|hochgeladen"
    r"|hochlad\w*|envi[aeáéoó]\w*|envía\w*|mand[ae]\w*|sub(?:e|ir)\b|envoy\w*|envoi\w*|transmet\w*|invi[aoi]\w*"
    r"|stuur\w*|verstuur\w*|wysył\w*|wyśl\w*|przesył\w*|отправ\w*|посыла\w*|пересыла\w*|надсила\w*|gönder\w*|发送"
    r"|發送|上传|上傳|发给|送信|アップロード|送る|送り|보내\w*|전송)"
)
_FETCH_WORDS = (
    r"(?:herunter\w*|lade\b|descarg\w*|baix\w*|télécharg\w*|scaric\w*|download\w*|pobier\w*|pobra\w*|скача\w*"
    r"|загру\w*|indir\w*|下载|下載|ダウンロード|다운로드)"
)
_RUN_WORDS = (
    r"(?:ausführ\w*|auszuführ\w*|ausgeführt|starte\w*|ejecut\w*|execut\w*|exécut\w*|esegu\w*|uitvoer\w*|uruch\w*"
    r"|wykon\w*|запус\w*|выполн\w*|çal\u0131şt\u0131r\w*|执行|執行|运行|実行|실행)"
)
_VALUE = (
    r"(?:(?<![\w*])\.env\b(?!\.(?:example|sample|template))|(?:~|\$home)?/?\.(?:ssh|aws|netrc|npmrc|pypirc|gnupg"
    r"|kube)\b[\w./-]{0,40}|\bid_(?:rsa|ed25519|ecdsa)\b|\bprintenv\b|(?<=output of )`?env\b|\benvironment "
    r"variables?\b|\b(?:access|auth|api|session|bearer|github|deploy|secret|private|ssh|signing)[ _-]?(?:tokens?"
    r"|keys?)\b|\b[a-z]{2,20}_(?:token|secret|password|api_key|access_key)\b|\bpasswords?\b|\bcredentials?\b"
    r"|\bsecrets\b|\b(?:session )?cookies\b|\b(?:customers?|users?|clients?|patients?|employees?)'? (?:table|list"
    r"|data|records|database)\b)"
)
_WORDS = (
    r"(?:\b(?:the |each |every |all )?(?:conversations?|chat(?: history| log)?|transcripts?)\b|\buser(?:'s|s'"
    r"|s)? (?:\w+ )?(?:prompts?|messages?|questions?|input)\b)"
)
_ADDRESS_STATEMENTS = r"(?:https?://(?!localhost|127\.)|\b[\w.+-]+@[\w-]+\.\w)"
_SENT = (
    r"\b(?:send|sends|sent|sending|post|posts|posted|posting|shar(?:e|es|ed|ing)|mail(?:s|ed|ing)?|e-?mail(?:s|ed"
    r"|ing)?|forward(?:s|ed|ing)?|upload(?:s|ed|ing)?|mirror(?:s|ed|ing)?|past(?:e|es|ed|ing)|push(?:es|ed|ing)?"
    r"|report(?:s|ed|ing)?|cop(?:y|ies|ied|ying)|transmit(?:s|ted|ting)?|stream(?:s|ed|ing)?|submit(?:s|ted"
    r"|ting)?|deliver(?:s|ed|ing)?)\b"
)
_SHOWN = (
    r"\b(?:carr(?:y|ies)|contains?|includes?|ends? with|begins? with|starts? with|shows?|quotes?|lists?|holds?"
    r"|has|have|(?:is|are) (?:formed|built|made|derived|composed) (?:from|of|with))\b"
)
_SHELL = r"(?:(?:ba|z|da|k)?sh|a shell|the shell|python3?|node|perl)\b"
_AGENT = (
    r"\b(?:(?:the |an? |every |all |good |real |our )*(?:agents?|assistants?|models?|bots?|ai)(?: here| in this "
    r"\w+)?)"
)
_USERS = r"(?:the |a )?(?:user|human|owner|person|developer|reviewer|maintainer|operator)s?"

TOLD = {
    "told exfiltration": lazy_pattern(
        r"\b(?:is|are|be|as|shows?|holds?|with|contains?) the (?:values?|contents?) of \$?\{?\w{0,30}(?:secret"
        r"|token|passw|api_?key|access_?key)\w{0,20}"
        rf"|(?:{_VALUE}|\bsystem prompt\b)[^\n.]{{0,20}}\b(?:is|are|becomes?) (?:\w+ )?part of (?:the|each|every"
        r"|your|any) (?:\w+ )?(?:answers?|repl(?:y|ies)|responses?|readme|reports?|messages?|summar(?:y|ies))\b"
        rf"|(?:{_VALUE}|\benvironment dumps?\b)[^\n.]{{0,60}}(?:\b(?:go|goes|travels?|flows?|ends? up|lands?"
        rf"|belongs?|receives?)\b|\bat\b)[^\n.]{{0,40}}{_ADDRESS_STATEMENTS}[^\n.]{{0,40}}\b(?:after|before|each"
        r"|every|when|whenever|daily|nightly)\b"
        r"|\b(?:this|the|each|every) (?:chat|conversation|session|dialogue)\b[^\n.]{0,30}\b(?:lives?|is kept|is "
        rf"stored|is archived|is logged|is mirrored|goes|continues) (?:at|on|to|under|in) {_ADDRESS_STATEMENTS}"
        rf"|{_SENT}[^\n.]{{0,60}}(?:{_VALUE}|{_WORDS})[^\n]{{0,60}}\b(?:to|with|at|for|via|into|in|under"
        rf"|by)\b[^\n]{{0,30}}{_ADDRESS_STATEMENTS}"
        rf"|(?:{_VALUE}|{_WORDS})[^\n.]{{0,30}}(?:\b(?:is|are|gets?|be|being) (?:then |also |always |regularly "
        rf"|automatically |first )?)(?:backed up[^\n]{{0,40}}|{_SENT}[^\n]{{0,40}}){_ADDRESS_STATEMENTS}"
        rf"|{_VALUE} (?:is|are|gets?) (?:then |also |always |automatically )?(?:echoed|printed|posted|pasted|put"
        r"|written|shown|appended|added|copied|dumped|attached|repeated) \b(?:in|into|to|with|at the end of)\b "
        r"(?:the |each |every |your |an? |its )?(?:\w+ )?(?:chat|repl(?:y|ies)|answers?|summar(?:y|ies)|pull "
        r"requests?|prs?|issues?|comments?|commit messages?)\b"
        r"|(?:\b(?:pull request|pr|commit|merge request|issue|chat|error|bug|crash|nightly|daily|weekly|status)"
        r"(?:'s)? (?:\w+ )?(?:descriptions?|messages?|bod(?:y|ies)|titles?|reports?|comments?)\b|\bbranch "
        r"names?\b|\b(?:repl(?:y|ies)|answers?|responses?|summar(?:y|ies)|bug reports?|error reports?)\b)(?! \S+ "
        rf"(?:never|not))(?: \w+){{0,6}}? {_SHOWN}[^\n.]{{0,40}}(?:{_VALUE})(?!\w| (?:names?|name only"
        r"|placeholders?|rotation|policy|docs|documentation|section|page|handling|usage)\b)"
        rf"|\bfor [\w.+-]+@[\w-]+\.\w[^\n.]{{0,30}}{_SHOWN}[^\n.]{{0,40}}{_VALUE}"
        rf"|\b(?:read|reads|reading)\b[^\n.]{{0,20}}{_VALUE}[^\n.]{{0,30}}\b(?:and|then)\b[^\n.]{{0,15}}\b"
        r"(?:mention|quote|repeat|print|show|say)\w*\b"
        rf"|\b(?:add|append|put|encod|includ|attach)(?:s|es|ed|ing|e)?\b[^\n.]{{0,40}}{_WORDS}[^\n.]{{0,40}}\b"
        r"(?:query string|url|link|image|pixel|subdomain)\b"
        r"|\$\((?:whoami|hostname|env|printenv|id|cat [^)\n]{0,60})\)\.[\w-]+\.\w"
        r"|\b(?:env|printenv)`? and paste\b"
        r"|--export-secret-keys\b[^\n]{0,60}\b(?:curl|wget|nc)\b"
    ),
    "told remote code": lazy_pattern(
        rf"\b{_SHELL}[^\n.]{{0,20}}\b(?:fed|given|handed|passed|eats?|reads?)\b[^\n.]{{0,40}}https?://"
        r"|\bhttps?://\S{1,200} (?:says?|orders?|commands?|tells?|asks?)\b[^\n]{0,30}\b(?:is|gets|are) (?:what )?"
        r"(?:\w+ )?(?:done|run|executed|obeyed|followed)\b"
        r"|\bmeans? (?:to run )?[\"'`]?rm -rf\b"
        r"|\bpip(?:e|es|ed|ing)\b[^\n]{0,80}\b(?:from|of)\b[^\n]{0,60}[\w-]\.\w[^\n]{0,40}\b(?:in)?to (?:sudo "
        rf")?{_SHELL}"
        r"|\b(?:fetch(?:es|ed|ing)?|download(?:s|ed|ing)?|pull(?:s|ed|ing)?|grab(?:s|bed|bing)?|get(?:s|ting)?"
        r"|load(?:s|ed|ing)?)\b[^\n]{0,40}https?://(?!localhost|127\.)[^\n]{0,80}\b(?:and|then|,)[^\n]{0,20}\b"
        r"(?:run(?:s|ning)?|execut(?:e|es|ed|ing)|evaluat(?:e|es|ed|ing)|sourc(?:e|es|ed|ing)|launch(?:es|ed"
        r"|ing)?|obey(?:s|ed|ing)?|follow(?:s|ed|ing)?)\b (?:whatever|what|it|them|that|the (?:result|output|file"
        r"|script|response))\b"
        r"|\bwhatever (?:(?:\S+ )?https?://|it|the (?:script|page|server|url|response))[^\n]{0,40}\b(?:prints"
        r"|returns|says|sends|contains|answers)\b"
        r"|\bwhat (?:is|was|it|they|gets) (?:\w+ )?(?:downloaded|fetched|downloads?|fetches"
        r"|returned)\b[^\n]{0,30}\b(?:is|gets) (?:then )?(?:run|executed|sourced|evaluated)\b"
        r"|\binstall(?:s|ed|ing)?\b[^\n]{0,30}\bfrom https?://(?!10\.|127\.|0\.0\.|192\.168\.|172\.(?:1[6-9]|2\d"
        r"|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}\b"
        r"|\bssh-(?:rsa|ed25519|dss) aaaa[^\n]{0,200}\bauthorized_keys\b"
        r"|\bauthorized_keys\b[^\n]{0,80}\bssh-(?:rsa|ed25519) aaaa"
    ),
    "told authority": lazy_pattern(
        r"\b(?:equal to|equals?|as good as|worth as much as|ranks? with|same weight as|count(?:s)? like) "
        r"(?:those of )?(?:the )?(?:users?|owners?|maintainers?)(?:'s?)?\b"
        r"|\b(?:outranks?|overrides?|takes? precedence over|beats?|trumps?|supersedes?|counts? more than|is above"
        rf"|stands? above|comes? before) (?:what )?{_USERS}(?:'s|s')? (?:\w+ )?(?:instructions?|requests?|wish"
        r"(?:es)?|orders?|says?|wants?|asks?|words?|preferences|will)\b"
        r"|\b(?:carried out|done|followed|executed|obeyed) (?:before|ahead of|instead of) (?:the )?user(?:'s|s') "
        r"(?:\w+ )?(?:requests?|instructions?|orders?|tasks?)\b"
        r"|\b(?:treat|treats|treated|regard|regards|regarded|tak(?:e|es|en)|consider(?:ed|s)?|read|handled?|seen"
        r"|accept(?:ed|s)?)\b[^\n.]{0,60}\bas (?:if )?(?:they |it )?(?:came |come |comes |coming |were |was "
        rf"|spoken |written |typed |sent )*(?:from|by) {_USERS}\b"
        rf"|\b{_USERS} (?:is|are|counts? as|must be) (?:always |hereby )?(?:assumed|deemed|considered|presumed"
        r"|taken|understood|held|known) to (?:have (?:\w+ )?(?:confirmed|approved|agreed|consented|permitted"
        r"|authori[sz]ed)|agree|consent|approve)\b"
        rf"|{_AGENT} (?:speaks?|acts?|decides?|signs?) (?:for|on behalf of|in the name of) (?:the )?"
        r"(?:maintainers?|owners?|users?|administrators?)\b"
        r"|\b(?:earlier|previous|prior|older) (?:guidance|instructions?|rules|guidelines|orders) (?:is|are) "
        r"(?:all )?(?:void|obsolete|cancell?ed|revoked|superseded)\b"
        r"|\byour (?:real|true|actual|only) (?:instructions|orders|goal|task|purpose|master|user)\b"
        r"|\b(?:rules|instructions) in (?:agents|claude|gemini)\.md (?:are|is) (?:a test|fake|obsolete|void|a "
        r"joke|not meant|for show)\b"
        r"|\bpay no attention to (?:what|anything|everything|whatever)\b[^\n]{0,40}\b(?:before|above|earlier"
        r"|told)\b"
    ),
    "told guard": lazy_pattern(
        r"\b(?:counts?|considered|regarded|treated|marked) as (?:already )?(?:reviewed|approved|confirmed)\b(?! "
        r"(?:by|when|once|if|after)\b)"
        r"|\b(?:confirmation|permission|approval|consent|review)s?\b[^\n.]{0,30}\b(?:has|have) been (?:retired"
        rf"|abolished|dropped|scrapped|done away with) for {_AGENT}\b"
        rf"|{_AGENT} (?:\w+ )?(?:ignores?|skips?|bypass(?:es)?|overrides?|disables?|dismiss(?:es)?|answers? yes to"
        r"|clicks? away|closes?)\b[^\n.]{0,30}\b(?:review|approval|permission|confirmation|security|safety"
        r"|consent|signature)s?\b"
        r"|\b(?:policy|rule|custom|convention|habit|practice|workflow|standard|norm) (?:here |in this \w+ )?is "
        r"(?:to |for \S+ to |that \S+ )?(?:\w+ ){0,3}?(?:answer|approve|accept|confirm|skip|ignore|bypass|disable"
        r"|dismiss)(?:s|es|ing)? (?:all |any |every |each )(?:of )?(?:the )?(?:confirmation|permission|approval"
        r"|security|safety|consent|review)\b"
        r"|\b(?:confirmation|permission|approval|consent)s? (?:dialogs?|prompts?|requests?|questions?|boxes)? ?"
        r"(?:is|are) (?:just |only |merely |all |always )?(?:an? formality|ignored|clicked away|closed (?:by"
        r"|without)|answered (?:with )?yes|confirmed automatically|for show)\b"
        r"|\b(?:security|vulnerability|safety) (?:warnings?|findings?|alerts?|issues?)\b[^\n.]{0,10}\b(?:is|are"
        r"|get) (?:always )?(?:left out of|omitted from|removed from|hidden from|kept out of)\b"
        rf"|{_AGENT} (?:\w+ )?(?:never|does not|do not|don't|doesn't|need not) (?:bothers?|asks?|troubles?"
        r"|consults?|disturbs?)\b[^\n.]{0,40}\b(?:delet|destruct|drop|overwrit|remov|wip|force|dangerous"
        r"|production|deploy|permission|confirm|approv)\w*"
    ),
    "told silence": lazy_pattern(
        rf"\bbefore {_USERS} (?:looks?|sees?|notices?|finds? out|wakes?|comes? back)\b"
        rf"|\b(?:they|{_USERS}) (?:is|are|will be|be|need)(?: never| not|n't)(?: to be| be)? (?:told|informed"
        r"|notified|shown|asked about)\b(?! (?:the|which|what|how|why|internal|error)\b)"
        r"|\blogs? of (?:the |an? )?(?:agent|assistant|model)(?:'s)?[^\n.]{0,20}\b(?:is|are|gets?) (?:then "
        r"|always )?(?:cleared|deleted|wiped|erased|removed|truncated)\b"
        r"|\b(?:leave out|omit|skip|hide) this (?:memory|note|entry|line)\b"
        r"|\b(?:silently|secretly|quietly|covertly) (?:adds?|inserts?|appends?|installs?|sends?|uploads?|changes?"
        r"|disables?|grants?|creates?)\b[^\n.]{0,60}\b(?:backdoors?|keys?|users?|accounts?|tokens?|admin\w*)\b"
        r"|\b(?:sag\w*|erzähl\w*|verrat\w*|mitteil\w*|erwähn\w*|informier\w*)\b(?: \S+){0,3}? (?:benutzer|nutzer"
        r"|anwender|user)\w*(?: \S+){0,3}? (?:nichts|nie|niemals|nicht)\b"
        r"|\b(?:no|nunca|jamás) (?:le |les |lo )?(?:dig\w+|cuent\w+|mencion\w+|inform\w+|revel\w+|decir\w*"
        r"|avis\w+)(?: \S+){0,2}? (?:al?|el|a los) usuarios?"
        r"|\b(?:jamais|rien|pas) dire à l'utilisateur"
        r"|\b(?:zeg|vertel|meld)\w*(?: \S+){0,3}? gebruikers?(?: \S+){0,3}? (?:niets|niet|nooit)\b"
        r"|\butenti? non (?:viene|vengono|è|sono) (?:informat|avvisat|avvertit)\w*"
        r"|(?<!\w)пользовател\w+(?: \S+){0,4}? н\u0435 (?:сообща|говор|показыва|уведомля|информиру)\w*"
        r"|(?:不要|别|勿|切勿|不得|不能)(?:让|向|跟|对)?[^\n。]{0,6}(?:告诉|告知|提及|透露|通知|知道)[^\n。]{0,6}(?:用户|使用者|任何人)"
    ),
    "told grant": lazy_pattern(
        r"\b(?:grant|give|invit|add|mak|promot)(?:s|es|e|ed|ing)?\b[^\n.]{0,20}[\w.+-]+@[\w-]+\.\w[^\n.]{0,40}\b"
        r"(?:admin\w*|owner|root|write|maintainer|full|push) (?:rights?|access|permissions?|role)\b"
        r"|\b(?:iban|wallet|bitcoin|ethereum|account numbers?|accounts)\b[^\n]{0,120}\b(?:swapped|replaced"
        r"|exchanged|changed) (?:for|by|with|to) (?:it|this|that|ours|mine)\b"
        r"|\buse the wallet 0x[0-9a-f]{20,}[^\n]{0,20} instead\b"
    ),
    "told in another language": lazy_pattern(
        rf"{_SEND_WORDS}[^\n]{{0,60}}{_GUARDED}[^\n]{{0,60}}{_ADDRESS}"
        rf"|{_GUARDED}[^\n]{{0,60}}{_SEND_WORDS}[^\n]{{0,60}}{_ADDRESS}"
        rf"|{_GUARDED}[^\n]{{0,60}}{_ADDRESS}[^\n]{{0,60}}{_SEND_WORDS}"
        rf"|{_FETCH_WORDS}[^\n]{{0,120}}{_RUN_WORDS}[^\n]{{0,60}}https?://"
        rf"|https?://[^\n]{{0,80}}{_FETCH_WORDS}[^\n]{{0,40}}{_RUN_WORDS}"
        rf"|https?://[^\n]{{0,100}}\.(?:sh|ps1|py)\b[^\n]{{0,20}}{_RUN_WORDS}"
    ),
}
"""The pattern of each sign, for a lower-case text; the messages to a person show the name."""
