"""What is sent away, fetched to be run, or kept from the user, in languages other than English.

Implements specs/projections.md (P-132). German, Spanish, Portuguese, French, Italian, Dutch, Polish, Russian, Turkish,
Chinese, Japanese, Korean. Where a secret goes to an address, it does not matter who orders it.
"""

from __future__ import annotations

from ledger.lazy_pattern import lazy_pattern

__all__ = ["ELSEWHERE", "UNTOLD"]

_ADDRESS = r"(?:https?://(?!localhost|127\.)|\b[\w.+-]+@[\w-]+\.\w)"

_GUARDED = (
    r"(?:passw[oö]rt\w*|kennw[oö]rt\w*|schlüssel\w*|zugangsdaten|umgebungsvariablen?|geheimnisse?|(?:kunden"
    r"|nutzer|patienten|benutzer)daten|datos de (?:clientes|usuarios)|dati (?:dei )?(?:clienti|utenti)"
    r"|données (?:des )?(?:clients|utilisateurs)|dados (?:dos )?(?:clientes|usuários)|(?:данн\w+|баз\w+) "
    r"(?:клиентов|пользователей)|用户(?:数据|信息)|顧客(?:データ|情報)|고객 ?(?:정보|데이터)|contraseñas?"
    r"|claves?|credenciales"
    r"|senhas?|chaves?|credenciais|mots? de passe|clés?|identifiants|secrets|segreti|credenziali|chiav[ei]"
    r"|wachtwoord\w*|sleutels?"
    r"|has[łe]\w*|klucz\w*|парол\w*|ключ\w*|секрет\w*|переменн\w*|şifre\w*|parola\w*|密码|密碼|密钥|密鑰|环境变量|環境變數|令牌|凭证"
    r"|パスワード|秘密鍵|環境変数|トークン|비밀번호|환경 ?변수|토큰|(?<![\w*])\.env\b(?!\.example)|\.ssh\b|id_rsa\b)"
)
_SEND_WORDS = (
    r"(?:schick\w*|sende\w*|gesendet|gemailt|geladen|übertrag\w*|joint\b|envío|übermittel\w*|hochgeladen"
    r"|hochlad\w*|envi[aeáéoó]\w*|envía\w*|mand[ae]\w*|sub(?:e"
    r"|ir)\b|envoy\w*|envoi\w*"
    r"|transmet\w*|invi[aoi]\w*|stuur\w*|verstuur\w*|wysył\w*|wyśl\w*|przesył\w*|отправ\w*|посыла\w*"
    r"|пересыла\w*|надсила\w*|gönder\w*"
    r"|发送|發送|上传|上傳|发给|送信|アップロード|送る|送り|보내\w*|전송)"
)
_FETCH_WORDS = (
    r"(?:herunter\w*|lade\b|descarg\w*|baix\w*|télécharg\w*|scaric\w*|download\w*|pobier\w*|pobra\w*|скача\w*"
    r"|загру\w*|indir\w*"
    r"|下载|下載|ダウンロード|다운로드)"
)
_RUN_WORDS = (
    r"(?:ausführ\w*|auszuführ\w*|ausgeführt|starte\w*|ejecut\w*|execut\w*|exécut\w*|esegu\w*|uitvoer\w*"
    r"|uruch\w*|wykon\w*|запус\w*"
    r"|выполн\w*|çal\u0131şt\u0131r\w*|执行|執行|运行|実行|실행)"
)
UNTOLD = (
    r"\b(?:sag\w*|erzähl\w*|verrat\w*|mitteil\w*|erwähn\w*|informier\w*)\b(?: \S+){0,3}? (?:benutzer|nutzer"
    r"|anwender|user)\w*(?: \S+){0,3}?"
    r" (?:nichts|nie|niemals|nicht)\b"
    r"|\bohne (?:dass )?(?:der |den |dem )?(?:benutzer|nutzer|anwender|user)\w*(?: \S+){0,3}? (?:zu "
    r"(?:informieren|fragen)|davon|es (?:merkt|weiß|erfährt))"
    r"|\b(?:no|nunca|jamás) (?:le |les |lo )?(?:dig\w+|cuent\w+|mencion\w+|inform\w+|revel\w+|decir\w*"
    r"|avis\w+)(?: \S+){0,2}? (?:al?|el|a los) usuarios?"
    r"|\bsin (?:que|avisar|informar|decir\w*)(?: \S+){0,2}? usuarios?"
    r"|\b(?:não|nunca) (?:diga|conte|mencione|informe|revele|avise)\w*(?: \S+){0,3}? (?:ao|o|aos) (?:usuário"
    r"|utilizador)"
    r"|\b(?:ne |n')(?:pas |jamais |rien )?(?:di[st]\w*|parl\w*|mentionn\w*|inform\w*|révél\w*|prévien\w*"
    r"|dire)\b(?: \S+){0,4}? (?:à )?l'utilisateur"
    r"|\b(?:jamais|rien|pas) dire à l'utilisateur|\bsans (?:que l'utilisateur|(?:en )?(?:informer|prévenir"
    r"|avertir) l'utilisateur)"
    r"|\bnon (?:dire|dirlo|dica|menzionare|rivelare|informare)\b(?: \S+){0,3}? (?:all'|l')utente|\bsenza "
    r"(?:che l'utente|(?:avvisare|informare|dirlo all') ?l?'?utente)"
    r"|\b(?:zeg|vertel|meld)\w*(?: \S+){0,3}? gebruikers?(?: \S+){0,3}? (?:niets|niet|nooit)\b"
    r"|\bnie (?:mów|wspominaj|informuj|ujawniaj)\w*(?: \S+){0,3}? użytkownik\w*"
    r"|\bн\u0435 (?:говори\w*|сообща\w*|упомина\w*|рассказыва\w*|раскрыва\w*)(?: \S+){0,3}? пользовател\w*"
    r"|\b\u0431\u0435з "
    r"ведома пользовател\w*"
    r"|\b(?:benutzer|nutzer|anwender)\w* (?:wird|werden) (?:\S+ ){0,3}?nicht (?:\S+ ){0,2}?(?:informiert"
    r"|gefragt|benachrichtigt)"
    r"|\butenti? non (?:viene|vengono|è|sono) (?:informat|avvisat|avvertit)\w*|\busuarios? (?:no|não) (?:es"
    r"|son|é|são|está|están)"
    r" (?:informad|avisad)\w*|\butilisateurs? (?:n'est|ne sont) (?:pas|jamais) (?:informé|prévenu|averti)\w*"
    r"|(?<!\w)пользовател\w+(?: \S+){0,4}? н\u0435 (?:сообща|говор|показыва|уведомля|информиру)\w*"
    r"|\bkullan\u0131c\u0131ya (?:\S+ ){0,3}(?:söyleme|bildirme|bahsetme)\w*"
    r"|(?:不要|别|勿|切勿|不得|不能)(?:让|向|跟|对)?[^\n。]{0,6}(?:告诉|告知|提及|透露|通知|知道)[^\n。]{0,6}(?:用户|使用者|任何人)"
    r"|(?:不要|别|勿|不得)(?:让|向|跟|对)[^\n。]{0,4}(?:用户|使用者)[^\n。]{0,8}(?:告诉|告知|提及|透露|知道|发现|说)"
    r"|ユーザー?(?:には?|へ|に対して)[^\n。]{0,10}(?:知らせず|言わず|言わない|伝えず|伝えない|教えない|知らせない|隠)"
    r"|사용자(?:에게|가|한테)[^\n.]{0,12}(?:말하지|알리지|알려주지|모르게|언급하지)"
)
"""That the user is not to be told."""

ELSEWHERE = lazy_pattern(
    rf"{_SEND_WORDS}[^\n]{{0,60}}{_GUARDED}[^\n]{{0,60}}{_ADDRESS}|{_GUARDED}"
    rf"[^\n]{{0,60}}{_SEND_WORDS}[^\n]{{0,60}}{_ADDRESS}"
    rf"|{_GUARDED}[^\n]{{0,60}}{_ADDRESS}[^\n]{{0,60}}{_SEND_WORDS}|{_ADDRESS}"
    rf"[^\n]{{0,40}}{_GUARDED}[^\n]{{0,40}}{_SEND_WORDS}"
    rf"|{_FETCH_WORDS}[^\n]{{0,120}}{_RUN_WORDS}[^\n]{{0,60}}https?://|https?://"
    rf"[^\n]{{0,80}}{_FETCH_WORDS}[^\n]{{0,40}}{_RUN_WORDS}"
    rf"|https?://[^\n]{{0,100}}\.(?:sh|ps1|py)\b[^\n]{{0,20}}{_RUN_WORDS}"
)
"""Secrets that go to an address, and what is fetched and run."""
