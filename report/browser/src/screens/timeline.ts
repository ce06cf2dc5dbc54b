/** All events, newest first, by kind, author and day. */

import type { Client } from "../client";
import { fill, h } from "../dom";
import type { EventFilter } from "../ledger/ledger";
import { empty, eventLink, longList } from "../parts";
import { choice, day, type Query } from "../query";
import { KINDS, authors, density } from "./density";

const FILTERS = ["kind", "author", "from", "to"] as const;

export async function timeline(client: Client, query: Query): Promise<HTMLElement> {
  const names = await client.ask("names");
  const [chart, list] = [h("div", { class: "chart" }), h("div", {})];
  const draw = async (): Promise<void> => {
    const wanted: EventFilter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)]));
    const by = query.get("by") === "author" ? "author" : "kind";
    const rows = await client.ask("density", wanted, by);
    fill(chart, density(rows, by === "kind" ? KINDS : authors(names.authors), (from, to) => void mark(from, to)));
    fill(list, await longList((skip, limit) => client.ask("events", wanted, skip, limit), eventLink, empty("No event fits.")));
  };
  const [first, last] = [day(query, "from", "From"), day(query, "to", "To")];
  const mark = async (from: string, to: string): Promise<void> => {
    for (const [field, name, value] of [[first, "from", from], [last, "to", to]] as const) {
      query.set(name, value);
      field.querySelector("input")!.value = value;
    }
    await draw();
  };
  const filters = h(
    "form",
    { class: "filters", onchange: () => void draw() },
    choice(query, "kind", "Kind", names.kinds),
    choice(query, "author", "Author", names.authors),
    first,
    last,
    choice(query, "by", "Colours", ["author"], "kind"),
    h("button", { type: "button", onclick: () => void mark("", "") }, "All days"),
  );
  await draw();
  return h("article", {}, h("h1", {}, "Timeline"), chart, filters, list);
}
