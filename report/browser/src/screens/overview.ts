/** The first screen: what the memory holds, what is new, what waits, and what was found. */

import type { Client } from "../client";
import { h, svg } from "../dom";
import type { Overview } from "../ledger/ledger";
import { empty, memoryLink } from "../parts";
import { count, localDay, number, plain } from "../words";
import { verdicts } from "./verdicts";

export async function overview(client: Client): Promise<HTMLElement> {
  const found = await client.ask("overview");
  const standing = found.memories.active + found.memories.candidate;
  return h(
    "article",
    {},
    h("h1", { class: "heard" }, "Overview"),
    h(
      "section",
      { class: "figures", "aria-label": "In numbers" },
      figure(standing, standing === 1 ? "memory" : "memories", client.about.texts ? `${number(found.memories.active)} active, ${number(found.memories.candidate)} waiting` : "which of them wait is not in this file"),
      figure(found.events, found.events === 1 ? "event" : "events", found.first ? `since ${localDay(found.first)}` : ""),
      figure(found.lastWeek.learned, "learned in 7 days", `${number(found.lastWeek.replaced)} replaced, ${number(found.lastWeek.deleted)} deleted`),
      figure(found.suspicions, "to look at", "reads like an instruction"),
    ),
    await verdicts(client),
    h("section", {}, h("h2", {}, "Activity"), activity(found)),
    h(
      "section",
      { class: "columns" },
      client.about.texts ? bars("By section", found.bySection, (name) => `#/search?section=${encodeURIComponent(name)}`) : null,
      client.about.texts ? bars("By type", found.byType, (name) => `#/search?type=${encodeURIComponent(name)}`) : null,
      bars("By author", found.byAuthor, (name) => `#/search?author=${encodeURIComponent(name)}`),
    ),
    h(
      "section",
      {},
      h("h2", {}, client.about.live ? h("a", { href: "#/review" }, "Waiting for a person") : "Waiting for a person"),
      found.waiting.length > 0 ? h("div", { class: "list" }, found.waiting.map(memoryLink)) : empty("Nothing waits."),
    ),
  );
}

function figure(value: number, name: string, more: string): HTMLElement {
  return h("div", { class: "figure" }, h("strong", {}, number(value)), h("span", {}, name), h("small", {}, more));
}

function bars(title: string, rows: [string, number][], link: (name: string) => string): HTMLElement {
  const most = Math.max(1, ...rows.map(([, events]) => events));
  const shown = rows.slice(0, 8);
  return h(
    "div",
    { class: "bars" },
    h("h2", {}, title),
    shown.length === 0 ? empty("Nothing yet.") : null,
    shown.map(([name, events]) =>
      h(
        "a",
        { class: "bar", href: link(name) },
        h("span", { class: "bar-name" }, plain(name)),
        h("span", { class: "bar-value" }, number(events)),
        meter(events / most),
      ),
    ),
  );
}

/** A bar from 0 to 1. SVG, since the page's policy allows no style attributes. */
function meter(share: number): SVGElement {
  return svg(
    "svg",
    { class: "meter", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { width: 100 * share, height: 4, rx: 1 }) as unknown as Node,
  );
}

const DAY = 86_400_000;
const COLUMNS = 60;

/** The events as columns: over the whole history, and at least over so many days that each has its own. */
function activity(found: Overview): HTMLElement {
  if (found.days.length === 0) return empty("Nothing has happened yet.");
  const last = Date.parse(found.days.at(-1)![0]);
  const first = Math.min(Date.parse(found.days[0]![0]), last - (COLUMNS - 1) * DAY);
  const span = (last - first + DAY) / COLUMNS;
  const columns = new Array<number>(COLUMNS).fill(0);
  for (const [day, events] of found.days) columns[Math.floor((Date.parse(day) - first) / span)]! += events;
  const most = Math.max(...columns);
  const label = `${count(found.events, "event")} from ${localDay(found.first)} to ${localDay(found.last)}`;
  return h(
    "figure",
    {},
    svg(
      "svg",
      { class: "activity", viewBox: "0 0 600 80", preserveAspectRatio: "none", role: "img", "aria-label": label },
      ...columns.map((events, at) => {
        const height = events === 0 ? 1 : 4 + (74 * events) / most;
        return svg("rect", { x: at * 10 + 1, y: 80 - height, width: 8, height, rx: 1 }) as unknown as Node;
      }),
    ) as unknown as Node,
    h("figcaption", {}, h("span", {}, localDay(new Date(first + DAY / 2).toISOString())), h("span", {}, localDay(found.last))),
  );
}
