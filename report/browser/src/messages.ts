/** What the page and its worker say to each other. */

import type { About } from "./data";
import type { Ledger } from "./ledger/ledger";
import type { Report } from "./verify/index";

/** Questions are the methods of `Ledger`; the worker answers each by its number. */
export type Question = {
  [Name in keyof Ledger]: Ledger[Name] extends (...given: any[]) => any ? Name : never;
}[keyof Ledger];

export type Answer<Name extends Question> = Awaited<ReturnType<Extract<Ledger[Name], (...given: any[]) => any>>>;
export type Given<Name extends Question> = Parameters<Extract<Ledger[Name], (...given: any[]) => any>>;

export type ToWorker =
  | { load: { about: About; chains: string[][]; rest: string[] } }
  | { vkey: string }
  | { ask: Question; given: unknown[]; number: number };

/** What was found of the ledger's own chain, the key that it was checked against, and what was found of the other writers' chains. */
export type Verdicts = Report & { against: string | null; others: { name: string; report: Report }[] };

export type FromWorker =
  | { loaded: number }
  | { failed: string }
  | { progress: { done: number; of: number } }
  | { verdict: Verdicts }
  | { unusable: string }
  | { answer: unknown; number: number }
  | { refused: string; number: number };
