// The two verdicts on a chain and their sentences.
//
// Implements specs/verification.md (V-1, V-2, V-8, V-9, V-22). The sentences are those of `muniment verify`.

import { toHex } from "./bytes.ts";
import type { JsonObject } from "./canonical.ts";
import type { Walk } from "./chain.ts";
import { Fault } from "./fault.ts";
import type { Tip } from "./link.ts";
import type { NoteKey, Origin } from "./note.ts";

const MOST_FINDINGS = 1000;

/** The newest event that was acknowledged, and where its line begins and ends (C-14). */
export interface Mark {
  seq: number;
  id: string;
  start: number;
  end: number;
}

/** The event before the first one in the file, the keys in force after it, and the genesis id of its chain. */
export interface Before extends Tip {
  genesis: string;
}

/** What a chain is compared with. `from` is what the file follows if it lacks the beginning; `texts` says that it has payloads. */
export interface Expected {
  from: Before | null;
  texts: boolean;
  genesis: string | null;
  ledger: string | null;
  mark: Mark | null;
  named: { key: NoteKey; origin: Origin } | null;
}

/** One fault, as V-2 lists it. */
export interface Finding {
  code: string;
  rule: string;
  message: string;
  line: number | null;
  seq: number | null;
  id: string | null;
}

/** One verdict; `omitted` findings beyond the first 1,000 are only counted. */
export interface Verdict {
  state: "sound" | "findings" | "not checked";
  sentence: string;
  findings: Finding[];
  omitted: number;
}

/** What the sentence on integrity says of a sound chain. */
export interface Counted {
  events: number;
  erased: number;
  disowned: [since: number, rotate: number][];
  unfinished: number;
}

export function finding(fault: Fault, line: number | null, seq: number | null, id: string | null): Finding {
  return { code: fault.code, rule: fault.rule, message: fault.message, line, seq, id };
}

export function integrityOf(findings: Finding[], counted: Counted, expected: Expected): Verdict {
  const unfinished = unfinishedSentence(counted.unfinished);
  if (findings.length === 0) {
    return { state: "sound", sentence: soundSentence(counted, expected) + unfinished, findings, omitted: 0 };
  }
  const listed = findings.slice(0, MOST_FINDINGS);
  const omitted = findings.length - listed.length;
  const all = omitted ? `${findings.length} findings, of which the first ${listed.length} are listed.` : "";
  const sentence = (all || `${number(listed.length, "finding")}.`) + unfinished;
  return { state: "findings", sentence, findings: listed, omitted };
}

function soundSentence(counted: Counted, expected: Expected): string {
  const { from, texts } = expected;
  const after = from === null ? "" : ` Events up to @${from.seq} are not in this file: its maker says what it follows.`;
  return soundPart(counted, expected) + after + (texts ? "" : " Texts are not in this file, and were not checked.");
}

function soundPart({ events, erased, disowned }: Counted, { genesis, ledger, named, from }: Expected): string {
  const since = from === null ? "" : ` from @${from.seq + 1} on`;
  const what = number(events, "event") + since + (erased ? `, ${erased} erased` : "");
  const some = disowned.map(([since, rotate]) => `@${since} to @${rotate - 1}`).join(", ");
  const stolen = some === "" ? "" : `; ${some} by a compromised key (muniment log --compromised)`;
  if (genesis !== null) {
    const own = named === null ? "" : " It is the ledger whose key you named.";
    return `${what}: sound, and signed by the ledger's own key${stolen}.${own}`;
  }
  const asked = ledger === null ? "" : "with the ledger id asked for, ";
  return `${what}: self-consistent, ${asked}signer unknown (no genesis id is pinned here for this chain)${stolen}.`;
}

function unfinishedSentence(bytes: number): string {
  if (bytes === 0) return "";
  const cut = `A write did not finish: ${number(bytes, "byte")} of it at the end`;
  return ` ${cut}; the next write removes or completes them.`;
}

function number(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

// --- whose chain it is ---

/** Compare with the pinned genesis id, and with the ledger id that was asked for (V-8). */
export function foreignTo({ genesis }: Walk, expected: Expected): Finding | null {
  if (expected.from !== null) return foreignPart(expected.from, expected);
  if (genesis === null) return null;
  const { id } = genesis.value.ledger as JsonObject;
  let message = "";
  if (expected.genesis !== null && expected.genesis !== genesis.id) {
    message = `this is another chain: its genesis is ${genesis.id.slice(0, 16)}…, not ${expected.genesis.slice(0, 16)}…`;
  } else if (expected.ledger !== null && expected.ledger !== id) {
    message = `this is another ledger: its id is ${id}, not ${expected.ledger}`;
  }
  return message === "" ? null : finding(new Fault("foreign-chain", "V-8", message), 1, 0, genesis.id);
}

/** Compare the genesis id that the maker of a file without the beginning names. */
function foreignPart({ genesis, seq, id }: Before, expected: Expected): Finding | null {
  if (expected.genesis === null || expected.genesis === genesis) return null;
  const message = `this is another chain: its genesis is ${genesis.slice(0, 16)}…, not ${expected.genesis.slice(0, 16)}…`;
  return finding(new Fault("foreign-chain", "V-8", message), null, seq, id);
}

/**
 * Demand that the named key itself stands behind a file without the beginning: it signed events there, and whatever key
 * came later was committed to in the file. What its maker says of the keys before proves nothing.
 *
 * @throws Error if it does not.
 */
export function demandKey({ from, judged }: Walk, { named }: Expected): void {
  if (from === null || named === null) return;
  const key = toHex(named.key.key);
  const brought = judged.flatMap(({ good }) => good?.key ?? []);
  if (brought.includes(key)) return;
  if (brought.length === 0 && from.key === key && judged.some(({ good }) => good !== null)) return;
  throw new Error("nothing in this part of the history shows that key: ask its owner for the newest one, or for the whole history");
}

/** Compare a sound chain with the key that was named (V-22). */
export function notByKey({ genesis, judged }: Walk, { named }: Expected): Finding | null {
  if (genesis === null || named === null) return null;
  let why = "it ends before that key came into use, or continues differently";
  if (named.origin.genesis !== genesis.id) why = `its genesis is ${genesis.id.slice(0, 16)}…`;
  else if (judged.some(({ good }) => good?.key === toHex(named.key.key))) return null;
  const message = `no event brings the key that you named: ${why}`;
  return finding(new Fault("foreign-chain", "V-8", message), 1, 0, genesis.id);
}

// --- how far it reaches ---

/** Compare with the mark: the same event, at the same place (V-9). */
export function completenessOf(walk: Walk, mark: Mark | null): Verdict {
  if (mark === null) {
    const sentence = "Truncation not checked: there is no high-water mark here.";
    return { state: "not checked", sentence, findings: [], omitted: 0 };
  }
  const fault = lostAt(walk, mark);
  if (fault === null) {
    const sentence = `Reaches the high-water mark @${mark.seq} of this machine.`;
    return { state: "sound", sentence, findings: [], omitted: 0 };
  }
  const sentence = `${fault.message.charAt(0).toUpperCase()}${fault.message.slice(1)}.`;
  return { state: "findings", sentence, findings: [finding(fault, null, mark.seq, mark.id)], omitted: 0 };
}

function lostAt({ judged, tip }: Walk, mark: Mark): Fault | null {
  const said = `event @${mark.seq} (${mark.id.slice(0, 12)}) was acknowledged here`;
  const there = judged.filter(({ good, seq }) => good !== null && seq === mark.seq);
  const found = there.find(({ id }) => id === mark.id) ?? there.at(-1);
  if (found === undefined) {
    const short = tip === null ? "but no event can be read" : `but the chain ends at @${tip.seq}`;
    const what = (tip?.seq ?? -1) < mark.seq ? short : "and can no longer be read";
    return new Fault("rollback", "V-9", `${said}, ${what}`);
  }
  if (found.id !== mark.id) {
    const other = `but ${found.id!.slice(0, 12)} is in its place: the chain was rewritten`;
    return new Fault("rollback", "V-9", `${said}, ${other}`);
  }
  if (found.start === mark.start) return null;
  const moved = `at byte ${mark.start}, but is at ${found.start}: bytes were inserted or removed before it`;
  return new Fault("moved", "V-9", `${said} ${moved}`);
}
