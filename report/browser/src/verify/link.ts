// A line with a good EVENT against what stands before it: its place, and its signature by the key in force.
//
// Implements specs/verification.md (V-3, V-5) after the checks of a line by itself, and specs/event.md (E-9, E-20, E-21).

import { encoded, fromBase64url, fromHex } from "./bytes.ts";
import { spelled, type JsonObject } from "./canonical.ts";
import { nextKeyCommitment, type Line } from "./event.ts";
import { Fault } from "./fault.ts";
import type { Verify } from "./signature.ts";

const SIGNED = encoded("memory-ledger/v1 event\n");
const ROTATE_SIGNED = encoded("memory-ledger/v1 rotate\n");

/** The newest good event, and the key in force after it with the commitment to the next one, in hex. */
export interface Tip {
  seq: number;
  id: string;
  ts: string;
  epoch: number;
  key: string;
  next: string;
}

/** A signature that is being checked: by which key, in hex, and whether it holds. */
export interface Checking {
  key: string;
  holds: Promise<boolean>;
}

/**
 * Return the first check that fails, or null.
 *
 * @param line a line whose EVENT is good.
 * @param tip what stands before it; null at the beginning.
 * @param isLoose its place cannot be judged, because the line before is bad (V-5).
 * @param verify checks a signature.
 * @param checking its signature, where that is being checked already; by another key than the right one it is of no use.
 */
export async function lineFault(
  line: Line,
  tip: Tip | null,
  isLoose: boolean,
  verify: Verify,
  checking: Checking | null = null,
): Promise<Fault | null> {
  const event = line.value;
  const misplaced = placeFault(event, tip, isLoose);
  if (misplaced) return misplaced;
  const key = (event.key as string | undefined) ?? tip!.key;
  if (tip && event.kind === "rotate" && nextKeyCommitment(fromHex(key)) !== tip.next) {
    return new Fault("key", "E-21", "the new key is not the one that was committed to");
  }
  if (line.signature === null) return new Fault("signature", "E-8", "the signature is not canonical base64url");
  if (!(await (checking?.key === key ? checking.holds : isSigned(line, key, verify)))) {
    const message = "the signature does not match: the line was changed, or signed with another key";
    return new Fault("signature", "E-9", message);
  }
  if (event.proof === undefined || (await isProven(event, tip!.key, verify))) return null;
  return new Fault("key", "E-21", "the old key's proof does not match");
}

/** Say whether a line is signed by this key. */
export async function isSigned({ event, signature }: Line, key: string, verify: Verify): Promise<boolean> {
  return key !== "" && signature !== null && verify(fromHex(key), joined(SIGNED, event), signature);
}

/** Return what follows a good line. */
export function tipAfter(line: Line, tip: Tip | null): Tip {
  const { seq, ts, epoch, key, next } = line.value as unknown as Omit<Tip, "id"> & Partial<Tip>;
  return { seq, id: line.id, ts, epoch, key: key ?? tip!.key, next: next ?? tip!.next };
}

/** Check the place (C-2…C-4). */
function placeFault(event: JsonObject, tip: Tip | null, isLoose: boolean): Fault | null {
  if (tip === null) {
    if (event.kind !== "genesis") {
      return new Fault("genesis", "C-2", "the chain does not begin with a genesis: its start is missing");
    }
    const isFirst = event.seq === 0 && event.prev === null && event.epoch === 0;
    return isFirst ? null : new Fault("genesis", "C-2", "a genesis has seq 0, prev null and epoch 0");
  }
  if (event.kind === "genesis") return new Fault("genesis", "C-2", "a second genesis");
  if (isLoose) return null;
  if (event.seq !== tip.seq + 1) {
    const what = "lines are missing, doubled or out of order";
    return new Fault("seq", "C-3", `seq is ${event.seq} where ${tip.seq + 1} must follow: ${what}`);
  }
  if (event.prev !== tip.id) {
    return new Fault("prev", "C-3", "prev is not the id of the line before: one of the two was changed");
  }
  if ((event.ts as string) <= tip.ts) {
    return new Fault("time", "C-3", `ts ${event.ts} is not later than ${tip.ts} before it`);
  }
  const epoch = tip.epoch + (event.kind === "recover" ? 1 : 0);
  return event.epoch === epoch ? null : new Fault("epoch", "C-4", `epoch is ${event.epoch}; it must be ${epoch}`);
}

/** Check a rotate's proof by the old key (E-21). */
async function isProven(event: JsonObject, oldKey: string, verify: Verify): Promise<boolean> {
  const { proof, ...rest } = event;
  const signature = fromBase64url(proof as string, 64);
  return signature !== null && verify(fromHex(oldKey), joined(ROTATE_SIGNED, encoded(spelled(rest)!)), signature);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
