"""Made-up lines in which a word announces a secret, and lines in which the same words announce none."""

from __future__ import annotations

CAUGHT = """\
password=hunter2
PASSWORD: Hunter2x9
Password -> Hunter2x9
passwd = 'hunter2hunter2'
password is hunter2hunter2
my password was now hunter2hunter2
the staging password is hunter2, do not share
set the password to Hunter2x9
| password | Hunter2x9 |
config["password"] = "Hunter2x9"
{\\"password\\": \\"Hunter2x9\\"}
password: str = "Hunter2x9"
creds: admin:Sup3rS3cret!
credentials are bob:Xk29fjQ2zz
DB_PASS=q8w7e6r5
MYSQL_PWD=Zx9Cv8Bn7
PGPASSWORD=Xk29fjQ2 psql -h db
PASSWORD_PROD=Xk29fjQ2
passphrase: correct7horse9battery
password=849201
password=correcthorsebatterystaple
password="P@ssw0rd!"
My password is P@ssw0rd!
password=Pässw0rt99
root password: toor123x
Password (admin): Xk29fjQ2
Login bob password Hunter2x9q
mysql --db-password Xk29fjQ2
secret: 8fK2mQ0xZpL4vN7tRb1c
secret is '8fK2mQ0xZpL4vN7tRb1c'
stripeApiKey: 8fK2mQ0xZpL4vN7tRb1c
the api-key of billing is 8fK2mQ0xZpL4vN7tRb1c
x-api-key: 8fK2mQ0xZpL4vN7tRb1c
Authorization: Token 8fK2mQ0xZpL4vN7tRb1c
//registry.example/:_auth=8fK2mQ0xZpL4vN7tRb1c
BILLING_KEY=8fK2mQ0xZpL4vN7tRb1c
encryption key is 0123456789abcdef0123456789abcdef
postgres://app:swordfish@db/app
redis://:p4ssw0rd99@cache:6379/0
https://bob:p@ss1word@host.example/x
jdbc:mysql://db?user=app&password=Xk29fjQ2&ssl=1
sshpass -p Xk29fjQ2 ssh bob@host
curl --user bob:Xk29fjQ2 https://x.example
""".splitlines()

WORDS_CAUGHT = """\
password=sunshine
db_password: correct-horse-battery
Bearer abcdefghijklmnop12345678
Authorization: Bearer abcdefghijklmnop12345678
Authorization: Bearer AbcdefghijkLmnopqrst
curl -H "Authorization: Bearer correct-horse-battery-7" https://x.example
export DB_PASSWORD=swordfish
DB_PASSWORD:=swordfish
"password": "sunshine"
{"user": "bob", "password": "sunshine", "id": 7}
{\\"password\\": \\"sunshine\\"}
password: sunshine
  - password: sunshine  # old
**Password**: sunshine
password = "sunshine"
password = sunshine
rootPassword: swordfish
MYSQL_ROOT_PASSWORD: swordfish
password: str = "sunshine"
login(user="bob", password="sunshine")
https://x.example/login?user=bob&password=sunshine&next=1
mysql --password=sunshine
passphrase=open-sesame
DB_PASS=swordfish
PASSWORD_PROD=swordfish
PGPASSWORD=swordfish psql -h db
the old one was `password=sunshine`, now gone
'password' => 'sunshine'
spring.datasource.password=topsecret
password=mysecretpassword
""".splitlines()
"""Words in the place of a password, and bearer values that are not quite random."""

WORDS_PASS = """\
token: JWT expires in 24h
the auth: bearer token flow
reset password page is at /reset
password is required
password: required
password=<password>
set PASSWORD=$DB_PASSWORD
password is sunshine
my token is sunshine
the password: rotated weekly
password: see the vault
db_password: rotated by the vault
db_password: required
password: Optional
"password": "string"
"password": "Enter your password"
password: "required"
password=None
password=null
password=true
password=password
password=new_password
password=confirmPassword
password: SecretStr
password=xxxxxx
password=***
password=...
password={{ db_password }}
DB_PASSWORD=YOUR_PASSWORD
DB_PASSWORD=REPLACE_ME
password=os.environ["DB_PASSWORD"]
password = get_password(user)
password=settings.DB_PASSWORD
login(user=user, password=password)
password_encryption=scram-sha-256
password_login: disabled
credentials: include
1password: installed
onepassword: installed
pass: everything
password: hashed
password: undefined,
const { password: typedByUser, user } = form
lastpass=enterprise
Bearer authentication-scheme
Bearer authentication with OAuth2
bearer AuthenticationProvider is registered
Bearer access-token-refresh-v2
Authorization: Bearer <token>
Authorization: Bearer $ACCESS_TOKEN
Authorization: Bearer {access_token}
Authorization: Bearer YOUR_ACCESS_TOKEN_1
Authorization: Bearer ACCESS_TOKEN_FROM_CI
""".splitlines()
"""The same places, with what no one means as a secret."""
