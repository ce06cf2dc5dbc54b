/** The documents that the memory is written into, each line with who wrote it and when. */

import type { Client } from "../client";
import type { DocumentLine, ShownDocument } from "../data";
import { h } from "../dom";
import type { ListedMemory } from "../ledger/ledger";
import { author, empty, time } from "../parts";
import { localDay, plain } from "../words";

const WORD = {
  edited: "edited since: lines that are not in the log are marked",
  missing: "missing on disk: shown is what the log says",
  "an earlier rendering": "an earlier rendering on disk: shown is what the log says now",
} as Record<string, string>;

/** More documents than these are a list to choose from. */
const MOST_LINKS = 6;

export async function documents(client: Client, path: string): Promise<HTMLElement> {
  const all = await client.ask("documents");
  if (all.length === 0) return h("article", {}, h("h1", {}, "Documents"), empty(client.about.texts && !client.about.chains[0]?.from ? "No document was rendered." : "Documents are not in this file."));
  const chosen = all.find((each) => each.path === path) ?? all[0]!;
  const writers = await client.ask("writers", [...new Set(chosen.lines.flatMap(([, id]) => (id ? [id] : [])))]);
  return h(
    "article",
    {},
    h("h1", {}, "Documents"),
    all.length > MOST_LINKS ? list(all, chosen) : h("nav", { class: "files", "aria-label": "Documents" }, all.map((each) => link(each, each === chosen))),
    h("p", { class: "aside" }, "The word of the machine that wrote this file. ", WORD[chosen.file] ?? ""),
    h("table", { class: "blame" }, h("tbody", {}, rows(chosen.lines, writers))),
  );
}

function list(all: ShownDocument[], chosen: ShownDocument): HTMLElement {
  return h(
    "select",
    { "aria-label": "Document", onchange: (event: Event) => (location.hash = address((event.target as HTMLSelectElement).value)) },
    all.map(({ path }) => h("option", { value: path, selected: path === chosen.path }, plain(path))),
  );
}

function address(path: string): string {
  return `#/documents/${encodeURIComponent(path)}`;
}

function link(document: ShownDocument, isChosen: boolean): HTMLElement {
  return h("a", { href: address(document.path), "aria-current": isChosen && "page" }, document.path);
}

/** A row for each line; who wrote it stands where it differs from the line above. */
function rows(lines: DocumentLine[], writers: Record<string, ListedMemory>): HTMLElement[] {
  return lines.map(([text, id, state], at) => {
    const writer = id ? writers[id] : undefined;
    const isNew = id !== lines[at - 1]?.[1];
    return h(
      "tr",
      { class: `line-${state}` },
      h("td", { class: "gutter" }, writer && isNew ? [author(writer.by), " ", time(writer.at, localDay)] : null),
      h("td", { class: "line-number" }, at + 1),
      h("td", { class: "line-text" }, id && isNew ? h("a", { href: `#/memory/${id}` }, plain(text)) : plain(text)),
    );
  });
}
