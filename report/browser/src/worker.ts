/** The page's one worker: it unpacks the chain, answers questions about it, and verifies it meanwhile. */

import { inflated } from "./ledger/chunks";
import { Ledger } from "./ledger/ledger";
import { rowsOf } from "./ledger/rows";
import type { FromWorker, ToWorker } from "./messages";
import { verified } from "./ledger/verified";

let ledger: Ledger | null = null;

function say(message: FromWorker): void {
  (self as unknown as Worker).postMessage(message);
}

self.onmessage = async ({ data }: MessageEvent<ToWorker>) => {
  if ("load" in data) {
    try {
      await load(data.load);
    } catch (error) {
      say({ failed: String(error) });
    }
  } else if ("ask" in data) {
    try {
      const method = ledger![data.ask] as (...given: unknown[]) => unknown;
      say({ answer: await method.apply(ledger, data.given), number: data.number });
    } catch (error) {
      say({ refused: error instanceof Error ? error.message : String(error), number: data.number });
    }
  } else if (ledger) {
    await verified(ledger, say, data.vkey);
  }
};

async function load({ about, chains, rest }: Extract<ToWorker, { load: unknown }>["load"]): Promise<void> {
  const [others, ...parts] = await Promise.all([rest, ...chains].map(inflated));
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  let at = 0;
  const rows = parts.map((part, chain) => rowsOf(bytes, at, (at += part.length), chain));
  ledger = new Ledger(about, bytes, rows, JSON.parse(new TextDecoder().decode(others)));
  say({ loaded: ledger.rows.length });
  await verified(ledger, say);
}
