// The Merkle tree of RFC 6962 over SHA-256: roots, inclusion proofs, and what those show.
//
// Implements specs/proofs.md (T-1, T-2).

import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "./bytes.ts";

export const HASH_BYTES = 32;

/** Return the hash of a leaf: SHA-256(00 ‖ data). */
export function leafHash(data: Uint8Array): Uint8Array {
  return sha256.create().update(Uint8Array.of(0)).update(data).digest();
}

/** A tree that grows by its leaves; it keeps the hash of each complete subtree. */
export class Tree {
  private readonly levels: Uint8Array[][] = [[]];

  get size(): number {
    return this.levels[0]!.length;
  }

  add(leaf: Uint8Array): void {
    let hash = leaf;
    for (let level = 0; ; level++) {
      const row = (this.levels[level] ??= []);
      row.push(hash);
      if (row.length % 2 === 1) return;
      hash = nodeHash(row.at(-2)!, hash);
    }
  }

  /** Return the root of the first `size` leaves, of which there is one at least. */
  root(size: number): Uint8Array {
    return this.over(0, size);
  }

  /** Return the proof that leaf `index` is in the tree of the first `size` leaves, its sibling first (RFC 6962, 2.1.1). */
  inclusionProof(index: number, size: number): Uint8Array[] {
    const found: Uint8Array[] = [];
    for (let [start, stop] = [0, size]; stop - start > 1; ) {
      const middle = start + 2 ** levelBelow(stop - start - 1);
      if (index < middle) {
        found.push(this.over(middle, stop));
        stop = middle;
      } else {
        found.push(this.over(start, middle));
        start = middle;
      }
    }
    return found.reverse();
  }

  /** Return the hash over the leaves from `start` on, folded of the largest complete subtrees. */
  private over(start: number, stop: number): Uint8Array {
    const parts: Uint8Array[] = [];
    while (start < stop) {
      const level = levelBelow(stop - start);
      parts.push(this.levels[level]![start / 2 ** level]!);
      start += 2 ** level;
    }
    return parts.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** Return the level of the largest complete subtree with at most so many leaves. */
function levelBelow(leaves: number): number {
  return Math.floor(Math.log2(leaves));
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
