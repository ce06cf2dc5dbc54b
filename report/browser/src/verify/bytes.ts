// Bytes and their spellings: hex, base64 and base64url in their one form, and strict UTF-8.
//
// Implements specs/event.md (E-8) and the base64 of specs/proofs.md.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

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

/** Return bytes in standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/** Return the bytes that standard base64 with padding spells, or null if it is spelled otherwise. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return toBase64(bytes) === text ? bytes : null;
  } catch {
    return null;
  }
}

/** Return the `size` bytes that base64url without padding spells, or null if it is spelled otherwise (E-8). */
export function fromBase64url(text: string, size: number): Uint8Array<ArrayBuffer> | null {
  if (/[+/=]/.test(text)) return null;
  const padding = "=".repeat((4 - (text.length % 4)) % 4);
  const bytes = fromBase64(text.replaceAll("-", "+").replaceAll("_", "/") + padding);
  return bytes?.length === size ? bytes : null;
}
