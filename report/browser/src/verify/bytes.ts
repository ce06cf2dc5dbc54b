// Bytes and their spellings: hex, base64 and base64url in their one form, and strict UTF-8.
//
// Implements specs/event.md (E-8) and the base64 of specs/proofs.md.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const VALUES = new Int8Array(128).fill(-1);
for (let at = 0; at < 64; at++) VALUES[LETTERS.charCodeAt(at)] = at;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Return the text that these bytes are in UTF-8, or null; U+FEFF at the beginning stays. */
export function utf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Return the bytes of a text without lone surrogates in UTF-8. */
export function encoded(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Return bytes in lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Return the bytes that an even number of hex digits spells. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(text.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

/** Return the `size` bytes that base64url without padding spells, or null if it is spelled otherwise (E-8). */
export function fromBase64url(text: string, size: number): Uint8Array<ArrayBuffer> | null {
  if (text.length !== Math.ceil((size * 4) / 3)) return null;
  const bytes = new Uint8Array(size);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? -1;
    if (value < 0) return null;
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (held >> bits) & 0xff;
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : null;
}

/** Return the bytes that standard base64 with padding spells, or null if it is spelled otherwise. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  const bare = text.replace(/={1,2}$/, "");
  if (text.length % 4 !== 0 || /[-_]/.test(bare)) return null;
  return fromBase64url(bare.replaceAll("+", "-").replaceAll("/", "_"), Math.floor((bare.length * 3) / 4));
}
