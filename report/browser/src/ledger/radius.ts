/** Blast radius: what came from a source, and what was built on that (specs/report.md H-50…H-52), as `projections/radius.py` has it. */

import type { Payload, Row } from "./rows";
import { sectionOf } from "./state";

/** What each word of a source names; all that are given must hold. */
export type Source = Map<string, string>;

/** A row with what it says. */
interface Said {
  row: Row;
  payload: Payload;
}

const WORD = /(?:^|,)(conversation|session|file|author|tool|agent|since|until):/g;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const MAKES = new Set(["create", "supersede"]);

/** Returns the source that a text names; null where it names none. A time is a day, or an instant as RFC 3339 writes it. */
export function sourceOf(text: string): Source | null {
  const words = [...text.matchAll(WORD)];
  if (words[0]?.index !== 0) return null;
  const source: Source = new Map();
  for (const [at, word] of words.entries()) {
    const value = text.slice(word.index + word[0].length, words[at + 1]?.index).trim();
    const isTime = word[1] === "since" || word[1] === "until";
    if (!value || source.has(word[1]!) || (isTime && (!(DAY.test(value) || INSTANT.test(value)) || Number.isNaN(Date.parse(value))))) return null;
    source.set(word[1]!, value);
  }
  return source;
}

/** Returns the rows that came from a source, and those that were built on them, oldest first. */
export function radius(rows: Row[], payloadOf: (row: Row) => Payload, source: Source): { came: Row[]; built: Row[] } {
  const byId = new Map<string, Said>();
  const reached = new Set<string>();
  const [came, built]: [Row[], Row[]] = [[], []];
  for (const row of rows) {
    const said = { row, payload: payloadOf(row) };
    if (said.payload?.part?.n > 1) continue;
    byId.set(row.id, said);
    if ([...source].every(([name, value]) => fits(said, name, value))) came.push(row);
    else if (isBuilt(said, reached) && !onlyRestores(said, reached, byId)) built.push(row);
    else continue;
    reached.add(row.id);
  }
  return { came, built };
}

function fits({ row, payload }: Said, name: string, value: string): boolean {
  const origin = payload?.provenance ?? {};
  const makes = MAKES.has(row.kind);
  switch (name) {
    case "since":
      return DAY.test(value) ? row.day >= value : row.at.slice(0, -1) >= instant(value);
    case "until":
      return DAY.test(value) ? row.day <= value : row.at.slice(0, -1) < instant(value);
    case "author":
      return row.by.name === value || (makes && origin.author === value);
    case "agent":
      return (row.by.role === "agent" && row.by.name === value) || (makes && origin.agent === value);
    case "file":
    case "tool":
      return makes && origin[name] === value;
  }
  return origin[name] === value;
}

/** Returns an instant as rows write it, without the Z: it may have fewer digits than theirs. */
function instant(text: string): string {
  return new Date(text).toISOString().slice(0, -1);
}

/** Returns the ids of the memories that one was made from, as it says itself (M-4). */
export function madeFrom(payload: Payload): string[] {
  const origins: unknown = payload?.from;
  return Array.isArray(origins) ? origins.filter((id) => typeof id === "string") : [];
}

function isBuilt({ row, payload }: Said, reached: Set<string>): boolean {
  if (row.kind !== "confirm" && !MAKES.has(row.kind)) return false;
  return row.targets.some((id) => reached.has(id)) || (MAKES.has(row.kind) && madeFrom(payload).some((id) => reached.has(id)));
}

/** Says whether a supersede only repeats what its reached targets had replaced, so that it builds on none of them. */
function onlyRestores({ row, payload }: Said, reached: Set<string>, byId: Map<string, Said>): boolean {
  if (row.kind !== "supersede" || !payload) return false;
  const statement = statementOf(payload);
  const open = row.targets.filter((id) => reached.has(id));
  const seen = new Set<string>();
  while (open.length > 0) {
    const one = byId.get(open.pop()!);
    for (const id of one?.row.kind === "supersede" ? one.row.targets : []) {
      if (seen.has(id)) continue;
      seen.add(id);
      const old = byId.get(id)?.payload;
      if (reached.has(id)) open.push(id);
      else if (old && statementOf(old) === statement) return true;
    }
  }
  return false;
}

/** Returns what two memories share that make the same statement (M-8). */
function statementOf(payload: NonNullable<Payload>): string {
  const { topic = "", tier = "curated", text, details = [], title = "", body = "", place, provenance = {} } = payload;
  const day = tier === "daily" ? (provenance.date ?? "").slice(0, 10) : "";
  const where = place && payload.type === "note" ? [place.doc, place.after ?? ""] : [];
  return JSON.stringify([sectionOf(payload), topic, tier, text, details, title, body, day, ...where]);
}
