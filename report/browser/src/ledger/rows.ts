/** The lines of a chain as rows to list. What they claim is taken as it stands; `verify` says what of it holds. */

import { readLine } from "../verify/event";
import { Fault } from "../verify/fault";

export interface By {
  name: string;
  role: string;
  via: string;
  /** Whose chain says it, where there are several. */
  writer?: string;
}

/** One line. `id` is what the next line names as the one before it, or computed where no line does. */
export interface Row {
  /** Its place in the list of all rows. */
  n: number;
  /** Which chain it is of; 0 is the ledger's own. */
  chain: number;
  start: number;
  end: number;
  seq: number;
  id: string;
  at: string;
  ts: string;
  kind: string;
  /** The day on which it happened where the reader is. */
  day: string;
  by: By;
  targets: string[];
  prev: string | null;
}

/** What an event says beside its head; null where it has nothing to say, or it was blanked. */
export type Payload = Record<string, any> | null;

const SPLIT = ',"sig":"';
const NOBODY: By = { name: "", role: "", via: "" };
const decoder = new TextDecoder();

/** Returns the rows of the chain between two places; a line that is no event is of the kind `unreadable`. */
export function rowsOf(bytes: Uint8Array, begin: number, stop: number, chain: number): Row[] {
  const rows: Row[] = [];
  for (let start = begin; start < stop; ) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 || found > stop ? stop : found;
    rows.push(rowOf(bytes, start, end, { n: rows.length, chain }));
    start = end + 1;
  }
  for (const row of rows) {
    if (row.n > 0 && row.prev !== null) rows[row.n - 1]!.id = row.prev;
  }
  for (const row of rows) if (row.id === "") row.id = computedId(bytes, row);
  return rows;
}

function computedId(bytes: Uint8Array, row: Row): string {
  const line = readLine(bytes.subarray(row.start, row.end));
  return line instanceof Fault ? "" : line.id;
}

/** Returns what a line's event says, read anew: the rows of a long chain do not hold it. */
export function payloadOf(bytes: Uint8Array, row: Row): Payload {
  const line = textOf(bytes, row);
  const at = line.indexOf(SPLIT);
  const payload = line.indexOf(',"payload":', at);
  if (at < 0 || payload < 0) return null;
  try {
    return JSON.parse(line.slice(payload + 11, -1));
  } catch {
    return null;
  }
}

/** Returns a line as text. */
export function textOf(bytes: Uint8Array, row: Row): string {
  return decoder.decode(bytes.subarray(row.start, row.end));
}

/** Returns the rows of all chains, the oldest first, each with its place among them. */
export function merged(chains: Row[][]): Row[] {
  if (chains.length === 1) return chains[0]!;
  const rows = chains.flat().sort((a, b) => (a.ts + a.id < b.ts + b.id ? -1 : 1));
  rows.forEach((row, n) => (row.n = n));
  return rows;
}

function rowOf(bytes: Uint8Array, start: number, end: number, place: Pick<Row, "n" | "chain">): Row {
  const row: Row = { ...place, start, end, seq: -1, id: "", at: "", ts: "", kind: "unreadable", day: "", by: NOBODY, targets: [], prev: null };
  const event = headOf(textOf(bytes, row));
  if (event === null) return row;
  const at = event.at ?? event.ts;
  return Object.assign(row, {
    seq: event.seq,
    at,
    ts: event.ts,
    kind: event.kind,
    day: localDay(at),
    by: event.by ?? NOBODY,
    targets: event.targets ?? [],
    prev: event.prev,
  });
}

/** Returns the signed head of a line; null where it is none. */
export function headOf(line: string): Record<string, any> | null {
  const at = line.indexOf(SPLIT);
  if (at < 0) return null;
  try {
    const event = JSON.parse(line.slice(9, at));
    return typeof event?.ts === "string" && typeof event.kind === "string" ? event : null;
  } catch {
    return null;
  }
}

const days = new Map<string, string>();

/** Returns the local day of an instant; one look at the time zone for each minute. */
function localDay(instant: string): string {
  const minute = instant.slice(0, 16);
  let day = days.get(minute);
  if (day === undefined) {
    const time = new Date(`${minute}Z`);
    const [year, month, date] = [time.getFullYear(), time.getMonth() + 1, time.getDate()];
    day = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(date).padStart(2, "0")}`;
    days.set(minute, day);
  }
  return day;
}
