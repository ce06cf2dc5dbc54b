// What a proof file shows, by itself.
//
// Implements specs/proofs.md (T-43, T-45…T-53) without policies and without what each kind of receipt says: both are "not
// checked".

import { encoded, fromHex, toHex } from "./bytes.ts";
import { decode, type JsonObject } from "./canonical.ts";
import { readLine, type Line } from "./event.ts";
import { Fault } from "./fault.ts";
import { lineFault, tipAfter, type Tip } from "./link.ts";
import { isIncluded, leafHash } from "./merkle.ts";
import { ED25519, noteKey, readOrigin, unsigned, vkeyOf, type NoteKey, type Origin } from "./note.ts";
import { lineOf, type Included, type Proof } from "./proof.ts";
import type { Verify } from "./signature.ts";

/** One thing that a proof is asked; the sentence says what it rests on. */
export interface Item {
  name: string;
  state: "shown" | "wrong" | "not checked";
  sentence: string;
}

/** What a proof comes to. `event` and `payload` are there only if they were shown; `vkey` is the key that signed. */
export interface Judgement {
  result: "sound" | "findings" | "unknown signer";
  items: Item[];
  index: number;
  checkpoint: { origin: string; size: number; root: string };
  id: string | null;
  event: JsonObject | null;
  payload: JsonObject | null;
  vkey: string | null;
}

/** Return what a proof shows to somebody who trusts the key `named`, or the fault if it is no ledger's proof. */
export async function judge(proof: Proof, named: NoteKey | null, verify: Verify): Promise<Judgement | Fault> {
  const { origin, size, root } = proof.checkpoint;
  const of = readOrigin(origin);
  if (of === null) return new Fault("checkpoint-malformed", "T-20", "the checkpoint is another log's, not a muniment's");
  const keys = await Keys.of(proof, of, verify);
  const [event, line] = await eventItem(proof, keys, verify);
  const fault = line && keys.epochFault(size, of, line);
  const checkpoint = fault ? wrong("checkpoint", fault) : await checkpointItem(proof, of, keys, named, verify);
  const text = textItem(proof, line);
  const items = [event, text, keys.item, checkpoint, ...(line ? keys.disowned(proof.index) : [])];
  items.push(...witnessItems(proof));
  const isWrong = items.some(({ state }) => state === "wrong");
  const own = keys.tips.at(-1);
  return {
    result: isWrong ? "findings" : named ? "sound" : "unknown signer",
    items,
    index: proof.index,
    checkpoint: { origin, size, root: toHex(root) },
    id: line?.id ?? null,
    event: line?.value ?? null,
    payload: text.state === "shown" && proof.payload !== null ? (decode(encoded(proof.payload), "") as JsonObject) : null,
    vkey: own ? vkeyOf(noteKey(origin, fromHex(own.key))) : null,
  };
}

function shown(name: string, sentence: string): Item {
  return { name, state: "shown", sentence };
}

function wrong(name: string, sentence: string): Item {
  return { name, state: "wrong", sentence };
}

function unchecked(name: string, sentence: string): Item {
  return { name, state: "not checked", sentence };
}

/**
 * The keys of the chain as the file shows them, each from a head that is in the tree and was committed to before. None can
 * be left out between two of them: the commitment of the earlier one would not fit (E-21).
 */
class Keys {
  readonly tips: Tip[] = [];
  item = wrong("keys", "the genesis is not in the file, so there is no key to judge by");
  private readonly stretches: [since: number, rotate: number][] = [];

  static async of(proof: Proof, origin: Origin, verify: Verify): Promise<Keys> {
    const keys = new Keys();
    for (const each of proof.keys) {
      const fault = await keys.add(each, proof, origin, verify);
      if (fault !== null) {
        keys.item = wrong("keys", fault);
        return keys;
      }
    }
    const count = keys.tips.length - 1;
    const leads = count > 0 ? `, from which ${count} rotation${count > 1 ? "s lead" : " leads"} to the present one` : "";
    if (count >= 0) keys.item = shown("keys", `the key of genesis ${origin.genesis.slice(0, 16)}…${leads}`);
    return keys;
  }

  /** Take the next event that brings a key, or say what is wrong with it (T-45). */
  private async add(each: Included, proof: Proof, origin: Origin, verify: Verify): Promise<string | null> {
    const before = this.tips.at(-1) ?? null;
    const line = readLine(lineOf(each.head, null));
    const fault = line instanceof Fault ? line : await lineFault(line, before, before !== null, verify);
    if (line instanceof Fault || fault) {
      return `the event that brings key ${this.tips.length + 1} is not good: ${fault!.message}`;
    }
    const { kind, seq, since } = line.value as { kind: string; seq: number; since?: number };
    if ((kind !== "genesis" && kind !== "rotate") || (before && seq <= before.seq)) {
      return "the events that bring keys are others, or out of order";
    }
    if (!isLeaf(each, seq, proof)) return `event @${seq}, which brings a key, is not in the checkpoint's tree`;
    if (before === null && line.id !== origin.genesis) return "the genesis is not the one that the checkpoint names";
    this.tips.push(tipAfter(line, before));
    if (since !== undefined) this.stretches.push([since, seq]);
    return null;
  }

  /** Return what an event is checked against: the newest key event before it. */
  at(seq: number): Tip | null {
    return this.tips.findLast((tip) => tip.seq < seq) ?? null;
  }

  /** Say why the origin's epoch is not that of the tree's newest event, as far as the file can tell (T-53). */
  epochFault(size: number, origin: Origin, { value }: Line): string | null {
    const epochs = new Map([...this.tips, value as unknown as Tip].map((each) => [each.seq, each.epoch]));
    const rising = [...epochs.keys()].sort((a, b) => a - b).map((seq) => epochs.get(seq)!);
    if ([...rising, origin.epoch].some((epoch, at, all) => at > 0 && epoch < all[at - 1]!)) {
      return `it names epoch ${origin.epoch}, and the events in the file are not of epochs that lead up to it`;
    }
    const newest = epochs.get(size - 1) ?? origin.epoch;
    if (newest === origin.epoch) return null;
    return `it names epoch ${origin.epoch}, and its newest event is of epoch ${newest}`;
  }

  /** Report the event as disowned if a rotate in the file says so (T-50). */
  disowned(seq: number): Item[] {
    const found = this.stretches.find(([since, rotate]) => since <= seq && seq < rotate);
    if (found === undefined) return [];
    const [since, rotate] = found;
    const what = `@${rotate} disowns what the key before it signed from @${since} on: the key was stolen`;
    return [wrong("signer", what)];
  }
}

function isLeaf(each: Included, seq: number, { checkpoint }: Proof): boolean {
  return isIncluded(leafHash(encoded(each.head)), seq, checkpoint.size, each.hashes, checkpoint.root);
}

/** Judge the event: its place in the tree, and its own signature by the key in force (T-46). */
async function eventItem(proof: Proof, keys: Keys, verify: Verify): Promise<[Item, Line | null]> {
  const line = readLine(lineOf(proof.event.head, proof.payload));
  if (line instanceof Fault) return [wrong("event", line.message), null];
  if (line.value.seq !== proof.index) return [wrong("event", `the event in the file is not @${proof.index}`), null];
  if (!isLeaf(proof.event, proof.index, proof)) {
    return [wrong("event", `it is not @${proof.index} of the checkpoint's tree`), null];
  }
  const tip = keys.at(proof.index);
  if (tip === null && proof.index > 0) {
    return [wrong("event", "no key of the chain is shown that it could be judged by"), null];
  }
  const fault = await lineFault(line, tip, tip !== null, verify);
  if (fault) return [wrong("event", fault.message), null];
  const where = `@${proof.index} of ${proof.checkpoint.size} events in the checkpoint's tree`;
  return [shown("event", `${where}, signed by the key in force there`), line];
}

/** Judge the payload (T-47). */
function textItem(proof: Proof, line: Line | null): Item {
  if (line === null) return unchecked("text", "without the event nothing can be said of it");
  if (line.value.commit === undefined) {
    return proof.payload === null ? shown("text", "the event has none") : wrong("text", "the signature does not cover it");
  }
  if (proof.payload === null) {
    return unchecked("text", "not in the file: erased, or left out; the event commits to it");
  }
  const isGood = line.payload.state === "present" && line.payload.fault === null;
  return isGood ? shown("text", "what the event commits to, byte for byte") : wrong("text", "it is not what was signed");
}

/** Judge the checkpoint's own signature, and whether the key that was named stands behind it (T-48, T-49). */
async function checkpointItem(
  proof: Proof,
  origin: Origin,
  keys: Keys,
  named: NoteKey | null,
  verify: Verify,
): Promise<Item> {
  if (keys.item.state === "wrong") {
    return wrong("checkpoint", "no key of the chain is shown that could have signed it");
  }
  const own = noteKey(proof.checkpoint.origin, fromHex(keys.tips.at(-1)!.key));
  const fault = await unsigned(proof.note, own, verify);
  if (fault !== null) return wrong("checkpoint", `the key in force at its end did not sign it (${fault})`);
  const what = `a tree of ${proof.checkpoint.size} events, signed by the key in force at its end`;
  if (named === null) return shown("checkpoint", `${what}; nobody said whose key it is`);
  if (named.type !== ED25519 || readOrigin(named.name)?.genesis !== origin.genesis) {
    return wrong("checkpoint", `${what}, which is not of the ledger whose key you named`);
  }
  const key = toHex(named.key);
  if (!keys.tips.some((tip) => tip.key === key)) {
    const later = "the key that you named is not among those up to there: it came later, or is another's";
    return wrong("checkpoint", `${what}; ${later}; ask for a proof under a newer checkpoint`);
  }
  const by = toHex(own.key) === key ? "the one" : "of the ledger whose earlier key";
  return shown("checkpoint", `${what}, ${by} you named`);
}

/** Name what was not looked at: others' signatures, and what they gave for the checkpoint (T-51). */
function witnessItems(proof: Proof): Item[] {
  const count = proof.note.signatures.length - 1;
  const there = count > 0 ? `${count} other signature${count === 1 ? "" : "s"} in it` : "none in it";
  const times = proof.receipts.map((kind) => `a receipt of kind '${kind}', which was not looked at`);
  if (times.length === 0) times.push("no timestamp is in the file: the only time is the event's own clock");
  return [unchecked("witnesses", `no policy given (${there})`), ...times.map((each) => unchecked("time", each))];
}
