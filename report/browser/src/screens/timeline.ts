/** All events, newest first, by kind, author and day. */

import type { Client } from "../client";
import { fill, h } from "../dom";
import type { EventFilter } from "../ledger/ledger";
import { empty, eventLink, longList } from "../parts";
import { choice, day, type Query } from "../query";

export async function timeline(client: Client, query: Query): Promise<HTMLElement> {
  const names = await client.ask("names");
  const list = h("div", {});
  const wanted: EventFilter = {};
  const draw = async (): Promise<void> => {
    for (const name of ["kind", "author", "from", "to"] as const) wanted[name] = query.get(name);
    fill(list, await longList((skip, limit) => client.ask("events", wanted, skip, limit), eventLink, empty("No event fits.")));
  };
  const filters = h(
    "form",
    { class: "filters", onchange: () => void draw() },
    choice(query, "kind", "Kind", names.kinds),
    choice(query, "author", "Author", names.authors),
    day(query, "from", "From"),
    day(query, "to", "To"),
  );
  await draw();
  return h("article", {}, h("h1", {}, "Timeline"), filters, list);
}
