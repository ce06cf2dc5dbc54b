// The event catalogue: each kind, its members, and the check of every member of EVENT.
//
// Implements specs/event.md (E-14…E-18, E-22). A check returns what is wrong as the rest of "<member> …", or null.

import { fromBase64url } from "./bytes.ts";
import { isObject, type Json, type JsonObject } from "./canonical.ts";

type Check = (value: Json) => string | null;

const ALWAYS = ["v", "seq", "prev", "ts", "kind", "epoch", "by"];
const KINDS = new Map(
  Object.entries({
    genesis: kind("key next nonce ledger", "at"),
    create: kind("commit", "at seen"),
    supersede: kind("targets commit", "at seen"),
    delete: kind("targets", "at seen commit"),
    confirm: kind("targets", "at seen commit"),
    erase: kind("targets", "at seen commit"),
    rotate: kind("key next", "at seen proof since"),
    recover: kind("lost cut", "at seen commit"),
    anchor: kind("commit", "at seen"),
  }),
);
const ROLES = new Set<Json>(["user", "agent", "system"]);
const VIAS = new Set<Json>(["cli", "mcp", "hook", "library", "edit", "git", "import"]);
const SCOPES = new Set<Json>(["user", "project", "local"]);

const ID = /^[0-9a-f]{64}$/;
const LEDGER_ID = /^[0-9a-f]{32}$/;
const SLUG = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const TIME = /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function kind(required: string, optional: string): { required: string[]; allowed: Set<string> } {
  const needed = [...ALWAYS, ...required.split(" ")];
  return { required: needed, allowed: new Set([...needed, ...optional.split(" ")]) };
}

/** Say what is wrong with the members of a decoded EVENT of version 1, or return null. */
export function eventFault(event: JsonObject): string | null {
  const name = event.kind;
  const row = typeof name === "string" ? KINDS.get(name) : undefined;
  if (row === undefined) return "kind is unknown";
  const missing = row.required.filter((each) => !Object.hasOwn(event, each));
  if (missing.length > 0) return `a ${name} lacks ${missing.join(", ")}`;
  for (const each of Object.keys(event)) {
    if (!row.allowed.has(each)) return `a ${name} has no member ${each}`;
    const wrong = CHECKS.get(each)!(event[each]!);
    if (wrong !== null) return `${each} ${wrong}`;
  }
  return event.at === event.ts ? "at is the same as ts and must be left out" : null;
}

export function isId(value: Json | undefined): boolean {
  return typeof value === "string" && ID.test(value);
}

function isCount(value: Json | undefined): boolean {
  return typeof value === "number" && value >= 0;
}

function isTime(value: Json): boolean {
  const found = typeof value === "string" ? TIME.exec(value) : null;
  if (found === null) return false;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return year >= 1 && day >= 1 && day <= (month === 2 && isLeap ? 29 : (DAYS[month - 1] ?? 0));
}

function isSlug(value: Json | undefined): boolean {
  return typeof value === "string" && SLUG.test(value);
}

function isBy(value: Json): boolean {
  return hasExactly(value, 3) && isSlug(value.name) && ROLES.has(value.role!) && VIAS.has(value.via!);
}

function isLedger(value: Json): boolean {
  if (!hasExactly(value, 3) || typeof value.id !== "string") return false;
  return LEDGER_ID.test(value.id) && isSlug(value.name) && SCOPES.has(value.scope!);
}

function isLost(value: Json): boolean {
  return value === null || (hasExactly(value, 2) && isId(value.id) && isCount(value.seq));
}

/** Say whether it is an object of so many members; those that are asked for next are then all. */
function hasExactly(value: Json, count: number): value is JsonObject {
  return isObject(value) && Object.keys(value).length === count;
}

function areIds(value: Json, most: number): boolean {
  if (!Array.isArray(value) || value.length < 1 || value.length > most) return false;
  return value.every(isId) && new Set(value).size === value.length;
}

function isBase64url(value: Json, size: number): boolean {
  return typeof value === "string" && fromBase64url(value, size) !== null;
}

function must(be: string, holds: (value: Json) => boolean): Check {
  return (value) => (holds(value) ? null : `must be ${be}`);
}

const id = must("64 hex digits", isId);
const idOrNull = must("64 hex digits or null", (value) => value === null || isId(value));
const time = must("a UTC time such as 2026-11-20T15:11:00.123456Z", isTime);
const count = must("an integer of at least 0", isCount);

const CHECKS = new Map<string, Check>(
  Object.entries({
    v: must("1", (value) => value === 1),
    seq: count,
    prev: idOrNull,
    ts: time,
    kind: () => null,
    epoch: count,
    by: must("{name, role, via} of known values", isBy),
    commit: id,
    at: time,
    targets: must("a list of 1 to 16 different ids", (value) => areIds(value, 16)),
    seen: must("a list of 1 to 64 different ids", (value) => areIds(value, 64)),
    key: id,
    next: id,
    nonce: must("the base64url of 16 bytes", (value) => isBase64url(value, 16)),
    ledger: must("{id, name, scope} of known values", isLedger),
    proof: must("the base64url of 64 bytes", (value) => isBase64url(value, 64)),
    since: must("an integer of at least 1", (value) => isCount(value) && value !== 0),
    lost: must("{id, seq} or null", isLost),
    cut: idOrNull,
  }),
);
