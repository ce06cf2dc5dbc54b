// What holds of each line, once all lines are known: the state of its payload and the five checks of its badge.
//
// Implements specs/verification.md (V-4, V-7).

import type { Judged } from "./chain.ts";
import { Fault } from "./fault.ts";
import type { Finding } from "./verdicts.ts";

export type PayloadState = "none" | "left out" | "present" | "erased" | "missing" | "altered" | "present_after_erase";
export type Check = "good" | "bad" | "not checked" | "none";

/** What holds of one line. `end` is after its LF; `seq` and `id` are as in V-2; `kind` is null if its head is bad. */
export interface LineResult {
  line: number;
  start: number;
  end: number;
  seq: number | null;
  id: string | null;
  kind: string | null;
  ok: boolean;
  codes: string[];
  /** What is wrong with it, a sentence for each code. */
  reasons: string[];
  payload: PayloadState;
  checks: { schema: Check; hash: Check; link: Check; signature: Check; commitment: Check };
}

/** Judge a payload now that all erases are known (V-7); without `texts` it may be left out. */
export function payloadOf({ good, id }: Judged, named: Set<string>, texts: boolean): [PayloadState, Fault | null] {
  if (good === null) return ["none", null];
  const { state, fault } = good.payload;
  if (state === "missing" && !texts) return ["left out", null];
  const isNamed = named.has(id!);
  if (state === "blank") {
    if (isNamed) return ["erased", null];
    return ["missing", new Fault("payload-missing", "V-7", "the payload was blanked, but no erase event says so")];
  }
  if (isNamed && (state === "present" || state === "altered")) {
    const message = "an erase names this event, but its payload is still there (the next append finishes it)";
    return ["present_after_erase", new Fault("erase-incomplete", "V-7", message)];
  }
  return [state, fault];
}

export function resultOf(judged: Judged, payload: PayloadState, found: Finding[]): LineResult {
  const { good, seq, id, fault } = judged;
  const codes = found.map((each) => each.code);
  return {
    line: judged.number,
    start: judged.start,
    end: judged.end,
    seq,
    id,
    kind: good?.kind ?? null,
    ok: codes.length === 0,
    codes,
    reasons: found.map(({ message, rule }) => `${message} (${rule})`),
    payload,
    checks: {
      schema: (fault && seq === null) || codes.includes("payload-schema") ? "bad" : "good",
      hash: id === null ? "not checked" : "good",
      link: linkOf(judged),
      signature: signatureOf(fault, seq),
      commitment: good === null ? "not checked" : commitmentOf(payload, codes),
    },
  };
}

const LINK_CODES = new Set(["genesis", "seq", "prev", "time", "epoch"]);

function linkOf({ fault, seq, isLoose }: Judged): Check {
  if (fault && LINK_CODES.has(fault.code)) return "bad";
  return seq === null || isLoose ? "not checked" : "good";
}

function signatureOf(fault: Fault | null, seq: number | null): Check {
  if (fault === null) return "good";
  return seq === null || LINK_CODES.has(fault.code) ? "not checked" : "bad";
}

function commitmentOf(payload: PayloadState, codes: string[]): Check {
  if (payload === "present") return "good";
  if (payload === "erased") return "none";
  if (payload === "left out") return "not checked";
  return payload === "none" && !codes.includes("payload-unsigned") ? "none" : "bad";
}
