/** One memory: its versions with what changed, where it came from, and what was done to it. */

import type { Client } from "../client";
import { type Child, h } from "../dom";
import type { Listed, ListedMemory, Version } from "../ledger/ledger";
import { author, empty, fact, idText, memoryLink, seal, time } from "../parts";
import { count, plain, short } from "../words";
import { sighting } from "./seen";
import { sourceAddress } from "./source";
import { wordChanges } from "../word_changes";

const MOST_SIGHTINGS = 5;
const SOURCES = new Set(["conversation", "session", "file", "author", "tool", "agent"]);

export async function memory(client: Client, id: string): Promise<HTMLElement> {
  const versions = await client.ask("versions", id);
  const newest = versions.at(-1);
  const shown = await client.ask("sightings", newest?.id ?? "", 0, MOST_SIGHTINGS);
  if (!newest) return h("article", {}, empty(`There is no memory ${id} in this report.`));
  return h(
    "article",
    { class: "memory" },
    h("p", { class: "above" }, h("span", { class: `tag tag-${newest.status}` }, client.about.texts || newest.status !== "active" ? newest.status : "standing"), ` ${newest.type} in `, h("a", { href: `#/search?section=${encodeURIComponent(newest.section)}` }, plain(newest.section))),
    h("h1", { class: "memory-text" }, newest.text ? plain(newest.text) : newest.status === "erased" ? "Erased" : "Its text is not in this file"),
    more(newest),
    h("h2", {}, versions.length === 1 ? "Where it comes from" : `${versions.length} versions`),
    h("ol", { class: "versions", reversed: true }, [...versions].reverse().map((version, at) => card(version, versions[versions.length - 2 - at]))),
    ...otherwise(await client.ask("otherwise", newest.id)),
    h("h2", {}, "Proof"),
    await proofOf(client, newest),
    h("h2", {}, "Shown to agents"),
    shown.total > 0 ? h("div", { class: "list" }, shown.items.map(sighting)) : empty("No session was shown this version, or nobody recorded it."),
    shown.total > MOST_SIGHTINGS ? empty(`and ${count(shown.total - MOST_SIGHTINGS, "time")} more`) : null,
  );
}

/** What contradicts a memory, as the machine that wrote the file says. */
function otherwise(found: ListedMemory[]): HTMLElement[] {
  if (found.length === 0) return [];
  return [h("h2", {}, "Says it otherwise"), h("div", { class: "list" }, found.map(memoryLink))];
}

async function proofOf(client: Client, { id }: Version): Promise<HTMLElement> {
  if (client.progress.verdict === null) return empty("Not checked yet.");
  const made = await client.ask("proof", id);
  if (made === null) return empty("No checkpoint that this page found sound reaches it: ", h("code", {}, `muniment prove ${short(id)}`), " signs one.");
  const save = (): void => {
    const link = h("a", { href: URL.createObjectURL(new Blob([made.file])), download: `${short(id)}.proof` });
    link.click();
  };
  return h(
    "p",
    {},
    h("button", { type: "button", onclick: save }, "Download its proof"),
    h("span", { class: "aside" }, ` under the checkpoint of ${count(made.size, "event")}: drop it onto any such page, or run `, h("code", {}, "muniment verify FILE")),
  );
}

function more({ payload }: Version): HTMLElement | null {
  const details: string[] = payload?.details ?? [];
  if (details.length === 0 && !payload?.body) return null;
  return h(
    "div",
    { class: "more-text" },
    details.length > 0 ? h("ul", {}, details.map((line) => h("li", {}, plain(line)))) : null,
    payload?.body ? h("pre", {}, plain(payload.body)) : null,
    payload?.part?.of > 1 ? empty(`This is the first of ${payload!.part.of} parts: `, h("code", {}, "muniment show ID"), " prints the whole.") : null,
  );
}

function card(version: Version, before: Version | undefined): HTMLElement {
  return h(
    "li",
    { class: "version" },
    h("p", { class: "version-head" }, seal(version.badge), idText(version.id), everything("author", version.by.name, author(version.by)), `via ${version.by.via}`, time(version.at)),
    before ? changes(before.text, version.text) : h("p", { class: "version-text" }, plain(version.text)),
    provenance(version),
    version.madeFrom.length > 0 ? h("p", {}, "Made from:") : null,
    version.madeFrom.length > 0 ? h("div", { class: "list" }, version.madeFrom.map(memoryLink)) : null,
    happened("confirmed", version.confirmedBy),
    happened("deleted", version.deletedBy),
    happened("erased", version.erasedBy),
    h("p", {}, h("a", { href: `#/event/${version.id}` }, "the signed event")),
  );
}

/** What changed between two texts: marked by signs and by colour. */
export function changes(before: string, after: string): HTMLElement {
  return h(
    "p",
    { class: "version-text" },
    wordChanges(plain(before), plain(after)).map(({ kind, text }) => {
      if (kind === "same") return text;
      return kind === "added" ? h("ins", {}, "+", text) : h("del", {}, "−", text);
    }),
  );
}

function provenance({ payload }: Version): HTMLElement | null {
  const known = Object.entries((payload?.provenance ?? {}) as Record<string, string>);
  const reason: string | undefined = payload?.reason;
  if (known.length === 0 && !reason) return null;
  return h(
    "dl",
    { class: "facts" },
    known.map(([name, value]) => fact(name, SOURCES.has(name) ? everything(name, String(value)) : plain(String(value)))),
    reason ? fact("reason", plain(reason)) : null,
  );
}

/** A source's name, as a link to what came from it and what was built on that. */
function everything(name: string, value: string, shown: Child = plain(value)): HTMLElement {
  return h("a", { href: sourceAddress(`${name}:${value}`), title: `everything from this ${name}` }, shown);
}

function happened(what: string, events: Listed[]): HTMLElement | null {
  if (events.length === 0) return null;
  return h("ul", { class: "happened" }, events.map((event) => h("li", {}, `${what} by `, author(event.by), " ", time(event.at), " ", h("a", { href: `#/event/${event.id}` }, `@${event.seq}`))));
}
