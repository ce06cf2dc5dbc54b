// Proof files: one event, where it stands in a checkpoint's tree, and what is needed to judge it, in one text.
//
// Implements specs/proofs.md (T-40…T-42). Layout:
//
//     c2sp.org/tlog-proof@v1 LF
//     extra <base64 of canonical JSON> LF
//     index <seq> LF
//     <base64 of a hash> LF                        (the sibling of the leaf first; none in a tree of one)
//     LF
//     <the checkpoint>

import { encoded, fromBase64, utf8 } from "./bytes.ts";
import { decode, isObject, type Json, type JsonObject } from "./canonical.ts";
import { Fault } from "./fault.ts";
import { HASH_BYTES } from "./merkle.ts";
import { readCheckpoint, readNote, type Checkpoint, type Note } from "./note.ts";

const MAGIC = "c2sp.org/tlog-proof@v1\n";
const MOST_BYTES = 16 << 20;
const MOST_HASHES = 63;
const MOST_KEYS = 1000;
const MOST_RECEIPTS = 8;
const MOST_RECEIPT_BYTES = 1 << 20;
const MEMBERS = new Set(["event", "keys", "payload", "receipts", "v"]);
const INDEX = /^index (0|[1-9][0-9]{0,15})$/;
const KIND = /^[a-z0-9.]{1,20}$/;

/** A head as text, with the hashes that show where it stands in the checkpoint's tree. */
export interface Included {
  head: string;
  hashes: Uint8Array[];
}

/** A proof file, parsed and not judged. `receipts` are the kinds of what others gave for the checkpoint. */
export interface Proof {
  index: number;
  event: Included;
  payload: string | null;
  keys: Included[];
  note: Note;
  checkpoint: Checkpoint;
  receipts: string[];
}

/** Return the proof that a file spells; it has one spelling, and nothing is skipped. */
export function readProof(bytes: Uint8Array): Proof | Fault {
  if (bytes.length > MOST_BYTES) return malformed(`it has more than ${MOST_BYTES} bytes`);
  const text = utf8(bytes);
  if (text === null || !text.startsWith(MAGIC)) return malformed("it does not begin with c2sp.org/tlog-proof@v1");
  const blank = text.indexOf("\n\n", MAGIC.length);
  if (blank < 0) return malformed("no blank line stands before the checkpoint");
  const [extra = "", index = "", ...lines] = text.slice(MAGIC.length, blank).split("\n");
  const note = readNote(text.slice(blank + 2));
  if (note instanceof Fault) return note;
  const checkpoint = readCheckpoint(note.text);
  if (checkpoint instanceof Fault) return checkpoint;
  const hashes = hashesOf(lines);
  const number = INDEX.exec(index);
  const raw = extra.startsWith("extra ") ? fromBase64(extra.slice("extra ".length)) : null;
  if (raw === null || number === null || hashes === null) return malformed("its first lines are not as they are written");
  const value = decode(raw, "the proof's extra line");
  if (value instanceof Fault) return value;
  const more = readExtra(value, hashes);
  return more === null
    ? malformed("a member of its extra line is missing, of another type, or none of ours")
    : { index: Number(number[1]), note, checkpoint, ...more };
}

function readExtra(extra: JsonObject, hashes: Uint8Array[]): Omit<Proof, "index" | "note" | "checkpoint"> | null {
  const [event, payload = null] = [extra.event, extra.payload];
  const keys = readKeys(extra.keys);
  const receipts = "receipts" in extra ? readReceipts(extra.receipts!) : [];
  const isOurs = Object.keys(extra).every((name) => MEMBERS.has(name)) && extra.v === 1 && extra.payload !== null;
  if (!isOurs || typeof event !== "string" || keys === null || receipts === null) return null;
  return payload === null || typeof payload === "string" ? { event: { head: event, hashes }, payload, keys, receipts } : null;
}

function readKeys(value: Json | undefined): Included[] | null {
  if (!Array.isArray(value) || value.length > MOST_KEYS) return null;
  const keys = value.map((each) => {
    if (!isObject(each) || !hasOnly(each, "event", "proof") || !Array.isArray(each.proof)) return null;
    const hashes = hashesOf(each.proof);
    return typeof each.event === "string" && hashes ? { head: each.event, hashes } : null;
  });
  return allOf(keys);
}

function readReceipts(value: Json): string[] | null {
  if (!Array.isArray(value) || value.length < 1 || value.length > MOST_RECEIPTS) return null;
  const kinds = value.map((each) => {
    if (!isObject(each) || !hasOnly(each, "data", "kind")) return null;
    const data = typeof each.data === "string" ? fromBase64(each.data) : null;
    const isGood = data !== null && data.length <= MOST_RECEIPT_BYTES;
    return isGood && typeof each.kind === "string" && KIND.test(each.kind) ? each.kind : null;
  });
  return allOf(kinds);
}

function hashesOf(values: readonly Json[]): Uint8Array[] | null {
  if (values.length > MOST_HASHES) return null;
  const hashes = values.map((each) => (typeof each === "string" ? fromBase64(each) : null));
  return hashes.every((each) => each?.length === HASH_BYTES) ? (hashes as Uint8Array[]) : null;
}

function allOf<T>(values: (T | null)[]): T[] | null {
  return values.includes(null) ? null : (values as T[]);
}

function hasOnly(object: JsonObject, ...names: string[]): boolean {
  return Object.keys(object).length === names.length && names.every((name) => Object.hasOwn(object, name));
}

function malformed(what: string): Fault {
  return new Fault("proof-malformed", "T-40", `malformed proof: ${what}`);
}

/** Return an event's line, as it would stand in the chain. */
export function lineOf(head: string, payload: string | null): Uint8Array {
  return encoded(payload === null ? `${head}}` : `${head},"payload":${payload}}`);
}
