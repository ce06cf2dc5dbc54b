/** Two days side by side: what was learned, changed and forgotten between them, and the memory as it was then. */

import type { Client } from "../client";
import { fill, h } from "../dom";
import type { ListedMemory } from "../ledger/ledger";
import { author, empty, longList, memoryLink, time } from "../parts";
import type { Query } from "../query";
import { count, localDay } from "../words";
import { changes } from "./memory";

export async function compare(client: Client, query: Query): Promise<HTMLElement> {
  const days = await client.ask("days");
  if (days.length === 0) return h("article", {}, h("h1", {}, "Compare"), empty("Nothing has happened yet."));
  const result = h("div", { "aria-live": "polite" });
  const at = (name: string, fallback: number): number => {
    const found = days.findLastIndex((day) => day <= query.get(name));
    return query.get(name) && found >= 0 ? found : fallback;
  };
  let asked = 0;
  const draw = async (from: string, to: string): Promise<void> => {
    const number = ++asked;
    const drawn = await shown(client, from < to ? from : to, from < to ? to : from);
    if (number === asked) fill(result, drawn);
  };
  const chosen = { from: days[at("from", Math.max(0, days.length - 8))]!, to: days[at("to", days.length - 1)]! };
  const slider = (name: "from" | "to", label: string): HTMLElement => {
    const shownDay = h("output", {}, localDay(`${chosen[name]}T12:00`));
    const input = h("input", {
      type: "range",
      name,
      min: 0,
      max: days.length - 1,
      value: days.indexOf(chosen[name]),
      oninput: (event: Event) => {
        chosen[name] = days[Number((event.target as HTMLInputElement).value)]!;
        query.set(name, chosen[name]);
        fill(shownDay, localDay(`${chosen[name]}T12:00`));
        void draw(chosen.from, chosen.to);
      },
    });
    return h("label", { class: "slider" }, h("span", {}, label), input, shownDay);
  };
  await draw(chosen.from, chosen.to);
  return h("article", {}, h("h1", {}, "Compare"), h("form", { class: "sliders" }, slider("from", "Then"), slider("to", "Now")), result);
}

async function shown(client: Client, from: string, to: string): Promise<HTMLElement> {
  const { learned, changed, forgotten } = await client.ask("compare", from, to);
  return h(
    "div",
    {},
    part("Changed", changed, ([before, after]) => changedRow(before, after)),
    part("Learned", learned, memoryLink),
    part("Forgotten", forgotten, memoryLink),
    h("h2", {}, `As it was at the end of ${localDay(`${from}T12:00`)}`),
    await longList((skip, limit) => client.ask("asOf", from, skip, limit), memoryLink, empty("Nothing was known yet.")),
  );
}

function part<T>(title: string, rows: T[], draw: (row: T) => HTMLElement): HTMLElement {
  const most = 200;
  return h(
    "section",
    {},
    h("h2", {}, `${title}: ${count(rows.length, "memory", "memories")}`),
    rows.length > 0 ? h("div", { class: "list" }, rows.slice(0, most).map(draw)) : null,
    rows.length > most ? empty(`and ${rows.length - most} more`) : null,
  );
}

function changedRow(before: ListedMemory, after: ListedMemory): HTMLElement {
  return h("a", { class: "row", href: `#/memory/${after.id}` }, h("span", { class: "row-text" }, changes(before.text, after.text)), h("span", { class: "row-facts" }, author(after.by), time(after.at)));
}
