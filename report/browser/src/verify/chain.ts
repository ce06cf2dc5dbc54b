// The walk along a chain: each line against what stands before it, with the keys in force.
//
// Implements specs/verification.md (V-3…V-7, V-10, V-20, V-50). What a line says by itself is read first, and its signature
// is checked meanwhile by the key that should be in force; then the lines are judged in their order. If another key is in
// force after all, the signature is checked again by that one.

import { encoded, fromBase64url, fromHex } from "./bytes.ts";
import { spelled, type JsonObject } from "./canonical.ts";
import { nextKeyCommitment, readLine, type Line } from "./event.ts";
import { Fault } from "./fault.ts";
import { signatures, type Verify } from "./signature.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const BATCH = 128;
const SIGNED = encoded("memory-ledger/v1 event\n");
const ROTATE_SIGNED = encoded("memory-ledger/v1 rotate\n");
const LF = 0x0a;

/** A line of the file: `end` is after its LF. `place` says whether its place could be judged (V-5). */
export interface Judged {
  number: number;
  start: number;
  end: number;
  line: Line | null;
  seq: number | null;
  id: string | null;
  fault: Fault | null;
  place: "checked" | "unchecked";
  ended: boolean;
}

/** The newest good event and the keys in force. */
export interface Tip {
  seq: number;
  id: string;
  ts: string;
  epoch: number;
  key: string;
  next: string;
}

interface Read {
  start: number;
  end: number;
  ended: boolean;
  line: Line | Fault;
  signed: { key: string; holds: Promise<boolean> } | null;
}

/** Takes a chain's bytes; `judged` holds its lines in order, `isLost` says that no key is left to check by (V-6). */
export class Walk {
  readonly judged: Judged[] = [];
  tip: Tip | null = null;
  genesis: Line | null = null;
  isLost = false;
  private isLoose = false;
  private at = 0;
  private expected = "";

  private constructor(
    private readonly bytes: Bytes,
    private readonly size: number,
    private readonly verify: Verify,
  ) {}

  /** Walk along the first `size` bytes. Between two batches of lines everything else has its turn. */
  static async along(bytes: Bytes, size: number, progress: (done: number) => void): Promise<Walk> {
    const walk = new Walk(bytes, size, await signatures());
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
      const ended = found >= 0 && found < this.size;
      const stop = ended ? found : this.size;
      this.at = ended ? stop + 1 : stop;
      const line = readLine(this.bytes.subarray(start, stop));
      let signed: Read["signed"] = null;
      if (!(line instanceof Fault)) {
        this.expected = (line.value.key as string | undefined) ?? this.expected;
        signed = { key: this.expected, holds: this.signedBy(this.expected, line) };
      }
      batch.push({ start, end: this.at, ended, line, signed });
    }
    return batch;
  }

  private async judge({ start, end, ended, line, signed }: Read): Promise<void> {
    const place = this.isLoose ? "unchecked" : "checked";
    const number = this.judged.length + 1;
    const at = { number, start, end, ended, place } as const;
    if (line instanceof Fault) {
      this.refuse();
      this.judged.push({ ...at, line: null, seq: null, id: null, fault: line });
      return;
    }
    const fault = await this.fault(line, signed);
    const seq = line.value.seq as number;
    this.judged.push({ ...at, line: fault ? null : line, seq, id: line.id, fault });
    if (fault) this.refuse();
    else this.accept(line);
  }

  /** Return the first check of V-3 that fails for a line with a good EVENT. */
  private async fault(line: Line, signed: Read["signed"]): Promise<Fault | null> {
    const event = line.value;
    const misplaced = this.misplaced(event);
    if (misplaced) return misplaced;
    const key = (event.key as string | undefined) ?? this.tip!.key;
    if (this.tip && event.kind === "rotate" && nextKeyCommitment(fromHex(key)) !== this.tip.next) {
      return new Fault("key", "E-21", "the new key is not the one that was committed to");
    }
    if (line.signature === null) {
      return new Fault("signature", "E-8", "the signature is not canonical base64url");
    }
    const holds = signed?.key === key ? signed.holds : this.signedBy(key, line);
    if (!(await holds)) {
      const message = "the signature does not match: the line was changed, or signed with another key";
      return new Fault("signature", "E-9", message);
    }
    if (event.proof !== undefined && !(await this.isProven(event))) {
      return new Fault("key", "E-21", "the old key's proof does not match");
    }
    return null;
  }

  /** C-2…C-4; the place of a line after a bad one is taken as it is (V-5). */
  private misplaced(event: JsonObject): Fault | null {
    const tip = this.tip;
    if (tip === null) {
      if (event.kind !== "genesis") {
        return new Fault("genesis", "C-2", "the chain does not begin with a genesis: its start is missing");
      }
      const isFirst = event.seq === 0 && event.prev === null && event.epoch === 0;
      return isFirst ? null : new Fault("genesis", "C-2", "a genesis has seq 0, prev null and epoch 0");
    }
    if (event.kind === "genesis") return new Fault("genesis", "C-2", "a second genesis");
    if (this.isLoose) return null;
    if (event.seq !== tip.seq + 1) {
      const what = "lines are missing, doubled or out of order";
      return new Fault("seq", "C-3", `seq is ${event.seq} where ${tip.seq + 1} must follow: ${what}`);
    }
    if (event.prev !== tip.id) {
      return new Fault("prev", "C-3", "prev is not the id of the line before: one of the two was changed");
    }
    if ((event.ts as string) <= tip.ts) {
      return new Fault("time", "C-3", `ts ${event.ts} is not later than ${tip.ts} before it`);
    }
    const epoch = tip.epoch + (event.kind === "recover" ? 1 : 0);
    return event.epoch === epoch ? null : new Fault("epoch", "C-4", `epoch is ${event.epoch}; it must be ${epoch}`);
  }

  private async signedBy(key: string, { event, signature }: Line): Promise<boolean> {
    return key !== "" && signature !== null && this.verify(fromHex(key), joined(SIGNED, event), signature);
  }

  /** Check a rotate's proof by the old key (E-21). */
  private async isProven(event: JsonObject): Promise<boolean> {
    const { proof, ...rest } = event;
    const signature = fromBase64url(proof as string, 64);
    const message = joined(ROTATE_SIGNED, encoded(spelled(rest)!));
    return signature !== null && this.verify(fromHex(this.tip!.key), message, signature);
  }

  private refuse(): void {
    this.isLoose = true;
    this.isLost = this.tip === null;
    this.expected = this.tip?.key ?? "";
  }

  private accept(line: Line): void {
    const { seq, ts, epoch, key, next } = line.value as { seq: number; ts: string; epoch: number; key?: string; next?: string };
    const before = this.tip;
    this.tip = { seq, id: line.id, ts, epoch, key: key ?? before!.key, next: next ?? before!.next };
    this.genesis ??= line;
    this.isLoose = false;
    if (key !== undefined) this.expected = key;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Bytes {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
