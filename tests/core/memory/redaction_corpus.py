"""Planted secrets and ordinary code, made by rule, so that no secret stands in the repository."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import string
import sysconfig
import uuid
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

ALNUM = string.ascii_letters + string.digits
NAME = ALNUM + "_-"
HEX = "0123456789abcdef"


@dataclass(frozen=True)
class Planted:
    """A text, the secrets in it, and what kind of secret they are."""

    kind: str
    text: str
    secrets: tuple[str, ...]


class Draw:
    """Random letters, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def of(self, letters: str, length: int) -> str:
        """A run that starts and ends with a letter and holds a digit."""
        body = "".join(self._random.choice(letters) for _ in range(length - 3))
        return "a" + body + "7b" if letters != string.digits else "1" + body + "23"

    def alnum(self, length: int) -> str:
        return self.of(ALNUM, length)

    def name(self, length: int) -> str:
        return self.of(NAME, length)

    def hex(self, length: int) -> str:
        return self.of(HEX, length)

    def upper(self, length: int) -> str:
        return self.of(string.ascii_uppercase + string.digits, length).upper()

    def bytes(self, length: int) -> bytes:
        return self._random.randbytes(length)

    def base64(self, length: int) -> str:
        return base64.b64encode(self.bytes(length)).decode()

    def jwt(self) -> str:
        parts = (
            json.dumps({"alg": "HS256", "typ": "JWT"}).encode(),
            json.dumps({"sub": self.alnum(12), "iat": 1516239022}).encode(),
            self.bytes(32),
        )
        return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)

    def pem(self, kind: str = "RSA PRIVATE KEY", lines: int = 8) -> tuple[str, str]:
        """A key block, and its material without the marks."""
        body = self.base64(48 * lines)
        rows = [body[at : at + 64] for at in range(0, len(body), 64)]
        return f"-----BEGIN {kind}-----\n" + "\n".join(rows) + f"\n-----END {kind}-----", rows[1]


def tokens(seed: int = 1) -> dict[str, str]:
    """One token of each issuer."""
    d = Draw(seed)
    return {
        "anthropic-key": f"sk-ant-api03-{d.name(93)}AA",
        "openai-key": f"sk-{d.alnum(20)}T3BlbkFJ{d.alnum(20)}",
        "openai-project-key": f"sk-proj-{d.name(74)}T3BlbkFJ{d.name(74)}",
        "aws-key": f"AKIA{d.upper(16)}",
        "github-token": f"ghp_{d.alnum(36)}",
        "github-server-token": f"ghs_{d.alnum(36)}",
        "github-fine-grained": f"github_pat_{d.alnum(22)}_{d.alnum(59)}",
        "gitlab-token": f"glpat-{d.name(20)}",
        "slack-token": f"xoxb-{d.of(string.digits, 12)}-{d.of(string.digits, 13)}-{d.alnum(24)}",
        "slack-webhook": "https://hooks.slack.com/services/"
        f"T{d.upper(10)}/B{d.upper(10)}/{d.alnum(24)}",
        "google-key": f"AIza{d.name(35)}",
        "google-oauth-secret": f"GOCSPX-{d.name(28)}",
        "google-oauth-token": f"ya29.{d.name(120)}",
        "stripe-key": f"sk_live_{d.alnum(24)}",
        "stripe-webhook": f"whsec_{d.alnum(32)}",
        "twilio-key": f"SK{d.hex(32)}",
        "sendgrid-key": f"SG.{d.name(22)}.{d.name(43)}",
        "mailgun-key": f"key-{d.hex(32)}",
        "mailchimp-key": f"{d.hex(32)}-us12",
        "npm-token": f"npm_{d.alnum(36)}",
        "pypi-token": f"pypi-AgEIcHlwaS5vcmc{d.name(120)}",
        "huggingface-token": f"hf_{d.alnum(34)}",
        "digitalocean-token": f"dop_v1_{d.hex(64)}",
        "telegram-token": f"{d.of(string.digits, 10)}:AA{d.name(33)}",
        "discord-token": f"M{d.alnum(23)}.{d.name(6)}.{d.name(38)}",
        "discord-webhook": "https://discord.com/api/webhooks/"
        f"{d.of(string.digits, 18)}/{d.name(68)}",
        "shopify-token": f"shpat_{d.hex(32)}",
        "databricks-token": f"dapi{d.hex(32)}",
        "vault-token": f"hvs.{d.name(95)}",
        "docker-token": f"dckr_pat_{d.name(27)}",
        "azure-secret": f"{d.alnum(3)}8Q~{d.alnum(34)}",
        "grafana-token": f"glsa_{d.alnum(32)}_{d.hex(8)}",
        "linear-key": f"lin_api_{d.alnum(40)}",
        "newrelic-key": f"NRAK-{d.upper(27)}",
        "heroku-key": f"HRKU-AA{d.name(58)}",
        "age-key": f"AGE-SECRET-KEY-1{d.upper(58)}",
        "atlassian-token": f"ATATT3xFfGF0{d.name(170)}",
        "jwt": d.jwt(),
    }


def beside_names(seed: int = 2) -> list[Planted]:
    """Secrets that only the name beside them tells, in many notations."""
    d = Draw(seed)
    made: list[Planted] = []

    def plant(kind: str, form: str, secret: str) -> None:
        made.append(Planted(kind, form.replace("@@", secret), (secret,)))

    for form in (
        'password = "@@"',
        "self.password = '@@'",
        'const dbPassword: string = "@@";',
        'let password: &str = "@@";',
        '{"user": "bob", "password": "@@"}',
        '{\n  "password":\n    "@@"\n}',
        '{"body": "{\\"password\\": \\"@@\\"}"}',
        '"{\\u0022password\\u0022:\\u0022@@\\u0022}"',
        "password: @@\n",
        "  db_password: @@  # production\n",
        "export DB_PASSWORD=@@\n",
        "DB_PASS=@@\nDB_USER=bob\n",
        "[client]\npassword=@@\n",
        "<password>@@</password>",
        '{"name": "DB_PASSWORD", "value": "@@"}',
        "- name: DB_PASSWORD\n  value: @@\n",
        "define('DB_PASSWORD', '@@');",
        "ENV DB_PASSWORD @@\n",
        "deploy --password @@ --host h1",
        "deploy --password=@@ --host h1",
        "Server=tcp:db;User Id=sa;Password=@@;Encrypt=true",
        "machine h.example login bob password @@",
        "the password is @@.",
        "password%3D@@%26user%3Dbob",
        "ALTER USER bob WITH PASSWORD '@@';",
        'props.setPassword("@@");',
        "PGPASSWORD=@@ psql -h db",
        "\x1b[32mpassword\x1b[0m: \x1b[1m@@\x1b[0m",
        "&quot;password&quot;: &quot;@@&quot;",
        ":password => '@@',",
        'log: {"password":"@@"}\\nnext',
    ):
        plant("password", form, d.alnum(11))
    plant("password", 'password = "@@"', 'x9"\\"'.replace('"\\"', "") + "hunter-2!")
    plant("password", "DB_PASSWORD=@@\n", "p@ss,w(o)rd;1" + d.alnum(4))
    plant("password", "DB_PASSWORD='@@'\n", "swordfishes")
    plant("password", 'passphrase: "@@"', "correct horse battery staple")
    for form in (
        'api_key = "@@"',
        "API_KEY=@@\n",
        "apiKey: '@@',",
        '"client_secret": "@@"',
        'os.environ.get("SERVICE_API_KEY", "@@")',
        "X-Api-Key: @@\n",
        'headers["X-Auth-Token"] = "@@"',
        "access_token=@@\n",
        "token: @@\n",
        "//registry.example/:_authToken=@@\n",
        "deploy --token @@",
        'SECRET_KEY = b"@@"',
        "$env:DEPLOY_TOKEN = '@@'",
        '<add key="ApiKey" value="@@" />',
    ):
        plant("key", form, d.alnum(32))
    for name in ("DATADOG_API_KEY", "TWILIO_AUTH_TOKEN", "CLOUDFLARE_API_TOKEN"):
        plant(name.lower(), f"{name}=@@\n", d.hex(32))
    plant("heroku-key", "HEROKU_API_KEY=@@\n", str(uuid.UUID(bytes=d.bytes(16))))
    secret = "wJ7" + d.base64(30)[:37]
    plant("aws-secret", "aws_secret_access_key = @@\n", secret)
    plant("aws-secret", "AWS Secret Access Key [None]: @@\n", secret)
    plant("aws-secret", '"SecretAccessKey": "@@"', secret)
    plant("aws-secret", f"AKIA{d.upper(16)},@@\n", secret)
    account = d.base64(64)
    plant("azure-account-key", "AccountName=x;AccountKey=@@;EndpointSuffix=y", account)
    plant(
        "azure-sas", "https://x.blob.example/c?sv=2022&sp=r&sig=@@&se=z", quote(d.base64(32), "")
    )
    plant("query-token", "GET /v1?user=3&token=@@ HTTP/1.1", d.alnum(24))
    plant("query-token", "https://x.example/cb?access_token=@@#top", d.alnum(40))
    plant("query-key", "https://maps.example/js?key=@@&v=3", d.alnum(30))
    plant("presigned", "https://b.s3.example/k?X-Amz-Signature=@@", d.hex(64))
    for form in (
        "postgres://app:@@@db:5432/x",
        "DATABASE_URL=mysql://root:@@@10.0.0.5/x\n",
        "redis://:@@@cache:6379",
        "mongodb+srv://u:@@@c0.example/?retryWrites=true",
        "amqp://guest:@@@mq",
        '"url": "https:\\/\\/bob:@@@git.example\\/r.git"',
    ):
        plant("url-password", form, d.alnum(12))
    plant("url-password", "postgres://app:@@@db/x", "p@ss#" + d.alnum(5))
    plant("url-password", "postgres://app:@@@db/x", "p%40ss%20" + d.alnum(5))
    plant("url-token", "git clone https://@@@git.example/r.git", d.alnum(40))
    for form in (
        "Authorization: Bearer @@\r\nHost: x",
        "curl -H 'Authorization: Bearer @@' https://x",
        '{"Authorization": "Bearer @@"}',
        "headers={'Authorization': f'token @@'}",
        "authorization%3A%20Bearer%20@@",
        "the header was bearer @@",
    ):
        plant("bearer", form, d.alnum(28))
    plant("basic", "Authorization: Basic @@\n", d.base64(18))
    plant("basic", "curl -s -u bob:@@ https://x", d.alnum(10))
    plant("basic", 'curl --user "bob:@@" https://x', d.alnum(10))
    plant("cookie", "Cookie: theme=dark; sessionid=@@; lang=en\n", d.alnum(32))
    plant("cookie", "Set-Cookie: sid=@@; Path=/; HttpOnly\n", d.alnum(32))
    plant("cookie", "curl -b 'connect.sid=@@' https://x", "s%3A" + d.alnum(32))
    plant("command", "mysql -u root -p@@ shop", d.alnum(10))
    plant("command", "sshpass -p '@@' ssh bob@h", d.alnum(10))
    plant("command", "CREATE USER bob IDENTIFIED BY '@@'", d.alnum(10))
    plant("docker-auth", '"auths": {"r.example": {"auth": "@@"}}', d.base64(24))
    return made


def blocks(seed: int = 3) -> list[Planted]:
    """Keys and private parts, whole, cut off, escaped and numbered."""
    d = Draw(seed)
    made: list[Planted] = []
    for kind in ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"):
        pem, row = d.pem(kind)
        made.append(Planted("private-key", f"key:\n{pem}\ndone", (row,)))
    pem, row = d.pem("PGP PRIVATE KEY BLOCK")
    armoured = pem.replace("-----\n", "-----\nVersion: GnuPG v2\n\n", 1)
    made.append(Planted("private-key", armoured, (row,)))
    pem, row = d.pem()
    headers = "-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA11\n\n"
    made.append(Planted("private-key", pem.replace("-----\n", headers, 1), (row,)))
    pem, row = d.pem()
    made.append(Planted("private-key", json.dumps({"private_key": pem}), (row,)))
    pem, row = d.pem()
    made.append(Planted("private-key", json.dumps({"a": json.dumps({"k": pem})}), (row,)))
    pem, row = d.pem()
    numbered = "\n".join(f"{at:>6}\t{line}" for at, line in enumerate(pem.split("\n"), 1))
    made.append(Planted("private-key", numbered, (row,)))
    pem, row = d.pem()
    made.append(Planted("private-key", "+" + pem.replace("\n", "\n+"), (row,)))
    pem, row = d.pem()
    made.append(Planted("private-key", pem[: pem.index("-----END")] + "\n(cut)", (row,)))
    pem, row = d.pem()
    tail = pem[pem.index("\n", 40) + 1 :]
    made.append(Planted("private-key", "... cut\n" + tail, (row,)))
    for form in (
        "a <private>@@</private> b",
        "a <PRIVATE>\n@@\n</Private> b",
        "<private>x<private>y</private>@@</private> b",
        "never closed <private> @@ and on",
        "\\u003cprivate\\u003e@@\\u003c/private\\u003e",
        "&lt;private&gt;@@&lt;/private&gt;",
    ):
        secret = "plain words that nobody may keep " + d.alnum(5)
        made.append(Planted("private", form.replace("@@", secret), (secret,)))
    return made


def wrapped(seed: int = 4) -> list[Planted]:
    """Tokens that a terminal broke over two lines; each part must be gone."""
    made = []
    for kind, token in tokens(seed).items():
        if kind in ("jwt", "slack-webhook", "discord-webhook", "telegram-token", "azure-secret"):
            continue
        if kind in ("mailchimp-key", "discord-token", "google-oauth-token", "slack-token"):
            continue
        cut = max(len(token) - 8, len(token) * 3 // 4)
        text = "out: ".rjust(80 - cut, ".") + token[:cut] + "\n" + token[cut:] + "\nnext line"
        made.append(Planted(f"wrapped-{kind}", text, (token[:cut], token[cut:])))
    return made


def planted() -> list[Planted]:
    """Every planted secret."""
    in_places = (
        "found {0} here",
        "KEY='{0}'",
        '{{"k": "line\\n{0}"}}',
        "\x1b[32m{0}\x1b[0m",
        "x%3D{0}%26y",
        "({0})",
    )
    found = [
        Planted(kind, place.format(token), (token,))
        for kind, token in tokens().items()
        for place in in_places
    ]
    return [*found, *beside_names(), *blocks(), *wrapped()]


def ordinary_lines(seed: int = 5) -> list[str]:
    """2,000 and more lines as repositories have them, none with a secret."""
    d = Draw(seed)
    lines: list[str] = []
    for number in range(60):
        digest = hashlib.sha1(d.bytes(8)).hexdigest()
        sha = base64.b64encode(hashlib.sha512(d.bytes(8)).digest()).decode()
        some = uuid.UUID(bytes=d.bytes(16), version=4)
        lines += (
            f"commit {digest}",
            f"{digest[:7]} Merge branch 'feature/login-{number}'",
            f"index {digest[:7]}..{digest[7:14]} 100644",
            f'      "integrity": "sha512-{sha}",',
            f'resolved "https://registry.example/pkg/-/pkg-1.{number}.0.tgz#{digest}"',
            f"    --hash=sha256:{d.hex(64)} \\",
            f'checksum = "{d.hex(64)}"',
            f'id = "{some}"',
            f'"sessionId": "{some}", "parentUuid": "{some}"',
            f"request_id={some} status=200",
            f'DATA = "{d.base64(48)}"',
            f"data:image/png;base64,{d.base64(60)}",
            f"color: #{d.hex(6)}; background: #{d.hex(8)}",
            f'!function(e,t){{"object"==typeof exports?module.exports=t():e.n{number}=t()}}();',
            f"var a={{key:{number},token:b.token,pass:c[{number}],auth:!0}};",
            f'ETag: W/"{d.hex(32)}"',
            f"image: repo/app@sha256:{d.hex(64)}",
            f"github.com/a/b v1.{number}.0 h1:{d.base64(32)}",
            f'cache_key = "{d.hex(40)}"',
            f"public_key_id: {d.hex(16)}",
        )
    lines += ORDINARY * 4
    code = [*Path(__file__).resolve().parents[3].glob("core/sakur4_core/**/*.py")]
    library = Path(sysconfig.get_paths()["stdlib"])
    code += [library / name for name in ("getpass.py", "secrets.py", "netrc.py", "tokenize.py")]
    code += [library / "urllib/request.py", library / "smtplib.py", library / "ftplib.py"]
    telling = ("pass", "token", "key", "secret", "auth", "cookie", "hash", "http", "uuid")
    for file in sorted(code):
        for line in file.read_text("utf-8").splitlines():
            if any(word in line.lower() for word in telling):
                lines.append(line)
    return lines


ORDINARY = [
    "password: str",
    "password: Optional[str] = None,",
    "def login(user: str, password: str) -> Token:",
    "password: string;",
    "  token?: string | null;",
    'api_key = os.environ["API_KEY"]',
    'api_key = os.getenv("API_KEY")',
    'token = os.environ.get("GITHUB_TOKEN", "")',
    "const token = process.env.NPM_TOKEN;",
    "token = get_token()",
    "token = request.headers['X-Auth-Token']",
    "password = getpass.getpass()",
    "self.password = password",
    "client = Client(password=password, token=self.token)",
    "secret = config.get('secret')",
    "secrets = [s for s in secrets if s.active]",
    "API_KEY=<your-key>",
    'api_key: "<YOUR_API_KEY>"',
    "API_KEY=your-api-key-here",
    "PASSWORD=changeme",
    "password: xxxxxxxx",
    'password = "********"',
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password: ${DB_PASSWORD}",
    "password: {{ vault_password }}",
    "DB_PASSWORD=$DB_PASSWORD",
    'DATABASE_URL="postgres://user:password@localhost:5432/db"',
    "postgres://user:${PASSWORD}@localhost/db",
    "postgres://$USER:$PASSWORD@localhost/db",
    "http://localhost:3000/@vite/client",
    "git@github.com:owner/repository.git",
    "ssh://git@example.com:22/repository.git",
    "https://example.com/a?page=2&token=abc",
    'if password == "":',
    "if len(password) < 12:",
    'raise ValueError("password must have at least 12 characters")',
    'label = "Password"',
    '"password": "Password",',
    '"passwordLabel": "Enter your password",',
    '<input type="password" name="password" autocomplete="current-password">',
    'PASSWORD_RESET_URL = "/accounts/password-reset/v2"',
    "password_hash = hash_password(raw)",
    "max_tokens=4096, tokens_used=128",
    "token_count: 15234",
    "tokens = tokenizer.encode(text)",
    'tokenizer = "o200k_base"',
    "for key, value in sorted(mapping.items()):",
    'key = "user_id"',
    'primary_key = "id"',
    "key: 'ArrowDown',",
    "<li key={item.id}>",
    'cache-key: v2-dependencies-{{ checksum "lock" }}',
    'aria-describedby="password-help-text-2"',
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    'headers = {"Authorization": f"Bearer {token}"}',
    "authorization: `Bearer ${token}`",
    "the bearer of this message",
    "curl -u user:password https://example.com",
    "docker run -u 1000:1000 image",
    "mysql -u root -p shop",
    "cookie = SimpleCookie()",
    "Set-Cookie: theme=dark; Path=/",
    'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):',
    "PRIVATE_MARK = '-----BEGIN PRIVATE KEY-----'",
    "class Foo { private: int secret_; };",
    "sk-learn-based-classification-model",
    '<div class="sk-cube-grid sk-fading-circle">',
    "pypi-attestations-and-publishing",
    "AC_CONFIG_HEADERS([config.h])",
    "key-value-store-of-the-application",
    "mask = 'AKIA................'",
    "secret_name: prod/db/main",
    "secretKeyRef: {name: db, key: password}",
    "PWD=/home/bob/project",
    "author: bob, authority: none",
    "auth_provider = 'oauth2'",
    'auth = ("user", "pass")',
    "passed: 214, failed: 0",
    "pass_through = True",
    "import { Password1Icon } from './icons'",
    "password: z.string().min(8)",
    "token = token2 if token2 else token1",
    "session_id = 's-1'",
    "X-Request-Id: 7f3a",
    "AccountKey=...;EndpointSuffix=core",
]
