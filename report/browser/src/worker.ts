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

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if ("load" in data) load(data.load).then(verify, (error) => say({ failed: String(error) }));
  else if ("ask" in data) void answer(data);
  else void verify(data.vkey);
};

/** Takes the page's data in. Nothing holds the packed texts afterwards: of a long chain they are half of the memory. */
async function load({ about, chains, rest }: Extract<ToWorker, { load: unknown }>["load"]): Promise<undefined> {
  const parts = [];
  for (const chain of chains) parts.push(ended(await inflated(chain.splice(0))));
  const others = await inflated(rest.splice(0));
  const bytes = parts.length === 1 ? parts[0]! : new Uint8Array(await new Blob(parts).arrayBuffer());
  let at = 0;
  const rows = parts.map((part, chain) => rowsOf(bytes, at, (at += part.length), chain));
  ledger = new Ledger(about, bytes, rows, JSON.parse(new TextDecoder().decode(others)));
  say({ loaded: ledger.rows.length });
}

/** Returns what ends in an LF: what follows is no line, and nothing of it is shown (H-4). */
function ended(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
}

async function verify(vkey?: string): Promise<void> {
  if (ledger) await verified(ledger, say, vkey);
}

async function answer({ ask, given, number }: Extract<ToWorker, { ask: unknown }>): Promise<void> {
  try {
    const method = ledger![ask] as (...given: unknown[]) => unknown;
    say({ answer: await method.apply(ledger, given), number });
  } catch (error) {
    say({ refused: error instanceof Error ? error.message : String(error), number });
  }
}
