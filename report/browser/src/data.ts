/** What a report holds, as `report/contents.py` writes it (specs/report.md H-3, H-4, H-12). */

import type { Tip } from "./verify/link";
import type { Mark } from "./verify/verdicts";

/** The event before the first one in the file, and the keys in force after it. */
export interface Before extends Tip {
  genesis: string;
}

/** One chain: whose it is, and what the machine that made the report knows of it. */
export interface ShownChain {
  name: string;
  bytes: number;
  genesis: string | null;
  mark: Mark | null;
  /** What the chain is verified from if its beginning is not in the file. */
  from: Before | null;
  /** Events after this seq do not count; -1 says that all do. */
  until: number;
}

export interface About {
  format: number;
  made: string;
  version: string;
  /** Whether this machine serves the page itself, so that its word on whose the chain is can be taken. */
  live: boolean;
  ledger: { id: string; name: string; scope: string };
  chains: ShownChain[];
  /** Whether what events say is in the file, or their signed heads alone. */
  texts: boolean;
}

/** A line of a document: its text, the id of the version that last changed it, and whether the log knows it. */
export type DocumentLine = [text: string, id: string | null, state: "known" | "nobody" | "unknown"];

export interface ShownDocument {
  path: string;
  file: string;
  lines: DocumentLine[];
}

export interface Suspicion {
  id: string;
  signs: { sign: string; member: string; words: string }[];
}

/** What one receipt shows of a checkpoint of `size` events, as `verify --json` has it. */
export interface Receipt {
  method: string;
  size: number;
  where: string | null;
  state: "held" | "not checked" | "wrong";
  source: string;
  time: string | null;
  message: string;
}

export interface NamedMemory {
  id: string;
  text: string;
}

/** A memory that waits for a person, with why, and what an answer would do (H-25). */
export interface Waiting extends NamedMemory {
  why: "forget" | "candidate" | "stale";
  status: string;
  days: number | null;
  gone: string[];
  compromised: boolean;
  wish: { by: string; at: string } | null;
  details: string[];
  body: string;
  section: string;
  learned: string;
  by: { name: string; role: string; via: string };
  from: { kind: string; name: string };
  replaces: NamedMemory[];
  contradicts: NamedMemory[];
  /** What comes back when it is deleted. */
  restores: NamedMemory[];
}

export interface Queue {
  requests: number;
  items: Waiting[];
}

/** One time that memories reached an agent (H-40): which ids in which session, through which door, and why. */
export interface Sighting {
  day: string;
  at: string;
  agent: string;
  session: string;
  door: string;
  why: string;
  tokens: number;
  ids: string[];
}

/** The machine's word beside the chains; checkpoints are the signed notes as text. */
export interface Rest {
  documents: ShownDocument[];
  suspicions: Suspicion[];
  /** Of events that wait for a person: what they make is a candidate. */
  proposals: string[];
  /** What such events say of others that does not count: target and event. */
  uncounted: [target: string, id: string][];
  /** Ids of a memory that waits and of the active ones that it contradicts. */
  contradictions: string[][];
  checkpoints: string[];
  receipts: Receipt[];
  /** Newest first. */
  seen: Sighting[];
  /** Only where this machine serves the page itself. */
  review?: Queue;
}
