// One line by itself: its parts, its id, its EVENT and what its payload is.
//
// Implements specs/event.md (E-1…E-4, E-11…E-13, E-15). Layout of a line:
//
//     {"event":EVENT,"sig":"SIG86"}                      head is everything through the quote after SIG86
//     {"event":EVENT,"sig":"SIG86","payload":PAYLOAD}

import { blake3 } from "@noble/hashes/blake3.js";
import { encoded, fromBase64url, toHex, utf8 } from "./bytes.ts";
import { decode, type JsonObject } from "./canonical.ts";
import { Fault } from "./fault.ts";
import { payloadFault } from "./payload.ts";
import { eventFault } from "./schema.ts";

export const MOST_BYTES = 65_535;
const OPEN = encoded('{"event":');
const SIG = encoded(',"sig":"');
const PAYLOAD = encoded(',"payload":');
const BOM = Uint8Array.of(0xef, 0xbb, 0xbf);
const SIG_LENGTH = 86;
const [QUOTE, BRACE, SPACE] = [0x22, 0x7d, 0x20];
const VERSION_1 = encoded(',"v":1}');
const VERSION = /,"v":([1-9][0-9]*)\}$/;
const ascii = new TextDecoder("latin1");

/** The parts of a line, as bytes of the file. */
interface Parts {
  event: Uint8Array;
  sig: Uint8Array;
  head: Uint8Array;
  payload: Uint8Array | null;
}

/**
 * A line whose EVENT is good by itself: its value and id, the 64 bytes of its SIG or null if that is no base64url (E-8),
 * and its payload.
 */
export interface Line {
  event: Uint8Array;
  value: JsonObject;
  id: string;
  signature: Uint8Array<ArrayBuffer> | null;
  payload: Payload;
}

/** A payload before any erase counts: none was signed, or it is as signed, blank, altered or cut off. */
export interface Payload {
  state: "none" | "present" | "blank" | "altered" | "missing";
  fault: Fault | null;
}

/** Read a line without its LF: all that can be judged without the lines before it, in the order of V-3. */
export function readLine(raw: Uint8Array): Line | Fault {
  const parts = split(raw);
  if (parts instanceof Fault) return parts;
  const { event, sig, head, payload } = parts;
  if (!has(event, VERSION_1, event.length - VERSION_1.length) && (VERSION.exec(ascii.decode(event))?.[1] ?? "1") !== "1") {
    return new Fault("unsupported-version", "E-15", "the event is of a later format version than this page can read");
  }
  const value = decode(event, "the event");
  if (value instanceof Fault) return value;
  const wrong = eventFault(value);
  if (wrong !== null) return new Fault("schema", "E-14", wrong);
  const signature = fromBase64url(utf8(sig) ?? "", 64);
  return { event, value, id: derived(ID, head), signature, payload: payloadOf(value, payload) };
}

/** Return the head of a line, and its payload as it is written, null if it is blank or none; null if the line is no event's. */
export function cutLine(raw: Uint8Array): { head: Uint8Array; payload: Uint8Array | null } | null {
  const parts = split(raw);
  if (parts instanceof Fault) return null;
  const { head, payload } = parts;
  return { head, payload: payload !== null && isBlank(payload) ? null : payload };
}

/** Return the commitment to the next public key of 32 bytes (E-19). */
export function nextKeyCommitment(key: Uint8Array): string {
  return derived(NEXT_KEY, key);
}

/** Cut a line into its parts, or say what is wrong with its shape (E-1…E-3, C-1). */
function split(raw: Uint8Array): Parts | Fault {
  if (raw.length > MOST_BYTES) {
    return new Fault("line-too-long", "E-2", `the line is longer than the ${MOST_BYTES} bytes that are allowed`);
  }
  const control = controlByte(raw);
  if (control >= 0) {
    const what = raw[control]!.toString(16).padStart(2, "0");
    return new Fault("raw-control", "E-3", `byte ${control + 1} of the line is the control byte ${what}`);
  }
  if (has(raw, BOM, 0)) return new Fault("bom", "E-3", "a byte-order mark precedes the event");
  if (raw.length === 0) return new Fault("blank-line", "C-1", "the line is blank");
  if (!has(raw, OPEN, 0)) return framing('the line does not begin with {"event":');
  const cut = find(raw, SIG, OPEN.length);
  const sig = cut + SIG.length;
  const end = sig + SIG_LENGTH;
  if (cut < 0 || raw[end] !== QUOTE) {
    return framing("the signature is missing: the line is cut, or not an event");
  }
  const parts = { event: raw.subarray(OPEN.length, cut), sig: raw.subarray(sig, end), head: raw.subarray(0, end + 1) };
  const payload = end + 1 + PAYLOAD.length;
  if (raw[raw.length - 1] === BRACE) {
    if (raw.length === end + 2) return { ...parts, payload: null };
    if (has(raw, PAYLOAD, end + 1) && raw.length > payload + 1) return { ...parts, payload: raw.subarray(payload, -1) };
  }
  return framing("the line does not end as an event does");
}

function controlByte(raw: Uint8Array): number {
  for (let at = 0; at < raw.length; at++) if (raw[at]! < SPACE) return at;
  return -1;
}

function framing(message: string): Fault {
  return new Fault("framing", "E-1", message);
}

function has(bytes: Uint8Array, part: Uint8Array, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

function find(bytes: Uint8Array, part: Uint8Array, from: number): number {
  let at = bytes.indexOf(part[0]!, from);
  while (at >= 0 && !has(bytes, part, at)) at = bytes.indexOf(part[0]!, at + 1);
  return at;
}

// --- payloads ---

/** Judge the payload of a good EVENT (V-4). */
function payloadOf(event: JsonObject, payload: Uint8Array | null): Payload {
  if (payload === null) {
    if (!("commit" in event)) return { state: "none", fault: null };
    const fault = new Fault("payload-missing", "E-12", "the payload is gone: the line was shortened");
    return { state: "missing", fault };
  }
  if (!("commit" in event)) {
    const fault = new Fault("payload-unsigned", "E-12", "a payload that the signature does not cover");
    return { state: "none", fault };
  }
  if (derived(COMMIT, payload) === event.commit) {
    return { state: "present", fault: signedFault(event.kind as string, payload) };
  }
  if (isBlank(payload)) return { state: "blank", fault: null };
  return { state: "altered", fault: new Fault("payload-altered", "E-12", "the payload is not what was signed") };
}

function signedFault(kind: string, payload: Uint8Array): Fault | null {
  const value = decode(payload, "the payload");
  if (value instanceof Fault) return new Fault("payload-schema", value.rule, value.message);
  const wrong = payloadFault(kind, value);
  return wrong === null ? null : new Fault("payload-schema", "M-4", `the payload breaks the format: ${wrong}`);
}

/** Say whether these are the bytes of an erased payload (E-4). */
function isBlank(payload: Uint8Array): boolean {
  return has(payload, NULL, 0) && payload.subarray(NULL.length).every((byte) => byte === SPACE);
}

const NULL = encoded("null");

// --- hashes ---
// Deriving the key from its context costs as much as a head; a clone starts after it.

type Hash = ReturnType<typeof blake3.create>;
const ID = context("memory-ledger 2026-11-20 event id v1");
const COMMIT = context("memory-ledger 2026-11-20 payload v1");
const NEXT_KEY = context("memory-ledger 2026-11-20 next key v1");

function context(name: string): Hash {
  return blake3.create({ context: encoded(name) });
}

function derived(hash: Hash, bytes: Uint8Array): string {
  return toHex(hash.clone().update(bytes).digest());
}
