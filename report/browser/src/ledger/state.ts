/** The fold: what a chain's events mean at some time (specs/report.md H-13; specs/state.md S-2, S-7, S-10). */

import type { Payload, Row } from "./rows";

export type Status = "active" | "candidate" | "superseded" | "deleted" | "erased";

/** One memory: the row that made it, and what later rows did to it. */
export interface Memory {
  row: Row;
  payload: Payload;
  status: Status;
  supersededBy: Row[];
  deletedBy: Row[];
  confirmedBy: Row[];
  erasedBy: Row[];
}

/** Which rows count, for instance up to a day. */
export type Counts = (row: Row) => boolean;

const SECTIONS: Record<string, string> = {
  preference: "User Preferences",
  decision: "Architecture Decisions",
  identity: "People & Roles",
  episode: "Workflow",
  commitment: "Workflow",
};
const MAKES = new Set(["create", "supersede"]);

/** Whether what a row says of one of its targets counts. */
export type Said = (target: string, row: Row) => boolean;

/** Returns all memories that the rows made, by id, oldest first. Later parts of a long body are left out (M-9). */
export function fold(rows: Row[], payloadOf: (row: Row) => Payload, counts: Counts, isSaid: Said): Map<string, Memory> {
  const memories = new Map<string, Memory>();
  for (const row of rows) {
    if (!MAKES.has(row.kind) || !counts(row)) continue;
    const payload = payloadOf(row);
    if (payload?.part?.n > 1) continue;
    memories.set(row.id, { row, payload, status: "active", supersededBy: [], deletedBy: [], confirmedBy: [], erasedBy: [] });
  }
  for (const row of rows) {
    if (!counts(row)) continue;
    for (const target of row.targets) {
      const memory = memories.get(target);
      if (memory && isSaid(target, row)) listOf(memory, row.kind)?.push(row);
    }
  }
  for (const memory of memories.values()) memory.status = statusOf(memory);
  return memories;
}

function listOf(memory: Memory, kind: string): Row[] | undefined {
  switch (kind) {
    case "supersede":
      return memory.supersededBy;
    case "delete":
      return memory.deletedBy;
    case "confirm":
      return memory.confirmedBy;
    case "erase":
      return memory.erasedBy;
  }
  return undefined;
}

function statusOf(memory: Memory): Status {
  if (memory.erasedBy.length > 0 || memory.payload === null) return "erased";
  if (memory.supersededBy.length > 0) return "superseded";
  if (memory.deletedBy.length > 0) return "deleted";
  return memory.payload.status === "candidate" && !memory.confirmedBy.some(promotes) ? "candidate" : "active";
}

/** Says whether a confirm promotes a candidate: one of an agent does not, unless git or an edit brought it (S-10). */
function promotes(row: Row): boolean {
  return row.by.role !== "agent" || row.by.via === "git" || row.by.via === "edit";
}

/** Returns all versions of a memory, oldest first: what it replaced, itself, and what replaced it. */
export function versions(memories: Map<string, Memory>, id: string): Memory[] {
  const found = new Map<string, Memory>();
  const open = [id];
  while (open.length > 0) {
    const memory = memories.get(open.pop()!);
    if (!memory || found.has(memory.row.id)) continue;
    found.set(memory.row.id, memory);
    open.push(...memory.row.targets, ...memory.supersededBy.map((row) => row.id));
  }
  return [...found.values()].sort((a, b) => (a.row.ts < b.row.ts ? -1 : 1));
}

export function typeOf(payload: Payload): string {
  return payload?.type ?? "fact";
}

/** Returns the section that a memory belongs to (specs/memory.md M-6). */
export function sectionOf(payload: Payload): string {
  return payload?.section ?? SECTIONS[typeOf(payload)] ?? "Project Conventions";
}
