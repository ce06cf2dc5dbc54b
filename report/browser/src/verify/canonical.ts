// Canonical JSON: one value, one spelling.
//
// Implements specs/event.md (E-5…E-7): parse, look at the domain, spell again, and refuse unless the text is the same.

import { utf8 } from "./bytes.ts";
import { Fault } from "./fault.ts";

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

const MOST_LEVELS = 16;
const KEY = /^[a-z0-9_]+$/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Return the object that these bytes spell canonically, or the fault; `what` names them in it. */
export function decode(bytes: Uint8Array, what: string): JsonObject | Fault {
  const text = utf8(bytes);
  const value = text === null ? undefined : parsed(text);
  if (value === undefined) return refused("E-7", `${what} is not JSON`);
  if (!isObject(value)) return refused("E-1", `${what} is not an object`);
  const again = spelled(value);
  if (again === null) return refused("E-6", `${what} is not canonical: a value or a key that is not allowed`);
  if (again === text) return value;
  return refused("E-7", `${what} is not canonical: order of keys, spaces, escapes, or a key twice`);
}

/** Return the canonical text of a value, or null if it lies outside the domain of E-6. */
export function spelled(value: Json, level = 1): string | null {
  if (typeof value === "string") return spelledText(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  if (level > MOST_LEVELS) return null;
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) {
      const inner = spelled(item, level + 1);
      if (inner === null) return null;
      text += text === "" ? inner : `,${inner}`;
    }
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const inner = KEY.test(key) ? spelled(value[key] as Json, level + 1) : null;
    if (inner === null) return null;
    text += text === "" ? `"${key}":${inner}` : `,"${key}":${inner}`;
  }
  return `{${text}}`;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function spelledText(value: string): string | null {
  return value.includes("\0") || LONE_SURROGATE.test(value) ? null : JSON.stringify(value);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function refused(rule: string, message: string): Fault {
  return new Fault("not-canonical", rule, message);
}
