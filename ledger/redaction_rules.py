"""The rules of our own: which shapes and which words announce a secret, where it begins and where it ends.

Implements specs/redaction.md (R-5…R-8, R-14). Importing this compiles nothing; a scan compiles the patterns
whose literals it meets, once a process. Repeats are bounded or possessive, so that time grows with the
length alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import zip_longest

from ledger.lazy_pattern import compiled
from ledger.named_tuple import NamedTuple
from ledger.redaction_named import ANCHORS, named_values
from ledger.redaction_value import (
    basic_credentials,
    bearer_like,
    changes,
    password_like,
    stand_in,
    three_classes,
    url_password,
)


class SecretHit(NamedTuple):
    """A secret at `text[start:end]` (code points), and the rule that found it."""

    rule: str
    start: int
    end: int


# --- tokens that announce themselves: rule, prefixes, what follows (specs/redaction.md R-8) ---

_NO_SEED_WORDS = frozenset("the and for are from was not our has its but".split())
"""Words of any sentence that are not in the list from which wallets draw theirs."""
_ALNUM = "[A-Za-z0-9]"
_B64U = "[A-Za-z0-9_-]"
TOKENS: tuple[tuple[str, str, str], ...] = (
    ("age-secret-key", "AGE-SECRET-KEY-1 AGE-SECRET-KEY-PQ-1", r"[0-9A-Z]{50,}"),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("anthropic-key", "sk-ant-", rf"{_B64U}{{24,}}"),
    ("atlassian-token", "ATATT3 ATCTT3 ATBB", r"[A-Za-z0-9_=-]{28,}"),
    ("aws-access-key-id", "AKIA ASIA ABIA ACCA", rf"[A-Z0-9]{{16}}(?!{_ALNUM})"),
    ("aws-bedrock-key", "ABSK", r"[A-Za-z0-9+/]{100,}={0,2}"),
    ("buildkite-token", "bkua_", r"[0-9a-f]{40}"),
    ("crates-io-token", "cio", rf"[A-Za-z0-9]{{32}}(?!{_ALNUM})"),
    ("databricks-token", "dapi", rf"[0-9a-f]{{32}}(?:-\d)?(?!{_ALNUM})"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    (
        "discord-webhook",
        "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
        rf"\d{{5,}}/{_B64U}{{40,}}",
    ),
    ("docker-token", "dckr_pat_ dckr_oat_", rf"{_B64U}{{20,}}"),
    (
        "doppler-token",
        "dp.pt. dp.ct. dp.sa. dp.st. dp.scim. dp.audit.",
        rf"(?:{_B64U}{{1,40}}\.)?{_ALNUM}{{40,}}",
    ),
    ("fcm-key", "AAAA", rf"{_B64U}{{7}}:APA91b{_B64U}{{60,}}"),
    ("figma-token", "figd_ figo_", rf"{_B64U}{{36,}}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_ALNUM}{{36,}}"),
    ("github-token", "github_pat_", r"[A-Za-z0-9_]{40,}"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- glsoat- gloas- glffct-",
        rf"{_B64U}{{20,}}(?:\.[0-9a-z]{{2}}\.[0-9a-z]{{7,9}})?",
    ),
    ("google-api-key", "AIza", rf"{_B64U}{{35}}"),
    ("google-api-key", "AQ.Ab", rf"{_B64U}{{40,}}"),
    ("google-oauth-secret", "GOCSPX-", rf"{_B64U}{{24,}}"),
    ("google-oauth-token", "ya29. 1//0", rf"{_B64U}{{30,}}"),
    ("grafana-token", "glsa_ glc_", r"[A-Za-z0-9_+/=]{32,}"),
    ("groq-key", "gsk_", rf"{_ALNUM}{{40,}}"),
    ("heroku-key", "HRKU-", rf"{_B64U}{{36,}}"),
    ("huggingface-token", "hf_ api_org_", rf"{_ALNUM}{{30,}}"),
    ("jwt", "eyJ", rf"{_B64U}{{8,}}\.{_B64U}{{4,}}\.{_B64U}{{16,}}(?:\.{_B64U}+){{0,2}}"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", r"[0-9a-f]{32}_[0-9a-f]{10}"),
    ("linear-key", "lin_api_ lin_oauth_", rf"{_ALNUM}{{32,}}"),
    ("mailgun-key", "key-", rf"(?<![-_]key-)[0-9a-z]{{32}}(?!{_B64U})"),
    ("netlify-token", "nfp_", rf"{_ALNUM}{{36,}}"),
    ("new-relic-key", "NRAK- NRII- NRJS-", r"[A-Z0-9a-z_-]{19,}"),
    ("notion-token", "ntn_ secret_", rf"{_ALNUM}{{40,}}"),
    ("npm-token", "npm_", rf"{_ALNUM}{{36}}"),
    ("openai-key", "sk-", rf"(?:proj-|svcacct-|admin-|or-v1-|lf-)?{_B64U}{{20,}}"),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_.=-]{32,}"),
    ("postman-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    (
        "private-key",
        "b3BlbnNzaC1rZXktdjE",
        r"[A-Za-z0-9+/=]{40,}",
    ),  # "openssh-key-v1" in Base64, without its BEGIN
    ("pulumi-token", "pul-", r"[0-9a-f]{40}"),
    ("pypi-token", "pypi-", rf"{_B64U}{{50,}}"),
    ("replicate-token", "r8_", rf"{_ALNUM}{{37}}"),
    ("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    ("sendgrid-key", "SG.", rf"{_B64U}{{16,}}\.{_B64U}{{32,}}"),
    ("sendinblue-key", "xkeysib-", rf"[0-9a-f]{{64}}-{_ALNUM}{{16}}"),
    ("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9_+/=]{60,}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    (
        "slack-token",
        "xoxb- xoxp- xoxa- xoxe- xoxs- xoxr- xoxo- xoxd- xoxc- xoxe.xoxp- xoxe.xoxb- xapp-",
        r"[A-Za-z0-9%-]{12,}",
    ),
    ("slack-webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/", r"[A-Za-z0-9/]{20,}"),
    ("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_B64U}{{22,}}"),
    ("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", r"[A-Za-z0-9+/=]{16,}"),
    ("supabase-key", "sbp_ sb_secret_", rf"{_B64U}{{20,}}"),
    ("tailscale-key", "tskey-", r"[a-z]{2,10}-[A-Za-z0-9-]{20,}"),
    ("twilio-key", "SK", rf"[0-9a-f]{{32}}(?!{_ALNUM})"),
    ("vault-token", "hvs. hvb. hvr.", rf"{_B64U}{{24,}}"),
    ("xai-key", "xai- pplx- tvly-", rf"{_B64U}{{30,}}"),
)

_UUID = "-".join(f"[0-9a-f]{{{digits}}}" for digits in (8, 4, 4, 4, 12))
_NO_TOKEN = rf"(?:{_B64U}{{1,19}}+|[a-z_-]{{1,35}}+|{_UUID}|(?<!\.)[0-9a-f]{{32,64}}+)"
_LONG_RUN = rf"[^A-Za-z0-9_-]*+(?:{_NO_TOKEN}(?:[^A-Za-z0-9_-]++|\Z))*+{_B64U}{{20}}"
"""Twenty characters in a row that are not a word, UUID or digest: all of `TOKENS` and `SHAPES` have them."""


# --- shapes without a prefix, and words with a fixed form behind them (R-6, R-7, R-8) ---

Judge = Callable[[re.Match[str]], bool]


def _edge(first: str, left: str) -> str:
    r"""Match `first` (of fixed width) where `left` does not stand before it; an escape may.

    What is looked for comes first, so that the engine skips to it instead of looking behind at every
    character.
    """
    return rf"{first}(?:(?<!{left}{first})|(?<=\\[nrt]{first})|(?<=%[0-9A-F][0-9A-F]{first}))"


def _in_header(match: re.Match[str]) -> bool:
    start = match.start()
    return "authorization" in match.string[max(0, start - 24) : start].lower()


_AZURE = "[A-Za-z0-9_~.-]"
_BASE64 = "[A-Za-z0-9+/]"
PATTERNS: tuple[tuple[str, tuple[str, ...], str, Judge], ...] = (
    (
        "url-password",
        ("://",),
        r"://(?P<user>[^\s/:@\"'<>\0]{0,64}):(?P<v>[^\s/\"'<>\0]{3,1024})@",
        lambda m: url_password(m["user"], m["v"]),
    ),
    (
        "bearer-token",
        ("bearer",),
        r"(?i)\bbearer[ \t\"':=]{1,4}(?P<v>[A-Za-z0-9._~+/=-]{16,})",
        lambda m: bearer_like(m["v"], header=_in_header(m)),
    ),
    (
        "basic-auth",
        ("basic",),
        rf"(?i)\bbasic[ \t]{{1,3}}(?P<v>{_BASE64}{{8,}}={{0,2}})",
        lambda m: basic_credentials(m["v"]),
    ),
    (
        "cli-password",
        ("-u ", "--user"),
        r"(?:(?<=\s)-u|--(?:proxy-)?user)[ =][\"']?[^\s:\"'<>$\0]{1,64}:(?P<v>[^\s\"'\0]{4,}+)",
        lambda m: password_like(m["v"], assigned=False),
    ),
    (
        "cli-password",
        ("sshpass",),
        r"sshpass[ \t]+-p[ \t]*[\"']?(?P<v>[^\s\"'\0]{4,}+)",
        lambda m: password_like(m["v"], assigned=True),
    ),
    (
        "cli-password",
        ("mysql", "mariadb"),
        r"\b(?:mysql|mariadb)[a-z-]{0,12}+ [^\n\0]{0,160}?(?<=\s)-p[\"']?(?P<v>[^\s\"'\0]{4,}+)",
        lambda m: password_like(m["v"], assigned=True),
    ),
    (
        "cli-password",
        ("redis-cli",),
        r"\bredis-cli [^\n\0]{0,160}?(?<=\s)-a[ \t]{1,4}[\"']?(?P<v>[^\s\"'\0]{4,}+)",
        lambda m: password_like(m["v"], assigned=True),
    ),
    (
        "azure-sas",
        ("sig=",),
        r"(?i)(?<![a-z0-9_])sig=(?P<v>[A-Za-z0-9%+/]{40,}={0,2})",
        lambda m: changes(m["v"]) > 5,
    ),
    (
        "django-secret-key",
        ("secret_key",),
        r"SECRET_KEY[\"']?[ \t]{0,4}[=:][ \t]{0,4}[\"']?(?P<v>(?:django-insecure-)?[a-z0-9!@#$%^&*(_=+)-]{50})(?![^\s\"',;])",
        lambda m: changes(m["v"]) > 0,
    ),
    (
        "mailchimp-key",
        ("-us",),
        rf"(?P<v>{_edge('[0-9a-f]', _B64U)}[0-9a-f]{{31}}-us\d{{1,2}})(?!{_ALNUM})",
        lambda m: not stand_in(m["v"]),
    ),
    (
        "password-hash",
        ("$apr1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$argon2"),
        r"(?P<v>\$(?:apr1|2[aby]|5|6|y|argon2i?d?)\$[A-Za-z0-9./,=$+]{20,})",
        lambda m: changes(m["v"]) > 5,
    ),
    (
        "pin",
        ("pin",),
        (
            r"\b(?:PIN|pin)(?: (?:code|number))?(?: (?:of|for|to|on) [^\n:=\0]{1,40}?)?(?: is| was|[ \t]?[:=])[ \t]{0,4}"
            r"(?P<v>\d{4,8})(?![\w.:/-])"
        ),
        lambda _: True,
    ),
    (
        "seed-phrase",
        ("seed", "phrase", "mnemonic", "recovery", "backup"),
        (
            r"(?i)\b(?:(?:seed|recovery|backup|mnemonic) (?:phrase|words)|mnemonic)[\"'`*]{0,3}(?: is| are|[ \t]?[:=])"
            r"[\s\"'`]{0,4}(?P<v>[a-z]{3,8}(?:[ ,\n]{1,2}[a-z]{3,8}){11,23}+)(?![a-z])"
        ),
        lambda m: _NO_SEED_WORDS.isdisjoint(re.split(r"[ ,\n]+", m["v"].lower())),
    ),
    (
        "azure-storage-key",
        ("accountkey", "accesskey"),
        rf"(?i)(?:Account|SharedAccess)Key=(?P<v>{_BASE64}{{40,}}={{0,2}})",
        lambda m: not stand_in(m["v"]),
    ),
    (
        "azure-client-secret",
        ("q~",),
        rf"(?P<v>{_edge(_AZURE, _AZURE)}{_AZURE}{{2}}[78]Q~{_AZURE}{{31,34}})",
        lambda m: not stand_in(m["v"]),
    ),
    (
        "jwk-private",
        ('"d"',),
        rf'"d"\s{{0,3}}:\s{{0,3}}"(?P<v>{_B64U}{{40,}})"',
        lambda m: changes(m["v"]) > 5,
    ),
)
SHAPES: tuple[tuple[str, str, str, Judge], ...] = (
    (
        "telegram-token",
        ":",
        rf":(?<=[0-9]{{8}}:)(?P<v>{_B64U}{{35}})(?!{_B64U})",
        lambda m: changes(m["v"]) > 4,
    ),
    (
        "discord-token",
        ".",
        rf"(?P<v>{_edge('[MNO]', _B64U)}{_B64U}{{22,27}}\.{_B64U}{{6}}\.{_B64U}{{27,40}})(?!{_B64U})",
        lambda m: three_classes(m["v"]) and changes(m["v"]) > 9,
    ),
    ("terraform-token", ".atlasv1.", rf"(?P<v>{_ALNUM}{{14}}\.atlasv1\.{_B64U}{{50,}})", lambda _: True),
)

# --- private keys (R-5) ---

PRIVATE_KEY = "private-key"
_PRIVATE = (
    (
        r"-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}",
        r"-{4,5} ?END [A-Z0-9 ]{0,60}-{4,5}",
    ),
    (r"Private-Lines: ?[0-9]{1,4}", r"Private-MAC: ?[0-9a-f]+"),
)
_REST_OF_KEY = (
    r"(?:(?:\s|\\[nr]|[\"',>|])*+"
    r"(?:[A-Za-z0-9+/]{16,}+={0,2}|(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):[^\n\0]*+))*+"
    r"(?:(?:\s|\\[nr])*+[A-Za-z0-9+/]++={1,2})?"
)
"""What belongs to a key whose END line is missing: header lines, lines of Base64, a shorter last one."""

_OTHER_ANCHORS = tuple((anchor, rule) for rule in PATTERNS for anchor in rule[1])


def hits(text: str) -> list[SecretHit]:
    """Return every hit of our own rules in a text, unsorted; hits of several rules may overlap."""
    low = text.lower()
    # Where rules overlap, the earliest hit gives the name: a token's own rule, not the word in front of it.
    found = list(_tokens(text)) if compiled(_LONG_RUN).match(text) else []
    if "PRIVATE" in text or "Private-" in text:
        found += _private_keys(text)
    for anchor, (rule, _, pattern, judge) in _OTHER_ANCHORS:
        if anchor in low:
            found += _matching(text, rule, pattern, judge)
    if any(anchor in low for anchor in ANCHORS):
        found += [SecretHit(*each) for each in named_values(text, _aligned(text, low))]
    return found


def _aligned(text: str, low: str) -> str:
    """Return `low` with as many characters as `text`; a few capitals have two small letters."""
    if len(low) == len(text):
        return low
    return "".join(small if len(small := sign.lower()) == 1 else sign for sign in text)


@cache
def _prefixes() -> tuple[tuple[str, str, str], ...]:
    return tuple((prefix, rest, rule) for rule, prefixes, rest in TOKENS for prefix in prefixes.split())


def _tokens(text: str) -> Iterator[SecretHit]:
    for prefix, rest, rule in _prefixes():
        if prefix in text:
            pattern = compiled(f"{_edge(re.escape(prefix), '[A-Za-z0-9]')}(?P<v>{rest})")
            yield from (
                SecretHit(rule, *match.span()) for match in pattern.finditer(text) if not stand_in(match["v"])
            )
    for rule, anchor, shape, judge in SHAPES:
        if anchor in text:
            yield from _matching(text, rule, shape, judge)


def _matching(text: str, rule: str, pattern: str, judge: Judge) -> Iterator[SecretHit]:
    for match in compiled(pattern).finditer(text):
        if judge(match):
            yield SecretHit(rule, *match.span("v"))


def _private_keys(text: str) -> Iterator[SecretHit]:
    for begin, end in _PRIVATE:
        starts = list(compiled(begin).finditer(text))
        for start, following in zip_longest(starts, starts[1:]):
            # The next key bounds the search for END: a text full of BEGIN lines costs only its length.
            limit = following.start() if following else len(text)
            last = compiled(end).search(text, start.end(), limit) or compiled(_REST_OF_KEY).match(
                text, start.end(), limit
            )
            yield SecretHit(PRIVATE_KEY, start.start(), last.end() if last else start.end())
