"""The table of attributes and their values: package managers, editors, days, languages of answers, and others.

Implements specs/capture.md (K-136). It relates "we went over to uv" to the memory "Dependencies are installed with poetry", though they
share no word. Pure; decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

TOOLS = """
package manager, dependencies, install: npm, pnpm, yarn, bun, deno
package manager, dependencies, install: pip, uv, poetry, pipenv, pdm, conda, mamba, hatch, rye
package manager, install: homebrew = brew, macports, apt, dnf, pacman, nix
build tool, build, builds: gradle, maven = mvn, bazel, sbt, cmake, meson
task runner, command: make, just, taskfile = go-task, invoke, nox, tox, rake
store, database, stored, sql: postgres = postgresql = pg, mysql, mariadb, sqlite, mongodb = mongo, oracle, mssql = sql
  server, cockroachdb, dynamodb, cassandra, firestore, duckdb, clickhouse
store, cache, stored: redis, memcached, valkey, dragonfly
store, queue, broker, messages: kafka, rabbitmq, redpanda, nats, sqs, pulsar, activemq, pubsub
store, jobs, background, queue, worker: celery, dramatiq, rq, sidekiq, resque, huey, bullmq, goodjob, oban
store, search: elasticsearch = elastic, opensearch, meilisearch, algolia, typesense, solr
editor, ide, edits, code: vscode = vs code = visual studio code, neovim = nvim, vim, emacs, helix, zed, sublime =
  sublime text, intellij = idea, pycharm, webstorm, goland, rider, cursor, notepad++, nano, xcode, android studio,
  eclipse
shell: bash, zsh, fish, nushell, powershell = pwsh, elvish
terminal: iterm = iterm2, alacritty, kitty, wezterm, ghostty, warp, tmux, zellij
os, operating system, machine, laptop: macos = mac os = osx, ubuntu, debian, fedora, arch = arch linux, nixos,
  windows, linux, mint, freebsd, manjaro
ci, pipeline, builds: circleci, github actions = gha, gitlab ci, jenkins, buildkite, travis = travis ci, drone,
  teamcity, azure pipelines, bitbucket pipelines, concourse, woodpecker
deploy, hosting, host, hosted, cloud: heroku, fly.io = fly, render, railway, vercel, netlify, aws, gcp = google cloud,
  azure, hetzner, digitalocean, cloudflare, linode, ovh, scaleway
deploy, cluster, orchestrator: kubernetes = k8s, nomad, docker swarm = swarm, ecs, docker compose
registry, images: docker hub = dockerhub, ghcr = ghcr.io, ecr, artifactory, quay = quay.io, harbor, nexus
containers, container: docker desktop, podman, colima, orbstack, rancher desktop
deploy: capistrano, kamal, ansible, argocd = argo cd, flux, spinnaker, octopus
deploy, infrastructure: terraform, pulumi, opentofu, cloudformation, cdk, crossplane
secrets: vault, doppler, 1password, sops, infisical, bitwarden, keepass = keepassxc, lastpass
tests, test, runner: jest, vitest, mocha, ava, jasmine, karma
tests, test, runner: pytest, unittest, nose
tests, test, runner: junit, testng, spock, kotest
tests, test, runner: rspec, minitest
tests, test, runner: tox, nox
tests, e2e, browser: cypress, playwright, selenium, puppeteer, testcafe, nightwatch
formatter, format: black, yapf, autopep8, ruff format
formatter, format: prettier, biome, dprint
formatter, format: gofmt, rustfmt
linter, lint: eslint, tslint, oxlint, jshint, biome
linter, lint: ruff, flake8, pylint
linter, lint: rubocop, clippy, golangci-lint
types, type checker: mypy, pyright, pyre, pytype
bundler, bundle, build: webpack, vite, rollup, esbuild, parcel, turbopack, rspack, snowpack
monorepo: turborepo, nx, lerna
frontend, framework, ui: react, vue, svelte, angular, solidjs, ember, preact, qwik, nextjs, nuxt, remix, astro, gatsby
state: redux, zustand, mobx, jotai, recoil, pinia, vuex, xstate
styles, css, styling: tailwind, bootstrap, sass = scss, styled-components, emotion, css modules, bulma
backend, framework: flask, django, fastapi, starlette, litestar, pyramid
backend, framework: express, fastify, koa, hono, nestjs
backend, framework: rails, laravel, sinatra, actix, axum
orm, database, models: sqlalchemy, peewee, tortoise
orm, database, models: prisma, drizzle, typeorm, sequelize, knex, kysely, mikroorm
migrations, schema: alembic, flyway, liquibase, goose, dbmate, atlas
http, client, requests: axios, fetch, ky, superagent
http, client: requests, httpx, aiohttp, urllib3
dates, date: moment, dayjs, date-fns, luxon
logging, logger, log: winston, pino, bunyan, log4js
logging, logger, log: loguru, structlog, logbook
logging, logger, log: logback, log4j, slf4j, zap, logrus, zerolog
errors, error tracker, exceptions: sentry, rollbar, bugsnag, honeybadger, airbrake, glitchtip
monitoring, metrics: datadog, new relic, prometheus, honeycomb, grafana, dynatrace, signoz
feature flags, flags: launchdarkly, unleash, flagsmith, growthbook, flipper, split.io, configcat
analytics: google analytics, plausible, matomo, mixpanel, amplitude, posthog, fathom
auth, login: auth0, keycloak, okta, cognito, clerk, authelia, authentik
api: rest, graphql, grpc, soap, trpc
payments, payment: stripe, adyen, braintree, paypal, mollie, paddle
mail, email, mails: mailgun, sendgrid, postmark, ses, mailchimp, resend
chat, talk, talks, messages: slack, microsoft teams = ms teams = teams, discord, mattermost, zulip, rocket.chat, telegram,
  whatsapp, signal
calls, meetings, meeting: zoom, google meet, jitsi, webex
tickets, tracker, issues: jira, linear, trello, asana, youtrack, shortcut, clickup, basecamp, redmine, monday.com
docs, wiki: confluence, notion, gitbook, outline, sharepoint
docs, site, documentation: sphinx, mkdocs, docusaurus, vitepress, jekyll, hugo
notes: obsidian, evernote, onenote, logseq, notion, bear app, apple notes
ci, repository, code, hosted: github, gitlab, bitbucket, gitea, codeberg, forgejo, sourcehut
version control: git, mercurial = hg, svn = subversion, jujutsu = jj
branch, default, main branch: main, master, trunk, develop
merge, merges, merged, prs: squash, rebase, merge commit
design: figma, sketch, penpot, adobe xd
language, written: python, java, kotlin, scala, golang, rust, ruby, php, elixir, c++, c#, swift, haskell, typescript =
  ts, javascript = js, perl, clojure, zig, julia, lua, dart
config, configuration, settings, format: yaml = yml, toml, json, ini, xml, hcl
indentation, indent: tabs, spaces, @ spaces
"""
OTHERS = """
answer, answers, reply, language, write, speak, talk, antworten, antworte, antwort, schreib, schreibe, schreiben, sprich,
  spricht, sprechen, reden, rede, responde, responder, habla, escribe, escribir, réponds, répondre, écris, écrire,
  parle, parler: english = englisch = inglés = anglais, german = deutsch = alemán = allemand, french = französisch =
  français = francés, spanish = spanisch = español = espagnol, italian = italienisch, dutch, portuguese, polish,
  swedish, danish, norwegian, finnish, czech, greek, turkish, japanese, chinese, korean, russian, ukrainian
spelling, english: british = uk english, american = us english
case, naming, names: camelcase = camel case, snake_case = snake case, pascalcase = pascal case, kebab-case = kebab
  case
time zone: utc, cet, cest, gmt, est, edt, pst, pdt, local time
units: metric, imperial
temperature: celsius, fahrenheit
currency, prices: euro = euros = eur, dollar = dollars = usd, pounds = gbp, swiss francs = chf, yen
theme, mode: dark, light, solarized, gruvbox, dracula, nord, catppuccin
browser: firefox, chrome, safari, brave, vivaldi, arc browser, opera
diet, food, eats: vegetarian, vegan, pescatarian = pescetarian, omnivore, fish, meat, keto, low-carb, gluten-free
drink, coffee: espresso, cortado, cappuccino, flat white, latte, americano, macchiato, black coffee
milk: oat milk, soy milk, almond milk, cow's milk
phone: iphone, pixel, galaxy, fairphone
licence, license: mit license = mit licence, apache = apache 2.0, gpl, agpl, bsd, mpl
day: monday = mondays = montag = montags = lundi = lunes, tuesday = tuesdays = dienstag = dienstags = mardi = martes,
  wednesday = wednesdays = mittwoch = mittwochs = mercredi = miércoles, thursday = thursdays = donnerstag = donnerstags = jeudi = jueves,
  friday = fridays = freitag = freitags = vendredi = viernes, saturday = saturdays = samstag = samstags = samedi = sábado,
  sunday = sundays = sonntag = sonntags = dimanche = domingo
rhythm: daily, weekly, biweekly = fortnightly, monthly, quarterly, yearly
month: january, february, march, april, june, july, august, september, october, november, december
answer length, length, answers, answer, reply, replies, explanations, write, give, explain, antworten, réponses,
  respuestas: detailed = in detail = longer = lengthy = verbose = long = longuement = détaillé = détaillée =
  détaillées = détails = ausführlich = lang = detallado = detalladas, short = shorter = brief = succinct = concise =
  terse = brièvement = court = courte = courtes = kurz = kurze = knapp = corto = corta = cortas = breve = breves
answer format, format, answers, answer, reply, write, lists, summaries: bullet points = bullets = bullet lists =
  stichpunkte, prose = paragraphs = full sentences, tables, numbered lists
answer tone, tone, style, answer, answers, write, talk: formal, casual = informal = relaxed = chatty, friendly,
  professional
quotes, strings: single quotes, double quotes
colour, color: red, blue, green, yellow, purple, orange, pink, black, white, grey = gray, brown
city, town, home: berlin, hamburg, munich = münchen, cologne = köln, frankfurt, stuttgart, leipzig, dresden, vienna =
  wien, zurich = zürich, geneva, basel, bern, paris, lyon, marseille, toulouse, nantes, brussels, antwerp, ghent,
  amsterdam, rotterdam, utrecht, london, leeds, manchester, bristol, birmingham, liverpool, glasgow, edinburgh,
  cardiff, belfast, dublin, cork, lisbon = lisboa, porto, madrid, barcelona, valencia, seville, bilbao, rome, milan,
  turin, naples, bologna, florence, athens, prague, brno, warsaw, krakow, gdansk, budapest, bucharest, sofia,
  belgrade, zagreb, ljubljana, copenhagen, aarhus, stockholm, gothenburg, malmö, oslo, bergen, helsinki, tampere,
  tallinn, riga, vilnius, kyiv, istanbul, ankara, tel aviv, cairo, lagos, nairobi, cape town, johannesburg, dubai,
  mumbai, delhi, bangalore, hyderabad, chennai, singapore, bangkok, hanoi, jakarta, manila, hong kong, taipei,
  shanghai, beijing, seoul, tokyo, osaka, kyoto, sydney, melbourne, brisbane, perth, auckland, wellington, toronto,
  montreal, vancouver, ottawa, calgary, boston, new york = nyc, chicago, seattle, portland, denver, austin, dallas,
  houston, atlanta, miami, philadelphia, san francisco = sf, los angeles, san diego, mexico city, bogotá, lima,
  santiago, buenos aires, montevideo, são paulo, rio de janeiro, graz, linz, salzburg, potsdam, bonn, bremen,
  hannover, nuremberg, freiburg
"""
"""One row for each kind; an indented line continues a row. A row has the words for the kind, then its values, each with its
other names. Rows of tools with the same first word have the same purpose."""

_NUMBERS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_TOKEN = lazy_pattern(r"[^\W_]+(?:[._:/'’-][^\W_]+)*[+#]*|\.?/[\w./-]+", re.UNICODE)
_CLOCK = lazy_pattern(r"\d{1,2}[:h]\d{2}|\d{1,2}(?:am|pm)")
_ZONE = lazy_pattern(r"(?:europe|america|asia|africa|australia|pacific|atlantic)/\w+")
_VERSION = lazy_pattern(r"v?\d+(?:\.\d+)+")
_INTEGER = lazy_pattern(r"\d{1,6}")
_MOST_WORDS = 3
_COMMON_WORDS = frozenset(
    """requests fetch render linear signal warp drone parcel emotion zap shortcut clerk flux mint rider cursor nano eclipse vault harbor
    goose atlas rye hatch nose make just invoke rake render rest clerk resend outline fly swift express
    main master develop trunk teams""".split()
)
"""Names that are also common words: they are a value only after one of `_LEADS_TO_NAME`, or as the first word."""
_LEADS_TO_NAME = frozenset(
    """use uses using used with in on via by to into onto against called it's branch from prefer prefers is are of than over through and
    not no""".split()
)
_JOINS = lazy_pattern(r"[\s._'-]")
_ELIDES = lazy_pattern(r"(?:[cdjlmnst]|qu)'")


class Value(NamedTuple):
    """A value that a text names: its kind, its name, and the places of its first and last words."""

    kind: str
    name: str
    first: int
    last: int


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case; a version, time, path or name with dots is one word."""
    words = (found[0].casefold().replace("’", "'").removeprefix("//") for found in _TOKEN.finditer(text))
    return [word for word in words if word]


def values(said: list[str]) -> Iterator[Value]:
    """Yield the values that words name, at each place the longest name."""
    table = _values()
    at = 0
    while at < len(said):
        for size in range(min(_MOST_WORDS, len(said) - at), 0, -1):
            name = "".join(said[at : at + size])
            is_word = _bare(name) in _COMMON_WORDS and at > 0 and said[at - 1] not in _LEADS_TO_NAME
            names = () if is_word or ("'" in name and _ELIDES.match(name)) else table.get(_bare(name), ())
            if names:
                yield from (Value(kind, name, at, at + size - 1) for kind, name in names)
                at += size
                break
        else:
            number = next(_numeric(said, at), None)
            if number is not None:
                yield number
            at = at + 1 if number is None else number.last + 1


def nouns(kind: str) -> frozenset[str]:
    """Return the words that only name the kind of a value: "package manager" for npm."""
    return _nouns().get(kind, frozenset())


def others(kind: str) -> tuple[str, ...]:
    """Return the names of a kind's values as people write them."""
    return _names().get(kind, ())


def _numeric(said: list[str], at: int) -> Iterator[Value]:
    word = said[at]
    after = said[at + 1] if at + 1 < len(said) else ""
    number = _NUMBERS.get(word, word)
    if after in {"spaces", "space"} and _INTEGER.fullmatch(number):
        yield Value("indentation, indent", f"{number} spaces", at, at + 1)
    elif word.endswith("-space") and _INTEGER.fullmatch(_NUMBERS.get(word[:-6], word[:-6])):
        yield Value("indentation, indent", f"{_NUMBERS.get(word[:-6], word[:-6])} spaces", at, at)
    elif _ZONE.fullmatch(word):
        yield Value("time zone", word, at, at)
    elif _CLOCK.fullmatch(word):
        yield Value("clock", word, at, at)
    elif _VERSION.fullmatch(word):
        yield Value("number", word.removeprefix("v"), at, at)
    elif _INTEGER.fullmatch(number) and (word != "one" or after):
        yield Value("number", number, at, at)


def _bare(name: str) -> str:
    return name.casefold() if name.isalnum() else _JOINS.sub("", name.casefold())


@cache
def _rows() -> tuple[tuple[str, frozenset[str], tuple[tuple[str, ...], ...]], ...]:
    rows = []
    for number, line in enumerate(
        f"{TOOLS}{OTHERS}".replace("\n\n", "\n").strip().replace("\n  ", " ").splitlines()
    ):
        words, _, names = line.partition(":")
        kind = words if words.startswith(("indentation", "time zone")) else f"{words} {number}"
        groups = tuple(tuple(map(str.strip, group.split("="))) for group in names.split(","))
        rows.append((kind, frozenset(re.findall(r"\w+", words)), groups))
    return tuple(rows)


@cache
def _values() -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for kind, _, groups in _rows():
        for group in groups:
            meant = (kind, _bare(group[0]))
            for name in map(_bare, group):
                known = found.get(name, ())
                if "@" not in name and meant not in known:
                    found[name] = (*known, meant)
    return found


@cache
def _nouns() -> dict[str, frozenset[str]]:
    return {kind: words for kind, words, _ in _rows()}


@cache
def _names() -> dict[str, tuple[str, ...]]:
    return {
        kind: tuple(name for group in groups for name in group if "@" not in name)
        for kind, _, groups in _rows()
    }


@cache
def purposes() -> dict[str, frozenset[str]]:
    """Return the purposes of each tool whose name is one word."""
    found: dict[str, frozenset[str]] = {}
    for row in TOOLS.strip().replace("\n  ", " ").splitlines():
        words, _, names = row.partition(":")
        for name in (each.strip() for group in names.split(",") for each in group.split("=")):
            if " " not in name:
                found[name] = found.get(name, frozenset()) | {words.partition(",")[0]}
    return found
