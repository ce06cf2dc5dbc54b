"""Well-formed secrets that open nothing, made at run time from a seed, so that the repository stores none.

Each kind follows what its provider publishes or what its real tokens show: alphabet, length, and the checksum
where the kind has one. Prefixes are written in two parts, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import random
import string
import struct
import uuid
import zlib
from collections.abc import Callable
from functools import cache

from nacl.signing import SigningKey

_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_BASE64URL = _BASE62 + "-_"
_BASE32 = string.ascii_uppercase + "234567"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_LOWER = string.digits + string.ascii_lowercase

Rng = random.Random


def _of(rng: Rng, alphabet: str, count: int) -> str:
    return "".join(rng.choices(alphabet, k=count))


def _hex(rng: Rng, digits: int) -> str:
    return _of(rng, "0123456789abcdef", digits)


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _b64u(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _base62(number: int, width: int) -> str:
    digits = ""
    while number:
        number, rest = divmod(number, 62)
        digits = _BASE62[rest] + digits
    return digits.rjust(width, "0")


def _with_crc(prefix: str, rng: Rng) -> str:
    """30 random characters and their CRC-32 in Base62: GitHub's format since 2021, and npm's."""
    body = _of(rng, _BASE62, 30)
    return prefix + body + _base62(zlib.crc32(body.encode()), 6)


def _bech32(prefix: str, data: bytes) -> str:
    """BIP 173, as age writes its identities."""
    bits = "".join(f"{byte:08b}" for byte in data)
    words = [int(bits[at : at + 5].ljust(5, "0"), 2) for at in range(0, len(bits), 5)]
    check = 1
    expanded = [ord(sign) >> 5 for sign in prefix] + [0] + [ord(sign) & 31 for sign in prefix]
    for value in [*expanded, *words, *[0] * 6]:
        top = check >> 25
        check = (check & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            check ^= generator if top >> bit & 1 else 0
    words += [(check ^ 1) >> 5 * (5 - at) & 31 for at in range(6)]
    return prefix + "1" + "".join(_BECH32[word] for word in words)


def _jwt(rng: Rng) -> str:
    head = _b64u(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    body = _b64u(
        json.dumps({"sub": str(rng.randrange(10**9)), "iat": rng.randrange(10**9, 2 * 10**9)}).encode()
    )
    mac = hmac.digest(rng.randbytes(32), f"{head}.{body}".encode(), hashlib.sha256)
    return f"{head}.{body}.{_b64u(mac)}"


def _armoured(label: str, data: bytes, *, headers: str = "", checksum: str = "") -> str:
    text = _b64(data)
    rows = "\n".join(text[at : at + 64] for at in range(0, len(text), 64))
    tail = f"\n{checksum}" if checksum else ""
    return f"-----{'BEGIN'} {label}-----\n{headers}{rows}{tail}\n-----{'END'} {label}-----"


def _der(rng: Rng, sizes: tuple[int, ...]) -> bytes:
    """Encode a sequence of random integers: what RSA, DSA and EC keys look like from outside."""
    items = b"\2\1\0"
    for size in sizes:
        number = b"\x7f" + rng.randbytes(size - 1)
        items += b"\2\x82" + struct.pack(">H", size) + number
    return b"\x30\x82" + struct.pack(">H", len(items)) + items


_RSA = (257, 3, 256, 129, 129, 129, 129, 128)
_LABEL = "PRIVATE" + " KEY"


def _rsa_key(rng: Rng) -> str:
    return _armoured(f"RSA {_LABEL}", _der(rng, _RSA))


def _rsa_key_with_passphrase(rng: Rng) -> str:
    headers = f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,{_hex(rng, 32).upper()}\n\n"
    return _armoured(f"RSA {_LABEL}", rng.randbytes(1200), headers=headers)


def _dsa_key(rng: Rng) -> str:
    return _armoured(f"DSA {_LABEL}", _der(rng, (129, 21, 128, 128, 20)))


def _ec_key(rng: Rng) -> str:
    curve = bytes.fromhex("a00a06082a8648ce3d030107")
    return _armoured(f"EC {_LABEL}", b"\x30\x31\x02\x01\x01\x04\x20" + rng.randbytes(32) + curve)


def _pkcs8_key(rng: Rng) -> str:
    return _armoured(_LABEL, bytes.fromhex("302e020100300506032b657004220420") + rng.randbytes(32))


def _encrypted_pkcs8_key(rng: Rng) -> str:
    return _armoured(f"ENCRYPTED {_LABEL}", _der(rng, (200, 100)))


def _openssh_key(rng: Rng) -> str:
    seed = rng.randbytes(32)
    public = bytes(SigningKey(seed).verify_key)

    def wire(*fields: bytes) -> bytes:
        return b"".join(struct.pack(">I", len(each)) + each for each in fields)

    check = rng.randbytes(4)
    secret = check + check + wire(b"ssh-ed25519", public, seed + public, b"") + bytes(range(1, 6))
    outer = wire(b"none", b"none", b"") + b"\0\0\0\1" + wire(wire(b"ssh-ed25519", public), secret)
    return _armoured(f"OPENSSH {_LABEL}", b"openssh-key-v1\0" + outer)


def _pgp_key(rng: Rng) -> str:
    data = rng.randbytes(500)
    check = 0xB704CE  # RFC 9580, section 6.1
    for byte in data:
        check ^= byte << 16
        for _ in range(8):
            check = check << 1 ^ (0x1864CFB if check & 0x800000 else 0)
    line = "=" + _b64((check & 0xFFFFFF).to_bytes(3, "big"))
    return _armoured(f"PGP {_LABEL} BLOCK", data, headers="Version: Test 1\n\n", checksum=line)


def _putty_key(rng: Rng) -> str:
    rows = "\n".join(_b64(rng.randbytes(48)) for _ in range(3))
    return (
        f"PuTTY-User-Key-File-3: ssh-ed25519\n{'Private'}-Lines: 3\n{rows}\n{'Private'}-MAC: {_hex(rng, 64)}"
    )


def _password(rng: Rng) -> str:
    return (
        _of(rng, string.ascii_letters, 5)
        + _of(rng, string.digits, 3)
        + _of(rng, "!#%^*", 1)
        + _of(rng, _BASE62, 4)
    )


def _slack(rng: Rng) -> str:
    team, bot = rng.randrange(10**11, 10**12), rng.randrange(10**12, 10**13)
    return f"xo{'xb'}-{team}-{bot}-{_of(rng, _BASE62, 24)}"


def _slack_webhook(rng: Rng) -> str:
    ids = f"T{_of(rng, _BASE32, 8)}/B{_of(rng, _BASE32, 10)}/{_of(rng, _BASE62, 24)}"
    return f"https://hooks.{'slack'}.com/services/{ids}"


def _discord(rng: Rng) -> str:
    user = str(rng.randrange(10**17, 10**18)).encode()
    return f"{_b64u(user)}.{_of(rng, _BASE64URL, 6)}.{_of(rng, _BASE64URL, 38)}"


def _pypi(rng: Rng) -> str:
    caveat = json.dumps({"version": 1, "permissions": "user"}).encode()
    identifier = str(uuid.UUID(int=rng.getrandbits(128), version=4)).encode()
    fields = ((1, b"pypi" + b".org"), (2, identifier))
    packed = b"\2" + b"".join(bytes((tag, len(data))) + data for tag, data in fields)
    packed += b"\0" + bytes((2, len(caveat))) + caveat + b"\0\0" + bytes((6, 32)) + rng.randbytes(32)
    return f"py{'pi'}-{_b64u(packed)}"


def _gitlab_routable(rng: Rng) -> str:
    """GitLab 17: Base64url payload, its length in Base36, CRC-32 in Base36."""
    body = _b64u(rng.randbytes(27))
    head = f"gl{'pat'}-{body}.01.{'0'}{_of(rng, '0123456789', 1)}"
    return head + _of(rng, _LOWER, 7)


def _seed_phrase(rng: Rng) -> str:
    """Twelve words of the length that BIP 39's have; the words themselves do not matter to a rule."""
    return " ".join(_of(rng, string.ascii_lowercase, rng.randrange(3, 9)) for _ in range(12))


PROVIDER_TOKENS: dict[str, Callable[[Rng], str]] = {
    "age identity": lambda rng: _bech32("age-secret-key-", rng.randbytes(32)).upper(),
    "airtable token": lambda rng: f"pa{'t'}{_of(rng, _BASE62, 14)}.{_hex(rng, 64)}",
    "anthropic key": lambda rng: f"sk-{'ant'}-api03-{_of(rng, _BASE64URL, 93)}AA",
    "aws access key id": lambda rng: f"AK{'IA'}{_of(rng, _BASE32, 16)}",
    "aws temporary key id": lambda rng: f"AS{'IA'}{_of(rng, _BASE32, 16)}",
    "azure client secret": lambda rng: f"{_of(rng, _BASE62, 3)}8Q~{_of(rng, _BASE62 + '_-', 34)}",
    "databricks token": lambda rng: f"da{'pi'}{_hex(rng, 32)}",
    "digitalocean token": lambda rng: f"do{'p'}_v1_{_hex(rng, 64)}",
    "discord bot token": _discord,
    "discord webhook": lambda rng: (
        f"https://discord.com/api/web{'hooks'}/{rng.randrange(10**17, 10**18)}/{_of(rng, _BASE64URL, 68)}"
    ),
    "docker token": lambda rng: f"dc{'kr'}_pat_{_of(rng, _BASE64URL, 27)}",
    "doppler token": lambda rng: f"d{'p'}.pt.{_of(rng, _BASE62, 43)}",
    "firebase server key": lambda rng: f"AA{'AA'}{_of(rng, _BASE64URL, 7)}:APA91b{_of(rng, _BASE64URL, 134)}",
    "github classic token": lambda rng: _with_crc("gh" + "p_", rng),
    "github oauth token": lambda rng: _with_crc("gh" + "o_", rng),
    "github server token": lambda rng: _with_crc("gh" + "s_", rng),
    "github fine-grained token": lambda rng: (
        f"github_{'pat'}_{_of(rng, _BASE62, 22)}_{_of(rng, _BASE62, 59)}"
    ),
    "gitlab token": lambda rng: f"gl{'pat'}-{_of(rng, _BASE64URL, 20)}",
    "gitlab routable token": _gitlab_routable,
    "google api key": lambda rng: f"AI{'za'}Sy{_of(rng, _BASE64URL, 33)}",
    "google oauth secret": lambda rng: f"GOC{'SPX'}-{_of(rng, _BASE64URL, 28)}",
    "grafana token": lambda rng: f"gl{'sa'}_{_of(rng, _BASE62, 32)}_{_hex(rng, 8)}",
    "groq key": lambda rng: f"gs{'k'}_{_of(rng, _BASE62, 52)}",
    "huggingface token": lambda rng: f"h{'f'}_{_of(rng, string.ascii_letters, 34)}",
    "json web token": _jwt,
    "linear key": lambda rng: f"lin_{'api'}_{_of(rng, _BASE62, 40)}",
    "mailchimp key": lambda rng: f"{_hex(rng, 32)}-{'us'}{rng.randrange(1, 22)}",
    "mailgun key": lambda rng: f"ke{'y'}-{_hex(rng, 32)}",
    "notion token": lambda rng: f"nt{'n'}_{_of(rng, string.digits, 11)}{_of(rng, _BASE62, 35)}",
    "notion old token": lambda rng: f"secr{'et'}_{_of(rng, _BASE62, 43)}",
    "npm token": lambda rng: _with_crc("np" + "m_", rng),
    "openai old key": lambda rng: f"s{'k'}-{_of(rng, _BASE62, 20)}T3Blbk{'FJ'}{_of(rng, _BASE62, 20)}",
    "openai project key": lambda rng: (
        f"s{'k'}-proj-{_of(rng, _BASE64URL, 74)}T3Blbk{'FJ'}{_of(rng, _BASE64URL, 74)}"
    ),
    "postman key": lambda rng: f"PM{'AK'}-{_hex(rng, 24)}-{_hex(rng, 34)}",
    "pypi token": _pypi,
    "sendgrid key": lambda rng: f"S{'G'}.{_b64u(rng.randbytes(16))}.{_b64u(rng.randbytes(32))}",
    "shopify token": lambda rng: f"shp{'at'}_{_hex(rng, 32)}",
    "slack token": _slack,
    "slack webhook": _slack_webhook,
    "stripe key": lambda rng: f"sk_{'live'}_{_of(rng, _BASE62, 24)}",
    "stripe restricted key": lambda rng: f"rk_{'live'}_{_of(rng, _BASE62, 99)}",
    "telegram bot token": lambda rng: f"{rng.randrange(10**8, 10**10)}:A{'A'}{_of(rng, _BASE64URL, 33)}",
    "terraform token": lambda rng: f"{_of(rng, _BASE62, 14)}.atlas{'v1'}.{_of(rng, _BASE62, 67)}",
    "twilio api key": lambda rng: f"S{'K'}{_hex(rng, 32)}",
    "vault token": lambda rng: f"hv{'s'}.{_of(rng, _BASE64URL, 91)}",
}
"""Tokens that show what they are wherever they stand."""

PRIVATE_KEYS: dict[str, Callable[[Rng], str]] = {
    "rsa private key": _rsa_key,
    "rsa private key under a passphrase": _rsa_key_with_passphrase,
    "dsa private key": _dsa_key,
    "ec private key": _ec_key,
    "pkcs8 private key": _pkcs8_key,
    "encrypted pkcs8 private key": _encrypted_pkcs8_key,
    "openssh private key": _openssh_key,
    "pgp private key": _pgp_key,
    "putty private key": _putty_key,
}
"""Private keys in the text forms that people paste."""

Announced = Callable[[Rng], tuple[str, str]]
ANNOUNCED: dict[str, Announced] = {
    "aws secret key": lambda rng: ("aws_secret_access_key = {}", _b64(rng.randbytes(30))),
    "aws secret key in a sentence": lambda rng: ("the AWS secret key is {} for now", _b64(rng.randbytes(30))),
    "azure storage key": lambda rng: (
        "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={};EndpointSuffix=core.windows.net",
        _b64(rng.randbytes(64)),
    ),
    "twilio auth token": lambda rng: ("twilio auth token {}", _hex(rng, 32)),
    "cloudflare token": lambda rng: ("CLOUDFLARE_API_TOKEN: {}", _of(rng, _BASE64URL, 40)),
    "heroku key": lambda rng: ("HEROKU_API_KEY={}", str(uuid.UUID(int=rng.getrandbits(128), version=4))),
    "password assigned": lambda rng: ("password={}", _password(rng)),
    "password exported": lambda rng: ('export FOO_PASSWORD="{}"', _password(rng)),
    "password in json": lambda rng: ('{{"user": "bob", "password": "{}"}}', _password(rng)),
    "password in yaml": lambda rng: ("  db_password: {}", _password(rng)),
    "password in a sentence": lambda rng: ("the staging password is {}, ask Ana", _password(rng)),
    "password of something": lambda rng: ("Password for the admin account: {}", _password(rng)),
    "password in a url": lambda rng: ("postgres://app:{}@db.internal:5432/app", _password(rng)),
    "password in a command": lambda rng: ("mysql -h db --password {}", _password(rng)),
    "password in xml": lambda rng: ("<password>{}</password>", _password(rng)),
    "password in bold": lambda rng: ("- **Password:** `{}`", _password(rng)),
    "token in a sentence": lambda rng: ("my token is {}", _of(rng, _BASE62, 24)),
    "token in a header": lambda rng: ("curl -H 'Authorization: Bearer {}'", _of(rng, _BASE62, 32)),
    "basic header": lambda rng: ("Authorization: Basic {}", _b64(f"bob:{_password(rng)}".encode())),
    "api key in capitals": lambda rng: ("ACME_API_KEY={}", _of(rng, _BASE62, 32)),
    "client secret": lambda rng: ("client_secret: '{}'", _of(rng, _BASE62, 32)),
    "hex secret in a query": lambda rng: ("https://x.example/cb?access_token={}&state=1", _hex(rng, 40)),
    "azure shared access link": lambda rng: (
        "https://acme.blob.core.windows.net/c/f?sv=2022-11-02&sp=rl&se=2027-01-01T00:00:00Z&sig={}",
        _b64(rng.randbytes(32)).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D"),
    ),
    "django secret key": lambda rng: (
        "SECRET_KEY = '{}'",
        "django-insecure-" + _of(rng, _LOWER + "!@#$%^&*(-_=+)", 50),
    ),
    "django secret key in use": lambda rng: ("SECRET_KEY = '{}'", _of(rng, _LOWER + "!@#$%^*(-_=+)", 50)),
    "htpasswd line": lambda rng: (
        "ada:{}",
        f"$ap{'r1'}${_of(rng, _BASE62, 8)}${_of(rng, _BASE62 + './', 22)}",
    ),
    "bcrypt line": lambda rng: ("ada:{}", f"$2{'y'}$10${_of(rng, _BASE62 + './', 53)}"),
    "shadow line": lambda rng: (
        "root:{}:18295:0:99999:7:::",
        f"${'6'}${_of(rng, _BASE62, 8)}${_of(rng, _BASE62 + './', 86)}",
    ),
    "mysql option": lambda rng: ("mysqldump -h db -u admin -p{} shop > shop.sql", _password(rng)),
    "mysql option in quotes": lambda rng: ("mysql -h db -u admin -p'{}' shop", _password(rng)),
    "redis option": lambda rng: ("redis-cli -h cache -a {} ping", _password(rng)),
    "password for a thing": lambda rng: ("The password for the staging database is {}", _password(rng)),
    "passwort": lambda rng: ("Das Passwort für den Server lautet {}", _password(rng)),
    "kennwort": lambda rng: ("Kennwort: {}", _password(rng)),
    "contraseña": lambda rng: ("La contraseña del servidor es {}", _password(rng)),
    "mot de passe": lambda rng: ("Le mot de passe de la base est {}", _password(rng)),
    "senha": lambda rng: ("A senha do servidor é {}", _password(rng)),
    "pin of a thing": lambda rng: ("The PIN of the safe is {}", _of(rng, string.digits, 4)),
    "pin with a sign": lambda rng: ("alarm PIN: {}", _of(rng, string.digits, 6)),
    "seed phrase": lambda rng: ("my seed phrase is {}", _seed_phrase(rng)),
    "recovery words": lambda rng: ("the wallet's recovery words: {}", _seed_phrase(rng)),
    "mnemonic": lambda rng: ('mnemonic = "{}"', _seed_phrase(rng)),
    "webhook secret": lambda rng: ("webhook secret (prod) = {}", _hex(rng, 32)),
}
"""Values that only the words before them give away: a frame, and the secret that stands in it."""


@cache
def tokens(seed: int) -> dict[str, str]:
    """Return one token or private key of each kind (the same object each time: not to be changed)."""
    return {
        kind: make(random.Random(f"{seed} {kind}")) for kind, make in (PROVIDER_TOKENS | PRIVATE_KEYS).items()
    }


@cache
def announced(seed: int) -> dict[str, tuple[str, str]]:
    """Return one text of each announced kind, and the secret in it (the same object each time)."""
    made = {kind: make(random.Random(f"{seed} {kind}")) for kind, make in ANNOUNCED.items()}
    return {kind: (frame.format(secret), secret) for kind, (frame, secret) in made.items()}
