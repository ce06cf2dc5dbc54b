/** Turns the page's data elements back into bytes: base64 of one gzip stream, in pieces. */

/** Returns what the pieces hold. */
export async function inflated(pieces: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob(pieces.map((piece) => decoded(piece)));
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
