/** Whether the ledger's own key signed a checkpoint (specs/report.md H-14). Its tree is not made anew. */

import { fromHex } from "../verify/bytes";
import { Fault } from "../verify/fault";
import { noteKey, readCheckpoint, readNote, readOrigin, unsigned } from "../verify/note";
import { signatures } from "../verify/index";

/** A key, in hex, and the seq of the event after which it is in force. */
export interface InForce {
  seq: number;
  key: string;
}

/**
 * Says why the key in force at a checkpoint's end did not sign it, or returns null.
 *
 * @param keys those whose events were found sound, oldest first.
 * @param genesis the id of the chain's first event.
 */
export async function checkpointFault(text: string, keys: InForce[], genesis: string): Promise<string | null> {
  const note = readNote(text);
  if (note instanceof Fault) return note.message;
  const checkpoint = readCheckpoint(note.text);
  if (checkpoint instanceof Fault) return checkpoint.message;
  if (readOrigin(checkpoint.origin)?.genesis !== genesis) return "it is of another history";
  const own = keys.findLast(({ seq }) => seq < checkpoint.size);
  if (own === undefined) return "the key in force at its end was not checked in this file";
  return unsigned(note, noteKey(checkpoint.origin, fromHex(own.key)), await signatures());
}
