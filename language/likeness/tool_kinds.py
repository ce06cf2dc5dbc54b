"""Kinds of tools of which one purpose needs one each: React and pnpm for the frontend stand beside each other.

Implements specs/likeness.md (L-53). Pure. A kind is wide: whatever may be chosen instead of each other belongs to one, so that
what is of different kinds excludes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from language.likeness.vocabulary import canonical

__all__ = ["are_of_one_kind", "are_of_other_kinds"]

KINDS = """
npm pnpm yarn bun deno pip uv poetry pipenv conda mamba pdm hatch rye brew homebrew macports apt dnf pacman nix
react vue svelte angular solidjs preact ember qwik nextjs nuxt remix astro gatsby
flask django fastapi starlette litestar express fastify koa nestjs rails laravel sinatra actix axum
postgres mysql sqlite mongodb mariadb redis memcached valkey dynamodb cassandra firestore elasticsearch opensearch meilisearch algolia
  clickhouse duckdb cockroachdb kafka rabbitmq redpanda nats sqs pulsar celery dramatiq sidekiq bullmq
sqlalchemy prisma drizzle typeorm sequelize knex kysely peewee tortoise
alembic flyway liquibase goose dbmate
pytest unittest nose jest vitest mocha jasmine ava karma junit testng rspec minitest cypress playwright selenium puppeteer testcafe
  tox nox
eslint tslint oxlint biome ruff flake8 pylint rubocop clippy golangci-lint
prettier biome dprint black yapf autopep8 ruff gofmt rustfmt
mypy pyright pyre pytype
webpack vite rollup esbuild parcel turbopack rspack snowpack bun
tailwind bootstrap sass scss styled-components bulma
redux zustand mobx jotai recoil pinia vuex xstate
python typescript javascript go golang rust java kotlin scala ruby php swift elixir haskell perl clojure zig julia lua
vim neovim emacs vscode helix zed sublime intellij pycharm webstorm goland
bash zsh fish nushell powershell
docker podman colima orbstack
docker kubernetes nomad swarm ecs heroku render vercel netlify aws gcp azure hetzner digitalocean cloudflare kamal capistrano ansible
  argocd terraform pulumi opentofu cloudformation
github gitlab bitbucket gitea circleci jenkins travis buildkite teamcity
make just taskfile nox tox rake gradle maven bazel cmake meson
datadog prometheus grafana honeycomb dynatrace sentry rollbar bugsnag
jira trello asana youtrack clickup redmine
slack discord mattermost zulip telegram whatsapp
confluence notion obsidian evernote
figma sketch penpot
yaml toml json xml
tab space
"""
"""A kind a row, which goes on where a line is indented."""


def are_of_other_kinds(some: Iterable[str], others: Iterable[str]) -> bool:
    """Say whether words of two texts name tools, and none of one kind; what no table knows says nothing."""
    mine, yours = _kinds(some), _kinds(others)
    return bool(mine and yours) and mine.isdisjoint(yours)


def are_of_one_kind(some: Iterable[str], others: Iterable[str]) -> bool:
    """Say whether words of two texts name tools of one kind."""
    return not _kinds(some).isdisjoint(_kinds(others))


def _kinds(words: Iterable[str]) -> frozenset[int]:
    table = _table()
    return frozenset[int]().union(*(table.get(word, ()) for word in words))


@cache
def _table() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, row in enumerate(KINDS.strip().replace("\n  ", " ").splitlines()):
        for word in row.split():
            found.setdefault(canonical(word), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}
