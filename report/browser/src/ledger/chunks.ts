/** Turns the page's data elements back into bytes: base64 of one gzip stream, in pieces. */

/** Returns what the pieces hold; each piece is let go once it is decoded. */
export async function inflated(pieces: string[]): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(decoded(piece));
    },
  });
  return new Uint8Array(await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
