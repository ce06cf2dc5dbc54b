// Ed25519 by one rule, whatever library is here.
//
// Implements specs/event.md (E-10). WebCrypto computes; what libraries accept beside the rule is refused by its bytes
// before: S that is not below L, and A or R that is not canonical or is of small order. A WebCrypto that multiplies by
// the cofactor, or has no Ed25519, is replaced by plain arithmetic.

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { encoded, fromHex, toHex } from "./bytes.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Says whether `signature` over `message` is by the 32-byte `key`; never rejects. */
export type Verify = (key: Bytes, message: Bytes, signature: Bytes) => Promise<boolean>;

const { Point } = ed25519;
const L = Point.Fn.ORDER;
const L_BYTES = fromHex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
const P_BYTES = fromHex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f");

/** The y of the points of small order; where x is 0, y is 1 or -1, so that a needless sign bit is refused as well. */
const SMALL_ORDER = new Set([
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]);

/** A key with a part of small order: the first signature is good, the second one only if the cofactor is multiplied by. */
const MIXED_ORDER = fromHex("10eb7c3acfb2bed3e0d6ab89bf5a3d6afddd1176ce4812e38d9fd485058fdb1f");
const PROBES: [message: string, signature: string, holds: boolean][] = [
  [
    "ed25519vectors",
    "36684ea91032ba5b1dbab2d02f4debc74c3327f2b3802e2e4d371aa42b12b56bbbfd00bd9c259d8d222d15e67a3d8228585050dbb9b9585be20d8fadc721da03",
    true,
  ],
  [
    "ed25519vectors 3",
    "b62cf890de42c413b11b1411c9f01f1c4d77aa87ef182258d1251f69af2a3506030b03796b78f7afeadfccaedc9d09ce6d487d1ece1f16b1ae2b59b7e5c40603",
    false,
  ],
];

let chosen: Promise<Verify> | null = null;

/** Return the fastest check here that keeps the rule. */
export function signatures(): Promise<Verify> {
  return (chosen ??= choose());
}

async function choose(): Promise<Verify> {
  const native = byWebCrypto();
  const found = await Promise.all(
    PROBES.map(async ([message, signature, holds]) => {
      return (await native(MIXED_ORDER, encoded(message), fromHex(signature))) === holds;
    }),
  );
  const equation = found.every(Boolean) ? native : byArithmetic;
  return async (key, message, signature) => {
    const isSpelledWell = isBelow(signature.subarray(32), L_BYTES) && isGoodPoint(key) && isGoodPoint(signature);
    return isSpelledWell && equation(key, message, signature);
  };
}

/** Say whether 32 bytes are a canonical encoding and, if they are a point at all, not one of small order. */
function isGoodPoint(bytes: Uint8Array): boolean {
  const y = bytes.slice(0, 32);
  y[31]! &= 0x7f;
  return isBelow(y, P_BYTES) && !SMALL_ORDER.has(toHex(y));
}

/** Compare numbers of 32 bytes, little-endian. */
function isBelow(number: Uint8Array, limit: Uint8Array): boolean {
  let at = 31;
  while (at > 0 && number[at] === limit[at]) at--;
  return number[at]! < limit[at]!;
}

/** Let the platform compute; it keeps each key that it was asked of, for a chain has few. */
function byWebCrypto(): Verify {
  const keys = new Map<string, Promise<CryptoKey>>();
  return async (key, message, signature) => {
    const name = toHex(key);
    try {
      const imported = keys.get(name) ?? crypto.subtle.importKey("raw", key, "Ed25519", false, ["verify"]);
      keys.set(name, imported);
      return await crypto.subtle.verify("Ed25519", await imported, signature, message);
    } catch {
      return false; // no point, or no Ed25519 here
    }
  };
}

/** Compute S·B - k·A and compare it with R, byte for byte: the encoding of a point is one. */
async function byArithmetic(key: Bytes, message: Bytes, signature: Bytes): Promise<boolean> {
  try {
    const hash = sha512.create().update(signature.subarray(0, 32)).update(key).update(message).digest();
    const difference = Point.BASE.multiplyUnsafe(number(signature.subarray(32))).subtract(
      Point.fromBytes(key).multiplyUnsafe(number(hash) % L),
    );
    return toHex(difference.toBytes()) === toHex(signature.subarray(0, 32));
  } catch {
    return false; // the key is no point
  }
}

function number(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes.toReversed())}`);
}
