/** What a chain's tree shows: whether a checkpoint is of this chain, and a proof file for one event (specs/report.md H-14, H-32). */

import { encoded, fromHex, toBase64, toHex } from "../verify/bytes";
import { spelled } from "../verify/canonical";
import { cutLine } from "../verify/event";
import { Fault } from "../verify/fault";
import { type Checkpoint, noteKey, readCheckpoint, readNote, readOrigin, unsigned } from "../verify/note";
import { Tree, leafHash, signatures } from "../verify/index";
import type { Row } from "./rows";

/** A key, in hex, the seq of the event after which it is in force, and the first seq that this event disowns. */
export interface InForce {
  seq: number;
  key: string;
  since: number | null;
}

/** A stored checkpoint, and what is wrong with it; `isWhole` says that its tree was recomputed, not its signature alone checked. */
export interface Confirmed {
  note: string;
  fault: string | null;
  isWhole: boolean;
}

const AT_ONCE = 512;

/**
 * Says which checkpoints the key in force at their end signed, and whether their tree is this chain's.
 *
 * @param keys those whose events were found sound, oldest first.
 * @param genesis the id of the chain's first event.
 * @param tree the chain's, or null where its beginning is not at hand.
 */
export async function confirmed(notes: string[], keys: InForce[], genesis: string, tree: () => Promise<Tree> | null): Promise<Confirmed[]> {
  if (notes.length === 0) return [];
  const grown = await tree();
  const checked = notes.map(async (note) => {
    const checkpoint = checkpointOf(note);
    if (typeof checkpoint === "string") return { note, fault: checkpoint, isWhole: false };
    const fault = (await signatureFault(note, checkpoint, keys, genesis)) ?? treeFault(checkpoint, grown);
    return { note, fault, isWhole: fault === null && grown !== null };
  });
  return Promise.all(checked);
}

function checkpointOf(text: string): Checkpoint | string {
  const note = readNote(text);
  const checkpoint = note instanceof Fault ? note : readCheckpoint(note.text);
  return checkpoint instanceof Fault ? checkpoint.message : checkpoint;
}

async function signatureFault(text: string, { origin, size }: Checkpoint, keys: InForce[], genesis: string): Promise<string | null> {
  const note = readNote(text);
  if (note instanceof Fault) return note.message;
  if (readOrigin(origin)?.genesis !== genesis) return "it is of another history";
  const own = keys.findLast(({ seq }) => seq < size);
  if (own === undefined) return "the key in force at its end was not checked in this file";
  return unsigned(note, noteKey(origin, fromHex(own.key)), await signatures());
}

function treeFault({ size, root }: Checkpoint, tree: Tree | null): string | null {
  if (tree === null) return null;
  if (size === 0 || size > tree.size) return `it has ${size} events, and this file ${tree.size}`;
  return toHex(tree.root(size)) === toHex(root) ? null : `its root is not that of the first ${size} events in this file`;
}

/** Makes the tree over the heads of a chain; between two batches other questions have their turn. */
export async function treeOf(bytes: Uint8Array, rows: Row[]): Promise<Tree> {
  const tree = new Tree();
  for (const [at, row] of rows.entries()) {
    if (at % AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
    const cut = cutLine(lineOf(bytes, row));
    if (cut === null) return tree; // no leaf stands for it, so that nothing beyond is shown
    tree.add(leafHash(cut.head));
  }
  return tree;
}

/**
 * Returns the proof file of an event under the newest of these checkpoints that reaches it, and the event that disowns it;
 * those that others cosigned come first (T-44). Null where none does.
 */
export function proofFile(bytes: Uint8Array, rows: Row[], seq: number, tree: Tree, keys: InForce[], notes: string[]): { file: string; size: number } | null {
  const reached = Math.max(seq, ...keys.filter(({ since, seq: at }) => since !== null && since <= seq && seq < at).map((key) => key.seq));
  const reaching = notes.map((note) => ({ note, checkpoint: checkpointOf(note) as Checkpoint })).filter(({ checkpoint }) => checkpoint.size > reached);
  const cosigned = reaching.filter(({ note }) => signaturesOf(note) > 1);
  const [under] = [...reaching, ...cosigned].slice(-1);
  if (under === undefined) return null;
  const { size } = under.checkpoint;
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const partsOf = (at: number) => cutLine(lineOf(bytes, rows[at]!))!;
  const hashes = (at: number): string[] => tree.inclusionProof(at, size).map(toBase64);
  const { head, payload } = partsOf(seq);
  const extra = spelled({
    event: utf8.decode(head),
    keys: keys.filter((key) => key.seq < size).map((key) => ({ event: utf8.decode(partsOf(key.seq).head), proof: hashes(key.seq) })),
    ...(payload === null ? {} : { payload: utf8.decode(payload) }),
    v: 1,
  });
  const lines = ["c2sp.org/tlog-proof@v1", `extra ${toBase64(encoded(extra!))}`, `index ${seq}`, ...hashes(seq), "", under.note];
  return { file: lines.join("\n"), size };
}

function signaturesOf(text: string): number {
  const note = readNote(text);
  return note instanceof Fault ? 0 : note.signatures.length;
}

function lineOf(bytes: Uint8Array, row: Row): Uint8Array {
  return bytes.subarray(row.start, row.end);
}
