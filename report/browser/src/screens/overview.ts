/** The first screen: what the memory holds, what is new, what waits, and what was found. */

import type { Client } from "../client";
import { h, svg } from "../dom";
import type { Overview } from "../ledger/ledger";
import { empty, memoryLink } from "../parts";
import { localDay, number, plain } from "../words";
import { density } from "./density";
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

/** The events as columns, of which a stretch that the reader marks is shown in the timeline. */
function activity({ days }: Overview): HTMLElement {
  const rows = days.map(([day, events]): [string, string, number] => [day, "events", events]);
  const marked = (from: string, to: string): void => void (location.hash = `#/timeline?from=${from}&to=${to}`);
  return density(rows, [["events", "first"]], marked) ?? empty("Nothing has happened yet.");
}
