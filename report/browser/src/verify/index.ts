// The verifier's public face. It knows neither page nor worker, and runs in node as well.
//
// Implements specs/verification.md for whole chains, and for what follows an event that the caller knows (V-13); no file is
// written by others meanwhile (V-14). Proof files are judged as specs/proofs.md says, without policies and receipts (T-51).

import { Walk } from "./chain.ts";
import { Fault } from "./fault.ts";
import { judge, type Judgement } from "./judgement.ts";
import type { LineResult } from "./lines.ts";
import { ED25519, readOrigin, readVkey } from "./note.ts";
import { readProof } from "./proof.ts";
import { reportOf, type Report } from "./report.ts";
import { signatures } from "./signature.ts";
import type { Before, Expected, Mark } from "./verdicts.ts";

export type { Item, Judgement } from "./judgement.ts";
export type { Check, LineResult, PayloadState } from "./lines.ts";
export { Tree, leafHash } from "./merkle.ts";
export type { Report } from "./report.ts";
export { signatures };
export type { Finding, Mark, Verdict } from "./verdicts.ts";

const LF = 0x0a;

/** What somebody knows of the chain from elsewhere; what is null or left out is not known. */
export interface Given {
  genesis?: string | null;
  ledger?: string | null;
  vkey?: string | null;
  mark?: Mark | null;
  from?: Before | null;
  /** Whether payloads are in the file; true by default. */
  texts?: boolean;
}

/** Told while the verifier works: how far it is, in bytes; and in the end what holds of each line, in order. */
export interface Listener {
  progress?(done: number, of: number): void;
  line?(result: LineResult): void;
}

/**
 * Verify a chain file, or the part of one that follows `given.from`. Places of the mark are those in `bytes`.
 *
 * @throws Error if `given.vkey` is not the key of a ledger, or this part does not show whether that key stands behind it.
 */
export async function verifyChain(bytes: Uint8Array<ArrayBuffer>, given: Given, on: Listener = {}): Promise<Report> {
  const expected = expectedOf(given);
  const whole = bytes.lastIndexOf(LF) + 1;
  const isCut = expected.mark !== null && whole >= expected.mark.end; // what a killed writer left is no line (V-10)
  const size = isCut ? whole : bytes.length;
  const walk = await Walk.along(bytes, size, expected.from, (done) => on.progress?.(done, size));
  return reportOf(walk, expected, bytes.length - size, (result) => on.line?.(result));
}

/**
 * Judge a proof file.
 *
 * @throws Error if it is no proof of a ledger, or `vkey` is not a key.
 */
export async function verifyProof(bytes: Uint8Array, vkey: string | null = null): Promise<Judgement> {
  const proof = good(readProof(bytes));
  return good(await judge(proof, vkey === null ? null : good(readVkey(vkey)), await signatures()));
}

function expectedOf({ vkey = null, ...given }: Given): Expected {
  const { genesis = null, ledger = null, mark = null, from = null, texts = true } = given;
  const known = { genesis, ledger, mark, from, texts };
  if (vkey === null) return { ...known, named: null };
  const key = good(readVkey(vkey));
  const origin = readOrigin(key.name);
  if (origin === null || key.type !== ED25519) throw new Error("this is not the key of a ledger");
  return { ...known, genesis: genesis ?? origin.genesis, named: { key, origin } };
}

function good<T>(found: T | Fault): T {
  if (found instanceof Fault) throw new Error(found.message);
  return found;
}
