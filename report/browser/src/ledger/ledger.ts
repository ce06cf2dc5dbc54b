/** The questions that the page asks: the worker holds a `Ledger`, and the screens call its methods by messages. */

import type { About, Queue, Receipt, Rest, ShownDocument, Sighting } from "../data";
import { type Judgement, type LineResult, type Tree, verifyProof } from "../verify/index";
import { type Payload, type Row, headOf, merged, payloadOf, textOf } from "./rows";
import { type Confirmed, type InForce, confirmed, proofFile, treeOf } from "./proofs";
import { madeFrom, radius, sourceOf } from "./radius";
import { asked, hasStatus, passes } from "./search_words";
import { type Counts, type Memory, type Status, fold, sectionOf, typeOf, versions } from "./state";

/** One event, as lists show it. */
export interface Listed extends Row {
  text: string;
  badge: LineResult | null;
}

/** One memory, as lists show it. */
export interface ListedMemory {
  id: string;
  n: number;
  seq: number;
  at: string;
  text: string;
  type: string;
  section: string;
  status: Status;
  by: Row["by"];
  suspicious: boolean;
}

/** One version of a memory with everything that happened to it. */
export interface Version extends ListedMemory {
  payload: Payload;
  line: string;
  badge: LineResult | null;
  supersededBy: string[];
  /** What it was made from, as it says itself. */
  madeFrom: ListedMemory[];
  deletedBy: Listed[];
  confirmedBy: Listed[];
  erasedBy: Listed[];
}

export interface Overview {
  events: number;
  memories: Record<Status, number>;
  byType: [string, number][];
  bySection: [string, number][];
  byAuthor: [string, number][];
  days: [day: string, events: number][];
  lastWeek: { learned: number; replaced: number; deleted: number; confirmed: number };
  waiting: ListedMemory[];
  suspicions: number;
  first: string;
  last: string;
}

/** An event of keys or anchors, with its head and what it says. */
export interface Milestone extends Listed {
  head: Record<string, any>;
  payload: Payload;
}

/** What events to list: those of some kinds, authors and days, newest first. */
export interface EventFilter {
  kind?: string;
  author?: string;
  from?: string;
  to?: string;
}

/** What memories to list. */
export interface MemoryFilter {
  words: string;
  type?: string;
  section?: string;
  author?: string;
  status?: Status | "live" | "all";
}

export interface Page<T> {
  total: number;
  items: T[];
}

/** What became different between two times. */
export interface Changes {
  learned: ListedMemory[];
  changed: [before: ListedMemory, after: ListedMemory][];
  forgotten: ListedMemory[];
}

const DAY = 86_400_000;

export class Ledger {
  private readonly badges: (LineResult | null)[];
  private memories = new Map<string, Memory>();
  private readonly byId = new Map<string, Row>();
  private readonly suspicious: Set<string>;
  private readonly proposals: Set<string>;
  private readonly uncounted: Set<string>;
  readonly rows: Row[];
  private lowered: Map<string, string> | null = null;
  private isMisnamed = false;
  private tree: Promise<Tree> | null = null;

  constructor(
    readonly about: About,
    readonly bytes: Uint8Array<ArrayBuffer>,
    private readonly chains: Row[][],
    readonly rest: Rest,
  ) {
    const rows = (this.rows = merged(chains));
    if (chains.length > 1) for (const row of rows) row.by = { ...row.by, writer: about.chains[row.chain]!.name };
    this.badges = rows.map(() => null);
    this.suspicious = new Set(rest.suspicions.map((each) => each.id));
    const isTeam = chains.length > 1; // a ledger without others has no proposals of theirs, whatever its file says
    this.proposals = new Set(isTeam ? rest.proposals : []);
    this.uncounted = new Set(isTeam ? rest.uncounted.map(String) : []);
    this.fold();
  }

  /** Takes in what the verifier found of a line of a chain. */
  judge(chain: number, result: LineResult): void {
    const skipped = (this.about.chains[chain]!.from?.seq ?? -1) + 1;
    const row = this.chains[chain]![result.line - 1 - skipped]!;
    this.badges[row.n] = result;
    if (result.id === null || result.id === row.id) return;
    row.id = result.id; // the line after it named another one
    this.isMisnamed = true;
  }

  /** Folds again if lines had named others wrongly: once all lines are judged, their ids are computed ones. */
  settle(): void {
    if (this.isMisnamed) this.fold();
    this.isMisnamed = false;
  }

  /** Returns the bytes of one chain. */
  bytesOf(chain: number): Uint8Array<ArrayBuffer> {
    const rows = this.chains[chain]!;
    return this.bytes.subarray(rows[0]?.start ?? 0, (rows.at(-1)?.end ?? -1) + 1);
  }

  private payload(row: Row): Payload {
    const said = payloadOf(this.bytes, row) ?? (this.about.texts ? null : {});
    return said && this.proposals.has(row.id) ? { ...said, status: "candidate" } : said;
  }

  private folded(payloadOf: (row: Row) => Payload, counts: Counts = () => true): Map<string, Memory> {
    const last = this.about.chains.map(({ until }, chain) => (chain === 0 || until < 0 ? Infinity : until));
    const isSaid = (target: string, row: Row) => !this.uncounted.has(`${target},${row.id}`);
    return fold(this.rows, payloadOf, (row) => row.seq <= last[row.chain]! && counts(row), isSaid);
  }

  overview(): Overview {
    const all = [...this.memories.values()];
    const live = all.filter((each) => isLive(each.status));
    const since = new Date(Date.parse(this.about.made) - 7 * DAY).toISOString();
    const recent = this.rows.filter((row) => row.at >= since);
    const made = all.map(({ row }) => row).filter((row) => row.at >= since);
    const statuses: Record<Status, number> = { active: 0, candidate: 0, superseded: 0, deleted: 0, erased: 0 };
    for (const memory of all) statuses[memory.status]++;
    return {
      events: this.rows.length,
      memories: statuses,
      byType: counted(live.map((each) => typeOf(each.payload))),
      bySection: counted(live.map((each) => sectionOf(each.payload))),
      byAuthor: counted(live.map((each) => each.row.by.name)),
      days: counted(this.rows.map((row) => row.day).filter(Boolean)).sort((a, b) => (a[0] < b[0] ? -1 : 1)),
      lastWeek: {
        learned: countOf(made, "create"),
        replaced: countOf(made, "supersede"),
        deleted: countOf(recent, "delete"),
        confirmed: countOf(recent, "confirm"),
      },
      waiting: all.filter((each) => each.status === "candidate").reverse().slice(0, 50).map((each) => this.listed(each)),
      suspicions: this.rest.suspicions.length,
      first: this.rows[0]?.at ?? "",
      last: this.rows.at(-1)?.at ?? "",
    };
  }

  /** Returns `limit` events from the `skip`th newest on. */
  events(wanted: EventFilter, skip: number, limit: number): Page<Listed> {
    const found = this.rows.filter((row) => fits(row, wanted));
    const items = found.reverse().slice(skip, skip + limit).map((row) => this.event(row));
    return { total: found.length, items };
  }

  /** Returns what the timeline draws: for each day the number of events of each kind, or of each author. */
  density(wanted: EventFilter, by: "kind" | "author"): [day: string, name: string, events: number][] {
    const found = this.rows.filter((row) => fits(row, wanted));
    return counted(found.map((row) => `${row.day} ${by === "kind" ? row.kind : row.by.name}`)).map(([key, events]) => {
      return [key.slice(0, 10), key.slice(11), events];
    });
  }

  /** Returns the memories that say all the words, newest first. */
  search(wanted: MemoryFilter, skip: number, limit: number): Page<ListedMemory> {
    const { words, filters, statuses } = asked(wanted.words);
    if (statuses.length === 0) statuses.push(wanted.status ?? "all");
    const texts = this.texts();
    const found: Memory[] = [];
    for (const memory of this.memories.values()) {
      if (!hasStatus(statuses, memory.status) || !this.matches(memory, wanted)) continue;
      if (!filters.every((filter) => passes(memory, filter, this.about.made))) continue;
      const text = texts.get(memory.row.id)!;
      if (words.every((word) => text.includes(word))) found.push(memory);
    }
    return { total: found.length, items: found.reverse().slice(skip, skip + limit).map((each) => this.listed(each)) };
  }

  /** Returns all versions of a memory, oldest first; none where the id is no memory's. */
  versions(id: string): Version[] {
    return versions(this.memories, this.resolved(id)).map((each) => this.version(each));
  }

  /** Returns the times that memories were shown to agents, newest first; of one memory, if an id is given. */
  sightings(id: string, skip: number, limit: number): Page<Sighting & { memories: ListedMemory[] }> {
    const found = id ? this.rest.seen.filter((each) => each.ids.includes(id)) : this.rest.seen;
    const items = found.slice(skip, skip + limit).map((each) => {
      return { ...each, memories: each.ids.flatMap((shown) => this.memories.get(shown) ?? []).map((memory) => this.listed(memory)) };
    });
    return { total: found.length, items };
  }

  /** Returns the memories that contradict one of these two ways: it waits and says otherwise what they say, or they do. */
  otherwise(id: string): ListedMemory[] {
    const found = this.rest.contradictions.flatMap(([waits = "", ...said]) => (waits === id ? said : said.includes(id) ? [waits] : []));
    return found.flatMap((each) => this.memories.get(each) ?? []).map((memory) => this.listed(memory));
  }

  /** Returns one event with its line. */
  line(id: string): (Listed & { line: string; payload: Payload }) | null {
    const row = this.byId.get(this.resolved(id));
    if (!row) return null;
    return { ...this.event(row), line: textOf(this.bytes, row), payload: payloadOf(this.bytes, row) };
  }

  /** Returns what was learned, changed and forgotten from the end of one day to the end of another. */
  compare(before: string, after: string): Changes {
    const [then, now] = [this.foldedUpTo(before), this.foldedUpTo(after)];
    const changes: Changes = { learned: [], changed: [], forgotten: [] };
    for (const memory of now.values()) {
      if (!isLive(memory.status) || isLive(then.get(memory.row.id)?.status)) continue;
      const replaced = memory.row.targets.map((id) => then.get(id)).filter((each) => isLive(each?.status));
      if (replaced.length > 0) changes.changed.push([this.listed(replaced[0]!), this.listed(memory)]);
      else changes.learned.push(this.listed(memory));
    }
    for (const memory of then.values()) {
      const status = now.get(memory.row.id)?.status;
      if (isLive(memory.status) && (status === "deleted" || status === "erased")) changes.forgotten.push(this.listed(memory));
    }
    return changes;
  }

  /** Returns the memories that stood at the end of a day, newest first. */
  asOf(day: string, skip: number, limit: number): Page<ListedMemory> {
    const found = [...this.foldedUpTo(day).values()].filter((each) => isLive(each.status)).reverse();
    return { total: found.length, items: found.slice(skip, skip + limit).map((each) => this.listed(each)) };
  }

  /** Returns the days on which something happened, oldest first. */
  days(): string[] {
    return [...new Set(this.rows.map((row) => row.day))].filter(Boolean).sort();
  }

  documents(): ShownDocument[] {
    return this.rest.documents;
  }

  /** Returns what this machine signed of the chain, each with what is wrong with it, and what others confirmed of that. */
  async confirmed(): Promise<{ checkpoints: Confirmed[]; receipts: Receipt[] }> {
    return { checkpoints: await this.compared(this.rest.checkpoints), receipts: this.rest.receipts };
  }

  /** Says of a checkpoint that the reader has from somewhere else whether it is of this history. */
  async against(note: string): Promise<Confirmed> {
    const [found] = await this.compared([note]);
    return found!;
  }

  private compared(notes: string[]): Promise<Confirmed[]> {
    const genesis = this.about.chains[0]?.from?.genesis ?? this.chains[0]![0]?.id ?? "";
    return confirmed(notes, this.keys(), genesis, () => this.grown());
  }

  /** Returns the proof file of an event of this ledger, and the size of the checkpoint that it is under; null if none reaches it. */
  async proof(id: string): Promise<{ file: string; size: number } | null> {
    const row = this.byId.get(this.resolved(id));
    const tree = await this.grown();
    if (!row || row.chain > 0 || tree === null) return null;
    const { checkpoints } = await this.confirmed();
    const notes = checkpoints.filter(({ fault }) => fault === null).map(({ note }) => note);
    return proofFile(this.bytes, this.chains[0]!, row.seq, tree, this.keys(), notes);
  }

  /** Returns the keys of this ledger whose events were found sound, oldest first. */
  private keys(): InForce[] {
    const from = this.about.chains[0]?.from;
    const brought = this.milestones().flatMap(({ chain, seq, head, badge }) => {
      return chain === 0 && badge?.ok && head.key ? [{ seq, key: head.key, since: head.since ?? null }] : [];
    });
    return from ? [{ seq: from.seq, key: from.key, since: null }, ...brought] : brought;
  }

  /** Returns the tree of the ledger's own chain, made when it is first asked for; null if its beginning is not in the file. */
  private grown(): Promise<Tree> | null {
    if (this.about.chains[0]?.from) return null;
    return (this.tree ??= treeOf(this.bytes, this.chains[0]!));
  }

  /** Returns what the machine that wrote the file says beside: how its documents stand, and since when others confirm the history. */
  word(): { documents: number; drifted: string[]; shown: Receipt | null; isTeam: boolean } {
    const { documents, receipts } = this.rest;
    const held = receipts.filter(({ state }) => state === "held");
    return {
      isTeam: this.chains.length > 1,
      documents: documents.length,
      drifted: documents.filter(({ file }) => file !== "same").map(({ path }) => path),
      shown: held.reduce<Receipt | null>((most, each) => (most && most.size >= each.size ? most : each), null),
    };
  }

  /** Returns the memories with these ids, by id. */
  writers(ids: string[]): Record<string, ListedMemory> {
    const found = ids.flatMap((id) => this.memories.get(id) ?? []);
    return Object.fromEntries(found.map((memory) => [memory.row.id, this.listed(memory)]));
  }

  /** Returns what waits for a person; null in a file, which nobody can answer. */
  review(): Queue | null {
    return this.rest.review ?? null;
  }

  /** Returns the memories that read like instructions, with what stands out and the source of each. */
  suspicions(): { memory: ListedMemory; source: string; signs: Rest["suspicions"][0]["signs"] }[] {
    return this.rest.suspicions.flatMap(({ id, signs }) => {
      const memory = this.memories.get(id);
      return memory ? [{ memory: this.listed(memory), source: originOf(memory), signs }] : [];
    });
  }

  /** Returns the events that came from a source, or those that were built on them, newest first; none if the text names no source. */
  radius(text: string, part: "came" | "built", skip: number, limit: number): Page<Listed> {
    const source = sourceOf(text);
    const found = source ? radius(this.rows, (row) => payloadOf(this.bytes, row), source)[part] : [];
    return { total: found.length, items: found.reverse().slice(skip, skip + limit).map((row) => this.event(row)) };
  }

  /** Returns the events of keys and outside confirmations: genesis, rotations, recoveries, anchors. */
  milestones(): Milestone[] {
    const kinds = new Set(["genesis", "rotate", "recover", "anchor"]);
    return this.rows
      .filter((row) => kinds.has(row.kind))
      .map((row) => ({ ...this.event(row), head: headOf(textOf(this.bytes, row)) ?? {}, payload: payloadOf(this.bytes, row) }));
  }

  /** Judges a proof file, of this ledger or another. */
  judgeProof(bytes: Uint8Array, vkey: string | null): Promise<Judgement> {
    return verifyProof(bytes, vkey);
  }

  /** Returns all names that filters offer. */
  names(): { kinds: string[]; authors: string[]; types: string[]; sections: string[] } {
    const all = [...this.memories.values()];
    return {
      kinds: counted(this.rows.map((row) => row.kind)).map(([name]) => name),
      authors: counted(this.rows.map((row) => row.by.name)).map(([name]) => name),
      types: counted(all.map((each) => typeOf(each.payload))).map(([name]) => name),
      sections: counted(all.map((each) => sectionOf(each.payload))).map(([name]) => name),
    };
  }

  private fold(): void {
    this.memories = this.folded((row) => this.payload(row));
    this.byId.clear();
    for (const row of this.rows) this.byId.set(row.id, row);
    this.lowered = null;
  }

  private foldedUpTo(day: string): Map<string, Memory> {
    return this.folded((row) => this.memories.get(row.id)?.payload ?? null, (row) => row.day <= day);
  }

  private texts(): Map<string, string> {
    this.lowered ??= new Map([...this.memories.values()].map((each) => [each.row.id, allWords(each).toLowerCase()]));
    return this.lowered;
  }

  private matches(memory: Memory, wanted: MemoryFilter): boolean {
    if (wanted.type && typeOf(memory.payload) !== wanted.type) return false;
    if (wanted.section && sectionOf(memory.payload) !== wanted.section) return false;
    return !wanted.author || memory.row.by.name === wanted.author;
  }

  private resolved(id: string): string {
    if (id.startsWith("@")) return this.chains[0]!.find((row) => row.seq === Number(id.slice(1)))?.id ?? "";
    return this.byId.has(id) ? id : (this.rows.find((row) => id !== "" && row.id.startsWith(id))?.id ?? "");
  }

  private event(row: Row): Listed {
    return { ...row, text: this.said(row), badge: this.badges[row.n] ?? null };
  }

  private said(row: Row): string {
    const payload = payloadOf(this.bytes, row);
    if (payload?.text) return payload.text;
    const target = this.memories.get(row.targets[0] ?? "");
    return target?.payload?.text ?? payload?.reason ?? payload?.method ?? "";
  }

  private listed({ row, payload, status }: Memory): ListedMemory {
    return {
      id: row.id,
      n: row.n,
      seq: row.seq,
      at: row.at,
      text: payload?.text ?? "",
      type: typeOf(payload),
      section: sectionOf(payload),
      status,
      by: row.by,
      suspicious: this.suspicious.has(row.id),
    };
  }

  private version(memory: Memory): Version {
    return {
      ...this.listed(memory),
      payload: memory.payload,
      line: textOf(this.bytes, memory.row),
      badge: this.badges[memory.row.n] ?? null,
      supersededBy: memory.supersededBy.map((row) => row.id),
      madeFrom: madeFrom(memory.payload).flatMap((id) => this.memories.get(id) ?? []).map((each) => this.listed(each)),
      deletedBy: memory.deletedBy.map((row) => this.event(row)),
      confirmedBy: memory.confirmedBy.map((row) => this.event(row)),
      erasedBy: memory.erasedBy.map((row) => this.event(row)),
    };
  }
}

function isLive(status: Status | undefined): boolean {
  return status === "active" || status === "candidate";
}

function fits(row: Row, wanted: EventFilter): boolean {
  if (wanted.kind && row.kind !== wanted.kind) return false;
  if (wanted.author && row.by.name !== wanted.author) return false;
  return (!wanted.from || row.day >= wanted.from) && (!wanted.to || row.day <= wanted.to);
}

function countOf(rows: Row[], kind: string): number {
  return rows.filter((row) => row.kind === kind).length;
}

/** Returns the different values with how often each is there, the most frequent first. */
function counted(values: string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

function allWords({ payload }: Memory): string {
  const { text = "", title = "", details = [], body = "", topic = "", tags = [] } = payload ?? {};
  return [text, title, ...details, body, topic, ...tags].join("\n");
}

/** Returns the source that a memory came from: its conversation, else session or file, else who wrote it. */
function originOf({ row, payload }: Memory): string {
  const origin = payload?.provenance ?? {};
  const name = ["conversation", "session", "file"].find((each) => origin[each]);
  return name ? `${name}:${origin[name]}` : `author:${row.by.name}`;
}
