/** Runs the verifier over a loaded ledger, and says as it goes how far it is and what it found (specs/report.md H-10, H-11). */

import type { FromWorker } from "../messages";
import { verifyChain } from "../verify/index";
import type { Ledger } from "./ledger";

/**
 * Verifies the chain from its first line in the file. Once all lines are judged, the ledger has their badges.
 *
 * @param vkey The owner's key, if the reader has it: the name of the ledger is then taken from it, not from this file.
 */
export async function verified(ledger: Ledger, say: (message: FromWorker) => void, vkey: string | null = null): Promise<void> {
  const known = ledger.about.chains[0]!;
  const genesis = ledger.about.live ? known.genesis : null; // what a file says of itself makes nobody known
  const given = { genesis, mark: known.mark, vkey, from: known.from, texts: ledger.about.texts };
  try {
    const report = await verifyChain(ledger.bytes, given, {
      progress: (done, of) => say({ progress: { done, of } }),
      line: (result) => ledger.judge(result),
    });
    say({ verdict: { ...report, against: vkey } });
  } catch (error) {
    say({ unusable: error instanceof Error ? error.message : String(error) });
  }
}
