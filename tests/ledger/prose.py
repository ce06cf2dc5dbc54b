"""Ten thousand and more lines of ordinary technical notes, full of words and shapes that secrets also have.

The lines are made when a test asks for them: sentences of our own, filled from a seed. None holds a secret;
many hold what looks like one from afar: digests, ids, image data, placeholders, "password" inside a thought.
"""

from __future__ import annotations

import base64
import random
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from tests.ledger.near_misses import NEAR_MISSES

TEMPLATES = """\
We use {tool}, not {tool2}, in {repo}; the lock file is committed.
{tool} {ver} broke {ident}; stay on {ver2} until {date}.
{person} prefers {style} in {lang} code, and says so in every review.
Decision {date}: {repo} moves from {tool} to {tool2} before {quarter}.
Run `{cmd}` before every commit; CI does the same on {host}:{port}.
Fixed in {sha7}: {ident} returned {n} rows instead of {n2}.
Commit {sha} reverts {sha7} because {ident} lost its index.
The release was built from {sha} and signed on {date}.
image: {img}@sha256:{hex64}
{img}:{ver} has digest sha256:{hex64}
sha256 of the archive: {hex64}
md5: {hex32}  {path}
ETag: "{hex32}"
blob {sha} {path}
request id {uuid} failed with {status} after {dur}
trace_id={hex32} span_id={hex16} took {dur}
Session {uuid} ended at {ts}; {n} tool calls.
conversation {uuid}, message {uuid}
X-Request-Id: {uuid}
The build {uuid} was cancelled by {person}.
{path}:{n}: {ident} is never used
Moved {path} to {path2}; imports updated.
See {url} for the {topic} guide.
{url} answers {status} when {ident} is missing.
The {service} service listens on {host}:{port}; health is at {url}.
{service} talks to {service2} over http://{host}:{port}/v{d}/{word}.
logo: data:image/png;base64,{b64}
![chart](data:image/svg+xml;base64,{b64})
favicon is inlined as {b64}
integrity="sha512-{b64hash}"
"integrity": "sha512-{b64hash}",
{tool}@{ver} integrity sha512-{b64hash}
{const} defaults to {n}; set it in {path}.
export {const}={n}
{const}={path}
{const}=${{{const2}}}
{ident}({word}, {word2}) raises {exc} when {word} is empty.
`{ident}` is slow: {dur} for {n} rows, {dur2} after the index.
Timeout is {dur}; retries: {d}; backoff {dur2}.
{person} owns {service}; ask in #{word}-{word2} before {date}.
Meeting {ts}: {person} and {person2} agreed on {topic}.
[ ] {topic}: write the {word} test for {ident}
- {topic} ({date}): {n} of {n2} cases pass
| {ident} | {n} | {dur} | {ver} |
{date} {service} {ver} deployed to {env}, {n} pods, {dur}
{ts} INFO {service} {ident} took {dur} for {uuid}
{ts} WARN {service2} retry {d} of {n}: {exc}
error: {exc} at {path}:{n} in {ident}
{lang} {ver} needs {tool} {ver2} or newer
The password reset mail is sent by {service} within {dur}.
The {service} password is {adjective}.
password is {adjective} in {env}
password: {adjective}
The password for {service} is {adjective}; {person} knows more.
Password policy of {env}: at least {d2} characters, changed after {dur}.
{person} forgot the password of {env}; {service} sent a reset link on {date}.
The password field is called {ident} in {path}.
{const}_PASSWORD is read from {path}.
{const}_PASSWORD=${{{const}_PASSWORD}}
{const}_PASSWORD=<password>
{const}_PASSWORD=changeme
{word}_password: {placeholder}
The token for {service} is {adjective}.
token: {adjective}
my token is {adjective} since {date}
The token expires after {dur}; {service} refreshes it {dur2} before.
{service} checks the bearer token in {ident}.
Bearer tokens of {service} are JWTs signed with {alg}.
The auth token of {service} lives in {path}.
token count is {n}, budget is {n2}
{ident} counts tokens with {tokenizer}: {n} for {path}
{const}_TOKEN is set in {env} only.
{const}_TOKEN={placeholder}
{const}_API_KEY={placeholder}
{word}_api_key: {placeholder}
"{word}_secret": "{placeholder}"
The API key of {service} is {adjective}.
api key: {adjective}
API key for {service}: ask {person}
The secret of {service} is {adjective}, mounted at {path}.
secret: {adjective}
secrets live in {path}, one file a service
{service} signs with {alg}; the key is {adjective}.
key: {hex32}
cache key {hex32} expired after {dur}
primary key is ({ident}, {ident2})
idempotency key: {uuid}
partition_key={word}-{n}
The {word} key is {uuid}
Basic {topic} works; advanced {word} comes in {quarter}.
basic auth is {adjective} for {service}
credentials are {adjective} in {env}
credentials: {adjective}
{service2}://{word}:{port}/{word2}
postgres://{word}:password@{host}:{port}/{word2}
postgres://{word}:${{{const}}}@{host}:{port}/{word2}
redis://{host}:{port}/{d}
git clone git@{host}:{word}/{repo}.git
ssh {word}@{host} -p {port}
pass {n} of {n2}: {topic}
the {word} pass takes {dur}
{n} tests pass, {d} fail, {d2} are skipped in {path}
pwd: {path}
{person} pairs with {person2} on {topic} every {weekday}.
Never {verb} {ident} in {env}: it takes {dur}.
Always {verb} {path} first, then {path2}.
When {ident} fails with {exc}, {verb} {service} and try again.
{lang}: {style}; {lang2}: the formatter decides
ADR-{n4}: {topic} is done by {service}, not by {service2}
PR #{n} ({sha7}) by {person}: {topic}
Issue {repo}#{n}: {exc} on {env} after {ver}
Cron runs {ident} at {clock} UTC; it takes {dur}.
The index {ident} has {n} rows and {n2} MiB.
{service} uses {alg} for {topic} and {alg2} for {word}.
Model {model} answers in {dur}; {model2} costs less.
{person}: "{verb} {word} before {weekday}, not after"
{topic} costs {n} tokens a turn, {n2} a day
Account {n12} is {env}; region is {region}
arn:aws:iam::{n12}:role/{word}-{word2}
bucket {word}-{word2}-{n} in {region} holds the {topic} archive
fingerprint SHA256:{b64fp}
public key fingerprint is SHA256:{b64fp}
ssh host key of {host}: SHA256:{b64fp}
cluster {hex16} node {ident} kernel {ver}
\tindent of {d} spaces in {lang}; {style}
{word}={n}&{word2}={n2}&page={d}
{url}?{word}={n}&id={uuid}
pnpm store is at {path}; {n} packages
UUID of the disk is {uuid}, label {word}
version {ver}+build.{n}.{sha7}
""".splitlines()

WORDS: dict[str, str] = {
    "tool": (
        "pnpm npm uv pip poetry hatch ruff black mypy pytest vitest jest eslint biome "
        "cargo bazel make just docker podman"
    ),
    "lang": "Python TypeScript Go Rust Kotlin Swift Ruby SQL Bash Java C++ Elixir",
    "person": (
        "Ana Bo Chen Dilip Esra Farid Gwen Hana Ivo Jun Kofi Lena Mira Noor Otto Pia Quinn Rosa Sven Tomas"
    ),
    "env": "staging production dev preview test canary eu-prod us-prod sandbox",
    "service": (
        "gateway billing auth search mailer ingest worker scheduler notifier reports "
        "ledger indexer proxy exporter"
    ),
    "repo": ("web-app infra-live data-tools mobile-client design-system api-server docs-site ml-jobs"),
    "word": (
        "orders users invoices sessions events metrics cache queue retry index schema "
        "report backup import export audit"
    ),
    "img": "registry.example.org/gateway ghcr.io/org/worker python node postgres alpine",
    "alg": (
        "ES256 RS256 HS256 EdDSA AES-256-GCM ChaCha20-Poly1305 SHA-256 BLAKE3 Ed25519 argon2id bcrypt X25519"
    ),
    "tokenizer": "cl100k_base o200k_base tiktoken sentencepiece",
    "model": (
        "claude-sonnet-4-5 gpt-4o-2024-08-06 gemini-2.5-pro llama-3.1-70b "
        "text-embedding-3-large qwen2.5-coder"
    ),
    "region": "us-east-1 eu-west-1 eu-central-1 ap-southeast-2",
    "weekday": "Monday Tuesday Wednesday Thursday Friday",
    "quarter": "Q1 Q2 Q3 Q4",
    "status": "200 201 204 301 400 401 403 404 409 422 429 500 502 503",
    "exc": (
        "KeyError ValueError TimeoutError ConnectionResetError ENOSPC EACCES SQLITE_BUSY NullPointerException"
    ),
    "verb": ("restart rebuild migrate drop truncate deploy rotate lint mock rebase squash cache"),
    "placeholder": (
        "YOUR_KEY xxxx xxxxxxxxxxxxxxxx <token> ${TOKEN} *** changeme example "
        "<your-key-here> $TOKEN {{token}} ... your-api-key-here REPLACE_ME placeholder "
        "null none redacted"
    ),
}
PHRASES: dict[str, tuple[str, ...]] = {
    "adjective": (
        "required",
        "optional",
        "stored hashed",
        "kept in the vault",
        "rotated every 90d",
        "read from the environment",
        "in 1Password",
        "checked twice",
        "not logged",
        "empty on dev",
        "an opaque string",
        "a UUIDv4",
        "issued by Auth0",
        "valid for 24h",
        "only valid until 2027-01-31",
        "SHA256-hashed",
        "the one from the runbook",
        "encrypted with AES-256-GCM",
        "expired",
        "missing in CI",
        "wrong",
        "being migrated to OAuth2",
        "base64url encoded",
        "different on each host",
    ),
    "topic": (
        "pagination",
        "error handling",
        "schema migration",
        "password reset",
        "token refresh",
        "secret rotation",
        "key management",
        "rate limiting",
        "connection pooling",
        "code review",
        "feature flags",
        "incident review",
        "load testing",
        "access control",
        "full-text search",
    ),
    "style": (
        "tabs",
        "two spaces",
        "early returns",
        "named exports",
        "small functions",
        "no comments that retell code",
        "type hints everywhere",
        "single quotes",
    ),
    "cmd": (
        "make test",
        "npm run lint",
        "uv run pytest -q",
        "cargo clippy",
        "just check",
        "pre-commit run -a",
    ),
}


def _hex(rng: random.Random, digits: int) -> str:
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def _base64(rng: random.Random, size: int) -> str:
    return base64.b64encode(rng.randbytes(size)).decode()


def _path(rng: random.Random) -> str:
    folder = rng.choice(
        ("src", "docs", "tests", "apps/web", "packages/core", "/srv/app2", "/etc/gateway", "infra/k8s")
    )
    name = "/".join(_pick(rng, "word") for _ in range(rng.randint(1, 3)))
    return f"{folder}/{name}{rng.choice(('.py', '.ts', '.md', '.toml', '_v2.sql', '-2024.yaml', ''))}"


def _identifier(rng: random.Random) -> str:
    first, second = _pick(rng, "word"), _pick(rng, "verb")
    shapes = (
        f"{second}_{first}",
        f"{second}{first.title()}",
        f"{first}V2",
        f"{first}_{second}_{rng.randint(1, 9)}",
    )
    return rng.choice((*shapes, f"{first.title()}{second.title()}Handler", f"{first}.{second}_all"))


def _pick(rng: random.Random, slot: str) -> str:
    return rng.choice(WORDS[slot].split())


def _stamp(rng: random.Random) -> str:
    moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=rng.randrange(31_536_000_000_000))
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _url(rng: random.Random) -> str:
    host = f"{_pick(rng, 'service')}.example.org:{rng.randint(1024, 9999)}"
    return f"https://{host}/{_pick(rng, 'word')}/{_hex(rng, 8)}"


MADE: dict[str, Callable[[random.Random], str]] = {
    "sha": lambda rng: _hex(rng, 40),
    "sha7": lambda rng: _hex(rng, rng.choice((7, 8, 12))),
    "hex16": lambda rng: _hex(rng, 16),
    "hex32": lambda rng: _hex(rng, 32),
    "hex64": lambda rng: _hex(rng, 64),
    "uuid": lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    "b64": lambda rng: _base64(rng, rng.randint(30, 120)),
    "b64hash": lambda rng: _base64(rng, 64),
    "b64fp": lambda rng: _base64(rng, 32).rstrip("="),
    "path": _path,
    "ident": _identifier,
    "const": lambda rng: f"{_pick(rng, 'word')}_{_pick(rng, 'verb')}".upper(),
    "ver": lambda rng: f"{rng.randint(0, 24)}.{rng.randint(0, 30)}.{rng.randint(0, 20)}",
    "n": lambda rng: str(rng.randint(2, 99999)),
    "n4": lambda rng: f"{rng.randint(1, 400):04}",
    "n12": lambda rng: f"{rng.randrange(10**12):012}",
    "d": lambda rng: str(rng.randint(1, 9)),
    "port": lambda rng: str(rng.randint(1024, 65535)),
    "host": lambda rng: rng.choice(
        ("localhost", "127.0.0.1", "db", "10.0.3.17", f"node{rng.randint(1, 40)}.example.org")
    ),
    "url": _url,
    "dur": lambda rng: f"{rng.randint(1, 900)}{rng.choice(('ms', 's', 'min', 'h', 'd', ' days'))}",
    "date": lambda rng: _stamp(rng)[:10],
    "clock": lambda rng: _stamp(rng)[11:16],
    "ts": _stamp,
}


class _Slots(dict[str, str]):
    """Fills each slot of a template when it is asked for; `word2` is another word."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self._rng = rng

    def __missing__(self, slot: str) -> str:
        kind = slot if slot in MADE else slot.rstrip("0123456789")
        if kind in MADE:
            return MADE[kind](self._rng)
        return self._rng.choice(PHRASES[kind]) if kind in PHRASES else _pick(self._rng, kind)


def lines(count: int, seed: int = 20261120) -> Iterator[str]:
    """Yield `count` distinct lines, the near misses first; the same seed gives the same lines."""
    rng = random.Random(seed)
    seen: dict[str, None] = dict.fromkeys(NEAR_MISSES)
    while len(seen) < count:
        seen[rng.choice(TEMPLATES).format_map(_Slots(rng))] = None
    yield from list(seen)[:count]
