// The Merkle tree of RFC 6962 over SHA-256: what an inclusion proof shows.
//
// Implements specs/proofs.md (T-1, T-2).

import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "./bytes.ts";

export const HASH_BYTES = 32;

/** Return the hash of a leaf: SHA-256(00 ‖ data). */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256.create().update(Uint8Array.of(0)).update(data).digest();
}

/**
 * Say whether `proof`, the sibling of the leaf first, shows that the leaf with this hash is number `index` of the tree of
 * `size` under `root`.
 *
 * Source: RFC 9162, 2.1.3.2, without shifts, which would cut numbers to 32 bits.
 */
export function isIncluded(
  leaf: Uint8Array,
  index: number,
  size: number,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (index >= size) return false;
  let [at, last, found] = [index, size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    const isRight = at % 2 === 1;
    if (isRight || at === last) {
      found = nodeHash(sibling, found);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, half(last)];
    } else {
      found = nodeHash(found, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  return last === 0 && toHex(found) === toHex(root);
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256.create().update(Uint8Array.of(1)).update(left).update(right).digest();
}

function half(number: number): number {
  return Math.floor(number / 2);
}
