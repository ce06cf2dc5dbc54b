// What the payload of each kind must be.
//
// Implements specs/memory.md (M-1…M-5, M-9, M-10) and specs/event.md (E-13, E-24). A check returns what is wrong as the
// rest of "<member> …", or null.

import { fromBase64url } from "./bytes.ts";
import { isObject, type Json, type JsonObject } from "./canonical.ts";
import { isId } from "./schema.ts";

type Check = (value: Json) => string | null;
type Rules = Map<string, Check>;

const LINE_ENDS = /[\0\n-\r\x1c-\x1e\x85\u2028\u2029]/;
const SPACE = "[\\t \\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]";
const BLANK = new RegExp(`^${SPACE}*$`);
const OUTER_SPACE = new RegExp(`^${SPACE}|${SPACE}$`);
const SEGMENT = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DECIMAL = /^(?:0\.[0-9]{2}|1\.00)$/;

/** Say what is wrong with the members of a decoded PAYLOAD, or return null. */
export function payloadFault(kind: string, payload: JsonObject): string | null {
  const salt = payload.salt;
  if (typeof salt !== "string" || fromBase64url(salt, 16) === null) return "salt must be the base64url of 16 bytes";
  const [rules, required] = kind === "create" || kind === "supersede" ? RECORD : kind === "anchor" ? ANCHOR : NOTE;
  if (!Object.hasOwn(payload, required)) return `${required} is missing`;
  return membersFault(payload, rules);
}

function membersFault(object: JsonObject, rules: Rules): string | null {
  for (const name of Object.keys(object)) {
    const wrong = rules.get(name)?.(object[name]!) ?? null;
    if (wrong !== null) return `${name} ${wrong}`;
  }
  return null;
}

/** Count code points, of which a text has half as many as it has UTF-16 units, or more. */
function isLonger(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || [...text].length > most);
}

function line(most: number): Check {
  return (value) => {
    if (typeof value !== "string") return "must be text";
    if (value === "" || isLonger(value, most)) return `must have 1 to ${most} characters`;
    return LINE_ENDS.test(value) ? "must be one line" : null;
  };
}

function lines(most: number, count: number): Check {
  const one = line(most);
  return (value) => {
    if (!Array.isArray(value) || value.length > count) return `must be a list of at most ${count} lines`;
    const wrong = value.map(one).find((each) => each !== null);
    return wrong === undefined ? null : `holds an item that ${wrong}`;
  };
}

/** Any lines; U+0000 is in no canonical JSON. */
const text = must("text", (value) => typeof value === "string");
const reason = must("text of at most 4000 characters", (value) => typeof value === "string" && !isLonger(value, 4000));

function must(be: string, holds: (value: Json) => boolean): Check {
  return (value) => (holds(value) ? null : `must be ${be}`);
}

function oneOf(...values: Json[]): Check {
  return must(`one of ${values.join(", ")}`, (value) => values.includes(value));
}

const statement = line(1000);
const heading = line(100);
const place = line(500);

function statementFault(value: Json): string | null {
  return statement(value) ?? (BLANK.test(value as string) ? "is blank" : null);
}

function sectionFault(value: Json): string | null {
  const isHeading = (each: string): boolean => !each.startsWith("#") && !OUTER_SPACE.test(each);
  return heading(value) ?? (isHeading(value as string) ? null : "must be a heading's text, without # or outer spaces");
}

function isTopic(value: Json): boolean {
  const segments = typeof value === "string" ? value.split("/") : [];
  const isGood = segments.every((each) => each.length <= 64 && SEGMENT.test(each));
  return segments.length >= 1 && segments.length <= 4 && isGood;
}

function isPart(value: Json): boolean {
  if (!isObject(value)) return false;
  const [n, of, first] = [value.n, value.of, value.first];
  if (typeof n !== "number" || typeof of !== "number" || n < 1 || n > of) return false;
  return n === 1 ? first === undefined || first === null : isId(first);
}

function isPlace(value: Json): boolean {
  if (!isObject(value) || place(value.doc ?? null) !== null) return false;
  const after = value.after;
  return after === undefined || after === null || isId(after);
}

const ORIGINS: Rules = new Map(
  "conversation message session agent task tool file author date".split(" ").map((name) => [name, place]),
);

function provenance(value: Json): string | null {
  if (!isObject(value)) return "must be an object";
  const wrong = membersFault(value, ORIGINS);
  return wrong === null ? null : `holds ${wrong}`;
}

const CATEGORIES = ["repeated-correction", "error-pattern", "user-preference", "project-pattern", "tool-usage"];
const RECORD: [Rules, string] = [
  new Map<string, Check>(
    Object.entries({
      text: statementFault,
      details: lines(1000, 200),
      title: line(200),
      body: text,
      part: must("{n, of, first}", isPart),
      place: must("{doc, after}", isPlace),
      topic: must("a slug path such as codebase-structure/auth-module", isTopic),
      when_to_use: lines(500, 100),
      tags: lines(64, 100),
      type: oneOf("fact", "preference", "decision", "note", "episode", "identity", "commitment"),
      section: sectionFault,
      tier: oneOf("daily", "curated", "committed"),
      importance: oneOf("low", "medium", "high", "critical"),
      confidence: must('a decimal from "0.00" to "1.00"', (value) => typeof value === "string" && DECIMAL.test(value)),
      inferred: oneOf(true, false),
      source: oneOf("auto", "manual"),
      status: oneOf("active", "candidate"),
      category: oneOf(...CATEGORIES),
      provenance,
      extra: text,
      reason,
    }),
  ),
  "text",
];
const NOTE: [Rules, string] = [new Map<string, Check>(Object.entries({ reason, provenance })), "salt"];
const ANCHOR: [Rules, string] = [
  new Map<string, Check>([
    ...["method", "root", "digest", "file", "where"].map((name): [string, Check] => [name, line(1000)]),
    ["size", must("an integer of at least 0", (value) => typeof value === "number" && value >= 0)],
  ]),
  "method",
];
