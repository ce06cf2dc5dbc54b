// Signed notes: text with signature lines under it, and the keys that people hand on as vkeys.
//
// Implements specs/proofs.md (T-10…T-14, T-20). Layout of a note:
//
//     text, which ends in LF
//     LF
//     U+2014 SPACE name SPACE base64(key id (4 bytes) ‖ signature) LF      (one or more)

import { sha256 } from "@noble/hashes/sha2.js";
import { encoded, fromBase64, toHex } from "./bytes.ts";
import { Fault } from "./fault.ts";
import type { Verify } from "./signature.ts";

export const ED25519 = 1;
export const COSIGNATURE = 4;
const MOST_BYTES = 1 << 20;
const MOST_SIGNATURES = 64;
const DASH = "— ";
const ID_BYTES = 4;
const NAME = /^[^\p{White_Space}\x00-\x1f+]+$/u;
const CONTROL = /[\x00-\x09\x0b-\x1f]/;
const ORIGIN = /^muniment\/([0-9a-f]{64})\/(0|[1-9][0-9]{0,15})$/;
const SIZE = /^(?:0|[1-9][0-9]{0,15})$/;

type Bytes = Uint8Array<ArrayBuffer>;

/** A public key that notes are verified by; `id` is the key id in hex. */
export interface NoteKey {
  name: string;
  id: string;
  type: number;
  key: Bytes;
}

/** Which chain a checkpoint of a ledger, or a key of one, is of: the genesis id and the epoch of its newest event. */
export interface Origin {
  genesis: string;
  epoch: number;
}

/** A parsed note, of which nothing is verified. */
export interface Note {
  text: string;
  signatures: { name: string; id: string; signature: Bytes }[];
}

/** A tree of `size` events under `root`, as the ledger and epoch `origin` says it. */
export interface Checkpoint {
  origin: string;
  size: number;
  root: Bytes;
}

/** Return the key that `name+id+base64` spells, or what is wrong with it. */
export function readVkey(vkey: string): NoteKey | Fault {
  const [name = "", id = "", ...rest] = vkey.split("+");
  const raw = fromBase64(rest.join("+"));
  if (raw === null || raw.length === 0) return noKey("it is not written name+hex+base64");
  const [type, key] = [raw[0]!, raw.slice(1)];
  if (!NAME.test(name)) return noKey("its name is empty, or holds a space");
  if (type !== ED25519 && type !== COSIGNATURE) return noKey("it is of a type that this page cannot verify");
  if (key.length !== 32) return noKey("it has not 32 bytes");
  const made = noteKey(name, key, type);
  return made.id === id ? made : noKey("its name or bytes are not those that its id was made of");
}

/** Return a key with its id (T-12). */
export function noteKey(name: string, key: Bytes, type = ED25519): NoteKey {
  const hash = sha256.create().update(encoded(`${name}\n`)).update(Uint8Array.of(type)).update(key);
  return { name, id: toHex(hash.digest().slice(0, ID_BYTES)), type, key };
}

/** Return a key as people hand it on. */
export function vkeyOf({ name, id, type, key }: NoteKey): string {
  return `${name}+${id}+${btoa(String.fromCharCode(type, ...key))}`;
}

/** Return what the first line of a checkpoint names, or null if it is not a ledger of ours. */
export function readOrigin(text: string): Origin | null {
  const found = ORIGIN.exec(text);
  return found && { genesis: found[1]!, epoch: Number(found[2]) };
}

/** Return the note that a text spells; every character has its place, and nothing is skipped (T-11). */
export function readNote(text: string): Note | Fault {
  if (encoded(text).length > MOST_BYTES) return malformed("the note is too long");
  if (CONTROL.test(text)) return malformed("a control character stands in the note");
  const blank = text.lastIndexOf("\n\n");
  if (blank < 0) return malformed("no blank line stands between text and signatures");
  const lines = text.slice(blank + 2).split("\n");
  if (lines.pop() !== "") return malformed("the last line lacks its line feed");
  if (lines.length === 0) return malformed("the note has no signature");
  if (lines.length > MOST_SIGNATURES) return malformed("there are too many signatures");
  const signatures = lines.map(readSignature).filter((each) => each !== null);
  if (signatures.length < lines.length) return malformed("a line is not a signature where one must stand");
  return { text: text.slice(0, blank + 1), signatures };
}

/** Return the checkpoint that a note's text spells (T-20). */
export function readCheckpoint(text: string): Checkpoint | Fault {
  const lines = text.split("\n");
  const isEnded = lines.pop() === "";
  const [origin = "", size = "", root = ""] = lines;
  if (!isEnded || lines.length < 3 || lines.includes("")) {
    return noCheckpoint("it needs an origin, a size and a root, each on a line of its own");
  }
  if (!SIZE.test(size) || Number(size) > Number.MAX_SAFE_INTEGER) return noCheckpoint("its size is not a decimal number");
  const bytes = fromBase64(root);
  if (bytes === null || bytes.length !== 32) return noCheckpoint("its root is not the base64 of 32 bytes");
  return { origin, size: Number(size), root: bytes };
}

/** Say why a note is not signed by a key of type 01, or return null: each line of that key must hold (T-14). */
export async function unsigned(note: Note, key: NoteKey, verify: Verify): Promise<string | null> {
  const lines = note.signatures.filter(({ name, id }) => name === key.name && id === key.id);
  if (lines.length === 0) return "no line of it is by that key";
  const text = encoded(note.text);
  const held = await Promise.all(
    lines.map(({ signature }) => signature.length === 64 && verify(key.key, text, signature)),
  );
  return held.every(Boolean) ? null : "the signature does not match: the text or the line was changed";
}

function readSignature(line: string): Note["signatures"][number] | null {
  if (!line.startsWith(DASH)) return null;
  const rest = line.slice(DASH.length);
  const name = rest.split(" ", 1)[0]!;
  const raw = fromBase64(rest.slice(name.length + 1));
  if (!NAME.test(name) || raw === null || raw.length <= ID_BYTES) return null;
  return { name, id: toHex(raw.subarray(0, ID_BYTES)), signature: raw.slice(ID_BYTES) };
}

function noKey(why: string): Fault {
  return new Fault("note-malformed", "T-12", `this is not a key: ${why}`);
}

function malformed(what: string): Fault {
  return new Fault("note-malformed", "T-11", `malformed signed note: ${what}`);
}

function noCheckpoint(what: string): Fault {
  return new Fault("checkpoint-malformed", "T-20", `malformed checkpoint: ${what}`);
}
