/** What the page and its worker say to each other. */

import type { About } from "./data";
import type { Ledger, Badge } from "./ledger/ledger";

/** Questions are the methods of `Ledger`; the worker answers each by its number. */
export type Question = {
  [Name in keyof Ledger]: Ledger[Name] extends (...given: any[]) => any ? Name : never;
}[keyof Ledger];

export type Answer<Name extends Question> = ReturnType<Extract<Ledger[Name], (...given: any[]) => any>>;
export type Given<Name extends Question> = Parameters<Extract<Ledger[Name], (...given: any[]) => any>>;

export type ToWorker =
  | { load: { about: About; chain: string[]; rest: string[] } }
  | { vkey: string }
  | { ask: Question; given: unknown[]; number: number };

/** What was found of the whole chain. */
export interface Verdict {
  integrity: { state: "sound" | "findings" | "not checked"; said: string };
  completeness: { state: "sound" | "findings" | "not checked"; said: string };
  findings: { code: string; rule: string; line: number | null; seq: number | null; id: string | null; message?: string }[];
  signer: "known" | "unknown";
  events: number;
}

export type FromWorker =
  | { loaded: number }
  | { failed: string }
  | { progress: { done: number; of: number } }
  | { badges: { from: number; badges: (Badge | null)[] } }
  | { verdict: Verdict }
  | { answer: unknown; number: number }
  | { refused: string; number: number };
