// The walk along a chain: each line against what stands before it, with the keys in force.
//
// Implements specs/verification.md (V-3…V-6). What a line says by itself is read first, and its signature is checked
// meanwhile by the key that should be in force; then the lines are judged in their order. If another key is in force
// after all, the signature is checked again by that one.

import { readLine, type Line, type Payload } from "./event.ts";
import { Fault } from "./fault.ts";
import { isSigned, lineFault, tipAfter, type Checking, type Tip } from "./link.ts";
import { signatures, type Verify } from "./signature.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const BATCH = 128;
const LF = 0x0a;

/**
 * A line of the file. `end` is after its LF; `isLoose` says that its place was not judged; `fault` is its head's. `good` is
 * what counts of an event whose head is good.
 */
export interface Judged {
  number: number;
  start: number;
  end: number;
  isEnded: boolean;
  isLoose: boolean;
  seq: number | null;
  id: string | null;
  fault: Fault | null;
  good: Good | null;
}

/** The few members that count later on, so that memory does not hold the chain twice. */
export interface Good {
  kind: string;
  payload: Payload;
  key: string | undefined;
  since: number | undefined;
  targets: string[];
}

interface Read {
  start: number;
  end: number;
  isEnded: boolean;
  line: Line | Fault;
  checking: Checking | null;
}

/** Takes a chain's bytes; `judged` holds its lines in order, `isLost` says that no key is left to check by (V-6). */
export class Walk {
  readonly judged: Judged[] = [];
  tip: Tip | null;
  genesis: Line | null = null;
  isLost = false;
  private isLoose = false;
  private at = 0;
  private expected: string;

  private constructor(
    private readonly bytes: Bytes,
    private readonly size: number,
    private readonly verify: Verify,
    readonly from: Tip | null,
  ) {
    this.tip = from;
    this.expected = from?.key ?? "";
  }

  /** Walk along the first `size` bytes, which follow `from`. Between two batches of lines everything else has its turn. */
  static async along(bytes: Bytes, size: number, from: Tip | null, progress: (done: number) => void): Promise<Walk> {
    const walk = new Walk(bytes, size, await signatures(), from);
    let batch = walk.read();
    while (batch.length > 0 && !walk.isLost) {
      const next = walk.read();
      for (const each of batch) if (!walk.isLost) await walk.judge(each);
      progress(batch.at(-1)!.end);
      if (next.length > 0) await new Promise((resolve) => setTimeout(resolve));
      batch = next;
    }
    return walk;
  }

  /** Read the next lines, and have their signatures checked by the key that is expected to be in force. */
  private read(): Read[] {
    const batch: Read[] = [];
    while (batch.length < BATCH && this.at < this.size) {
      const start = this.at;
      const found = this.bytes.indexOf(LF, start);
      const isEnded = found >= 0 && found < this.size;
      const stop = isEnded ? found : this.size;
      this.at = isEnded ? stop + 1 : stop;
      const line = readLine(this.bytes.subarray(start, stop));
      const checking = line instanceof Fault ? null : this.checking(line);
      batch.push({ start, end: this.at, isEnded, line, checking });
    }
    return batch;
  }

  private checking(line: Line): Checking {
    this.expected = (line.value.key as string | undefined) ?? this.expected;
    return { key: this.expected, holds: isSigned(line, this.expected, this.verify) };
  }

  private async judge({ start, end, isEnded, line, checking }: Read): Promise<void> {
    const at = { number: (this.from?.seq ?? -1) + this.judged.length + 2, start, end, isEnded, isLoose: this.isLoose };
    if (line instanceof Fault) {
      this.judged.push({ ...at, seq: null, id: null, fault: line, good: null });
      this.refuse();
      return;
    }
    const fault = await lineFault(line, this.tip, this.isLoose, this.verify, checking);
    const seq = line.value.seq as number;
    this.judged.push({ ...at, seq, id: line.id, fault, good: fault ? null : goodOf(line) });
    if (fault) this.refuse();
    else this.accept(line);
  }

  private refuse(): void {
    this.isLoose = true;
    this.isLost = this.tip === null;
    this.expected = this.tip?.key ?? "";
  }

  private accept(line: Line): void {
    this.tip = tipAfter(line, this.tip);
    if (this.from === null) this.genesis ??= line;
    this.isLoose = false;
    if (line.value.key !== undefined) this.expected = this.tip.key;
  }
}

function goodOf({ value, payload }: Line): Good {
  const { kind, key, since, targets } = value as unknown as Omit<Good, "payload">;
  return { kind, payload, key, since, targets: kind === "erase" ? targets : [] };
}
