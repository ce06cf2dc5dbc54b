// Keys as people hand them on: vkeys.
//
// Implements specs/proofs.md (T-12) and the origin of T-20.

import { sha256 } from "@noble/hashes/sha2.js";
import { encoded, fromBase64, toHex } from "./bytes.ts";
import { Fault } from "./fault.ts";

export const ED25519 = 1;
export const COSIGNATURE = 4;
const ORIGIN = /^muniment\/([0-9a-f]{64})\/(0|[1-9][0-9]{0,15})$/;
const NAME = /^[^\p{White_Space}\x00-\x1f+]+$/u;

/** A public key that notes are verified by; `id` is the key id in hex. */
export interface NoteKey {
  name: string;
  id: string;
  type: number;
  key: Uint8Array<ArrayBuffer>;
}

/** Which chain a checkpoint of a ledger, or a key of one, is of: the genesis id and the epoch of its newest event. */
export interface Origin {
  genesis: string;
  epoch: number;
}

/** Return the key that `name+id+base64` spells, or what is wrong with it. */
export function readVkey(vkey: string): NoteKey | Fault {
  const [name = "", id = "", ...rest] = vkey.split("+");
  const raw = fromBase64(rest.join("+"));
  if (raw === null || raw.length === 0) return refused("it is not written name+hex+base64");
  const [type, key] = [raw[0]!, raw.slice(1)];
  if (!NAME.test(name)) return refused("its name is empty, or holds a space");
  if (type !== ED25519 && type !== COSIGNATURE) return refused("it is of a type that this page cannot verify");
  if (key.length !== 32) return refused("it has not 32 bytes");
  if (keyId(name, raw) !== id) return refused("its name or bytes are not those that its id was made of");
  return { name, id, type, key };
}

/** Return what the first line of a checkpoint names, or null if it is not a ledger of ours. */
export function readOrigin(text: string): Origin | null {
  const found = ORIGIN.exec(text);
  return found && { genesis: found[1]!, epoch: Number(found[2]) };
}

function keyId(name: string, typed: Uint8Array): string {
  return toHex(sha256.create().update(encoded(`${name}\n`)).update(typed).digest().slice(0, 4));
}

function refused(why: string): Fault {
  return new Fault("note-malformed", "T-12", `this is not a key: ${why}`);
}
