/** What a reader types to search: words, "phrases", and the filters of `muniment search` (specs/projections.md P-103). */

import type { Memory, Status } from "./state";
import { sectionOf, typeOf } from "./state";

/** The filters' names, as the command's help lists them. */
export const FILTERS = ["type", "section", "tag", "topic", "tier", "source", "importance", "status", "author", "conversation", "session", "since", "until"];

const TOKEN = /([a-z]+):(?:"([^"]*)"|(\S+))|"([^"]*)"|(\S+)/gu;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAYS = /^(\d{1,5})d$/;
const DAY_MS = 86_400_000;

/** What is asked for: words in lower case that a memory must say, and filters by name, of which a status is one of several. */
export interface Asked {
  words: string[];
  filters: [name: string, value: string][];
  statuses: string[];
}

export function asked(text: string): Asked {
  const found: Asked = { words: [], filters: [], statuses: [] };
  for (const [whole, name = "", quoted, bare, phrase, word] of text.matchAll(TOKEN)) {
    const value = (quoted ?? bare ?? "").trim();
    if (!FILTERS.includes(name)) found.words.push((phrase ?? word ?? whole).toLowerCase().replace(/\*$/, ""));
    else if (name === "status") found.statuses.push(value.toLowerCase());
    else found.filters.push([name, value]);
  }
  found.words = found.words.filter(Boolean);
  return found;
}

/** Says whether a status is among those asked for; of none, what stands is meant. */
export function hasStatus(statuses: string[], status: Status): boolean {
  return statuses.includes("all") || statuses.includes(status) || (statuses.includes("live") && (status === "active" || status === "candidate"));
}

/** Says whether a memory is what a filter wants; `made` is when the file was written, from which `7d` counts. */
export function passes({ row, payload }: Memory, [name, value]: [string, string], made: string): boolean {
  const same = (said: unknown): boolean => String(said ?? "").toLowerCase() === value.toLowerCase();
  switch (name) {
    case "type":
      return same(typeOf(payload));
    case "section":
      return same(sectionOf(payload));
    case "author":
      return same(row.by.name);
    case "tag":
      return (payload?.tags ?? []).some(same);
    case "tier":
      return same(payload?.tier ?? "curated");
    case "source":
      return same(payload?.source ?? "manual");
    case "importance":
      return same(payload?.importance ?? "medium");
    case "topic":
      return (payload?.topic ?? "") === value;
    case "conversation":
    case "session":
      return (payload?.provenance?.[name] ?? "") === value;
    case "since":
      return DAY.test(value) ? row.day >= value : row.at >= instant(value, made);
  }
  return DAY.test(value) ? row.day <= value : row.at < instant(value, made);
}

/** Returns an instant as rows write it; of what is none one that nothing reaches. */
function instant(value: string, made: string): string {
  const days = DAYS.exec(value);
  const time = days ? Date.parse(made) - Number(days[1]) * DAY_MS : Date.parse(value);
  return Number.isNaN(time) ? "~" : new Date(time).toISOString();
}
