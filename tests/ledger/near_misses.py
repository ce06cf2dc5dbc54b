"""Lines that have what a secret has, and hold none: placeholders, "password" inside a thought, names of tokens.

Tests specs/redaction.md (R-10): none of them is refused.
"""

from __future__ import annotations

NEAR_MISSES = """\
token: JWT expires in 24h
the auth: bearer token flow
reset password page is at /reset
password is required
the password is stored hashed
set PASSWORD in the environment
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer YOUR_ACCESS_TOKEN
Authorization: Basic <credentials>
Basic authentication is off by default; bearer authentication is on
api_key=YOUR_KEY
api_key: "<your-api-key>"
password=***
password=${DB_PASSWORD}
password=$DB_PASSWORD
password: {{ vault_db_password }}
passwd: changeme?
password: changeme
password=changeme123
password = os.environ["DB_PASSWORD_2"]
password = getpass.getpass("Password: ")
password=self.password2
password: string
password: Optional[str] = None
const password = req.body.password1;
password == confirmPassword2
if (password.length < 12) throw new Error("too short")
"password": "string"
"password": "<redacted>"
"password": ""
<input type="password" name="password1" id="password1">
The password must have at least 12 characters, one of them a digit.
password: at least 12 characters
password (min 8 chars) and e-mail are the only fields
Passwords are hashed with argon2id; older rows still use bcrypt2b.
password hashing is PBKDF2-SHA256 with 600000 rounds
the password is hashed with sha512crypt on the old hosts
the password is 1Password-managed
passwords are in 1Password, vault Team-2024
Password for the staging database is in the vault under kv/staging/db2.
password for the demo account is the same as the user name
The login form posts the password to /api/v2/session.
the password is checked against the k-anonymity API
password: see docs/adr/0012-auth.md
password123 is refused by the strength meter
do not print the password, not even in debug logs
DB_PASSWORD comes from the sealed secret db-creds-2024
DB_PASSWORD=<from vault>
MYSQL_ROOT_PASSWORD=example
POSTGRES_PASSWORD: postgres
export PGPASSWORD=$(op read op://infra/db2/password)
--password-file /run/secrets/db2
mysql --password is asked for interactively
pass: 12/14 tests
pwd is /home/user1/project2b
PWD=/srv/app2/releases/20261120
the tests pass: build1234 is green
bypass=true only in v2beta1
the token is SHA256-signed and expires after 15min
the token is a UUIDv4
token: OAuth2
token type is at+jwt
the token is read from the keychain, never from argv
token limit is 128k for the newer models
token budget: 2000
tokens: 12345
max_tokens=4096
tokens_per_minute: 90000
tokenizer: cl100k_base
tokenizer=o200k_base_v2
next_page_token is opaque to clients
refresh tokens rotate every 7d, access tokens every 15m
token expires: 2026-11-20T15:11:00Z
token rotation happened at 2026-11-20T15:11:00.123456Z
token_url=https://auth.example.com/oauth2/v2.0/token
csrf token is checked in middleware2
The token (a JWT) is verified with ES256.
token = get_token2(client)
token = tokens[0]
token=abc123
token: null
auth: required
auth: oauth2-proxy
auth=none
author: ana2
Authorization is checked per request
authorization: role-based, see RFC6749
secrets: inherit
secret: my-secret
secret name is prod-db-2024
secret=kv1/prod2/db3/app4
secret: kv1/prod2/db3/app4/latest
token = user2.account3.token4
API_KEY=AUTH2_TOKEN3_KEY4
secretName: tls-cert-2024a
secretKeyRef: name: db-creds-2024a
the secret is mounted at /run/secrets/api2
client_secret=<client-secret>
client secret: not needed for PKCE clients
secret: arn:aws:secretsmanager:us-east-1:000000000000:secret:prod/db2
the shared secret is derived with X25519
secret scanning runs on every pull request
GitHub secret GH_TOKEN_V2 is set for the org
API key: see 1Password
API keys: v1beta1 is gone
the API key is read from the environment
API key rotation is every 90d
OPENAI_API_KEY=sk-...
OPENAI_API_KEY must be set; it begins with sk-
ANTHROPIC_API_KEY=sk-ant-...
GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
GITHUB_TOKEN starts with ghp_ or github_pat_
AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE
AWS keys begin with AKIA or, when temporary, ASIA
Slack bot tokens begin with xoxb- and user tokens with xoxp-
a GitLab token begins with glpat-
sk-skeleton-loading-animation-wrapper is the CSS class
sk-folding-cube and sk-circle-fade-dot come from the spinner kit
hf_hub_download_with_retries is our wrapper
npm_config_registry points at the mirror
pypi-publish-from-trusted-runner is the job's name
key-value-store-with-expiring-entries
primary key is user_id2, foreign key is org_id7
cache_key=users:v2:page:17
public key token is checked by the loader
PublicKeyToken=b77a5c561934e089
PUBLIC_KEY=ed25519-2024
ssh-ed25519 keys only; RSA keys below 3072 bits are refused
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
-----BEGIN PGP PUBLIC KEY BLOCK-----
-----BEGIN PGP SIGNED MESSAGE-----
private key files have mode 0600
the private key never leaves the HSM
encryption key: rotated yearly
postgres://user:password@localhost:5432/app
postgres://postgres:postgres@localhost:5432/app_test
postgresql://app:${DB_PASSWORD}@db:5432/app
mysql://root:root@127.0.0.1:3306/test
amqp://guest:guest@rabbitmq:5672/
redis://localhost:6379/0
mongodb://<user>:<password>@cluster0.example.net/db
https://x-access-token:${TOKEN}@github.com/org/repo.git
https://user:***@index.example.org/simple
http://localhost:3000/@scope/pkg
https://medium.example/@writer2/post-17
git@github.com:org/repo2.git
ssh://git@github.com:22/org/repo.git
docker run --rm -u 1000:1000 -v $PWD:/src image2
curl -u user:pass https://example.com
curl -u "$USER:$PASS" https://example.com/v2
credentials: see the runbook, section 4b
credentials are short-lived (15min) and come from OIDC
[redacted:password]
the key was password=[redacted:password] and is rotated
passphrase: asked for once, kept in the agent
the passphrase is never written to disk
The seed phrase is the first thing that new users should write down when they start using the wallet
Backup words: choose only simple words that read well and never mean two things each
""".splitlines()
"""Lines written one by one; each is near a rule."""
