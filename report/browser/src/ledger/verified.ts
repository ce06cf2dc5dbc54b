/** Runs the verifier over a loaded ledger, and says as it goes how far it is and what it found (specs/report.md H-10, H-11). */

import type { FromWorker } from "../messages";
import { type Given, type Report, verifyChain } from "../verify/index";
import type { Ledger } from "./ledger";

/**
 * Verifies the chain from its first line in the file. Once all lines are judged, the ledger has their badges.
 *
 * @param vkey The owner's key, if the reader has it: the name of the ledger is then taken from it, not from this file.
 */
export async function verified(ledger: Ledger, say: (message: FromWorker) => void, vkey: string | null = null): Promise<void> {
  const known = ledger.about.chains[0]!;
  const pinned = (genesis: string | null): string | null => (ledger.about.live ? genesis : null); // what a file says of itself makes nobody known
  const given = { genesis: pinned(known.genesis), mark: known.mark, vkey, from: known.from, texts: ledger.about.texts };
  const of = ledger.bytes.length;
  let before = 0;
  const verify = async (chain: number, given: Given): Promise<Report> => {
    const bytes = ledger.bytesOf(chain);
    const report = await verifyChain(bytes, given, {
      progress: (done) => say({ progress: { done: before + done, of } }),
      line: (result) => ledger.judge(chain, result),
    });
    before += bytes.length;
    return report;
  };
  try {
    const report = await verify(0, given);
    const others = [];
    for (const [chain, { name, genesis, mark, from }] of ledger.about.chains.entries()) {
      if (chain > 0) others.push({ name, report: await verify(chain, { genesis: pinned(genesis), mark, from, texts: ledger.about.texts }) });
    }
    ledger.settle();
    say({ verdict: { ...report, against: vkey, others } });
  } catch (error) {
    if (vkey !== null) await verified(ledger, say);
    say({ unusable: error instanceof Error ? error.message : String(error) });
  }
}
