/** Memories by words, section, type, author and status. */

import type { Client } from "../client";
import { fill, h } from "../dom";
import type { MemoryFilter } from "../ledger/ledger";
import { FILTERS } from "../ledger/search_words";
import { empty, longList, memoryLink } from "../parts";
import { choice, type Query } from "../query";

const STATUSES = ["live", "active", "candidate", "superseded", "deleted", "erased"];

export async function search(client: Client, query: Query): Promise<HTMLElement> {
  const names = await client.ask("names");
  const list = h("div", {});
  let asked = 0;
  const draw = async (): Promise<void> => {
    const number = ++asked;
    const wanted = {
      words: query.get("words"),
      section: query.get("section"),
      type: query.get("type"),
      author: query.get("author"),
      status: (query.get("status") || "all") as MemoryFilter["status"],
    } as MemoryFilter;
    const found = await longList((skip, limit) => client.ask("search", wanted, skip, limit), memoryLink, empty("No memory fits."));
    if (number === asked) replace(list, found);
  };
  const words = h("input", {
    type: "search",
    class: "words",
    name: "words",
    value: query.get("words"),
    placeholder: "Words",
    "aria-label": "Words",
    oninput: (event: Event) => {
      query.set("words", (event.target as HTMLInputElement).value);
      void draw();
    },
  });
  if (!query.get("status")) query.set("status", "live");
  const filters = h(
    "form",
    { class: "filters", onchange: () => void draw(), onsubmit: (event: Event) => event.preventDefault() },
    words,
    client.about.texts ? choice(query, "section", "Section", names.sections) : null,
    client.about.texts ? choice(query, "type", "Type", names.types) : null,
    choice(query, "author", "Author", names.authors),
    choice(query, "status", "Status", STATUSES),
  );
  await draw();
  const help = h("p", { class: "aside" }, 'Words, "phrases", and filters such as ', h("code", {}, 'tag:db section:"Tool Usage" since:2026-11-01'), `: ${FILTERS.join(", ")}.`);
  return h("article", {}, h("h1", {}, "Search"), filters, help, list);
}

/** Puts a new list in the place of the old one; the row that had the focus has it again. */
function replace(list: HTMLElement, found: HTMLElement): void {
  const focused = list.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
  fill(list, found);
  if (focused) list.querySelector<HTMLElement>(`a[href="${focused}"]`)?.focus();
}
