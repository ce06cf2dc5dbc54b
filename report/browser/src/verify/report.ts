// What a verifier reports of a chain.
//
// Implements specs/verification.md (V-2, V-6, V-10, V-20, V-50).

import type { Judged, Walk } from "./chain.ts";
import { Fault } from "./fault.ts";
import type { Tip } from "./link.ts";
import { payloadOf, resultOf, type LineResult, type PayloadState } from "./lines.ts";
import { completenessOf, demandKey, finding, foreignTo, integrityOf, notByKey } from "./verdicts.ts";
import type { Expected, Finding, Verdict } from "./verdicts.ts";

/** The whole report. `isKnown` says that something tells whose chain it is (V-8). */
export interface Report {
  integrity: Verdict;
  completeness: Verdict;
  events: number;
  payloads: Record<Exclude<PayloadState, "none" | "left out">, number>;
  disowned: [since: number, rotate: number][];
  genesis: string | null;
  ledger: { id: string; name: string; scope: string } | null;
  tip: Tip | null;
  isKnown: boolean;
}

/** Make the report of a chain that was walked along; `unfinished` bytes after it are no line (V-10). */
export function reportOf(walk: Walk, expected: Expected, unfinished: number, line: (result: LineResult) => void): Report {
  const payloads = { present: 0, erased: 0, missing: 0, altered: 0, present_after_erase: 0 };
  const named = new Set(walk.judged.flatMap(({ good }) => good?.targets ?? []));
  const findings: Finding[] = [];
  for (const each of walk.judged) {
    const [state, wrong] = payloadOf(each, named, expected.texts);
    if (state !== "none" && state !== "left out") payloads[state] += 1;
    const fault = each.fault ?? wrong;
    const found = fault ? [finding(fault, each.number, each.seq, each.id)] : [];
    if (!each.isEnded) found.push(missingLf(each.number));
    findings.push(...found);
    line(resultOf(each, state, found));
  }
  findings.push(...ofTheWhole(walk));
  if (findings.length === 0) demandKey(walk, expected);
  const foreign = foreignTo(walk, expected) ?? (findings.length === 0 ? notByKey(walk, expected) : null);
  if (foreign) findings.unshift(foreign);
  const events = walk.judged.filter(({ good }) => good !== null).length;
  const disowned = walk.judged.flatMap(disownedBy);
  const counted = { events, erased: payloads.erased, disowned, unfinished: walk.isLost ? 0 : unfinished };
  return {
    integrity: integrityOf(findings, counted, expected),
    completeness: completenessOf(walk, expected.mark),
    events,
    payloads,
    disowned,
    genesis: walk.genesis?.id ?? expected.from?.genesis ?? null,
    ledger: (walk.genesis?.value.ledger as unknown as Report["ledger"]) ?? null,
    tip: walk.tip,
    isKnown: expected.genesis !== null,
  };
}

function missingLf(line: number): Finding {
  const message = "the last line lacks its line feed: a write was cut off (the next append repairs it)";
  return finding(new Fault("missing-lf", "C-1", message), line, null, null);
}

function ofTheWhole(walk: Walk): Finding[] {
  const found: Fault[] = [];
  if (walk.judged.length === 0 && walk.from === null) {
    found.push(new Fault("empty-chain", "C-2", "the chain file is empty: it was emptied, or its start is lost"));
  }
  if (walk.isLost) {
    const message = "without a good first event there is no key to check by: the lines after it were not checked";
    found.push(new Fault("no-key", "V-6", message));
  }
  return found.map((each) => finding(each, null, null, null));
}

/** Return the stretch that a rotate disowns, if it does (V-20). */
function disownedBy({ good, seq }: Judged): [number, number][] {
  return good?.since !== undefined && good.since < seq! ? [[good.since, seq!]] : [];
}
