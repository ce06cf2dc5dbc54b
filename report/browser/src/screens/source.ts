/** Blast radius: everything that came from a source and was built on that, and the command that undoes it. */

import type { Client } from "../client";
import { h } from "../dom";
import { sourceOf } from "../ledger/radius";
import { empty, eventLink, longList } from "../parts";
import { plain } from "../words";

export async function source(client: Client, text: string): Promise<HTMLElement> {
  const words = h("input", { class: "words", name: "source", value: text, placeholder: "conversation:ID, file:PATH, author:NAME", "aria-label": "Source" }) as HTMLInputElement;
  const ask = (event: Event): void => {
    event.preventDefault();
    location.hash = sourceAddress(words.value.trim());
  };
  return h(
    "article",
    {},
    h("h1", {}, "Blast radius"),
    h("p", { class: "aside" }, "What came from a source, and what was later built on it: conversation:ID, session:ID, file:PATH, author:NAME, tool:NAME, agent:NAME, since:DAY, until:DAY; several with a comma must all hold."),
    h("form", { class: "filters", onsubmit: ask }, words),
    text ? await reached(client, text) : null,
  );
}

async function reached(client: Client, text: string): Promise<HTMLElement> {
  if (sourceOf(text) === null) return empty(`${plain(text)} is not a source.`);
  const list = (part: "came" | "built", nothing: string): Promise<HTMLElement> =>
    longList((skip, limit) => client.ask("radius", text, part, skip, limit), eventLink, empty(nothing));
  return h(
    "div",
    {},
    client.about.texts ? null : empty("This file has no texts: only writers and times are known."),
    client.about.chains.some(({ from }) => from) ? empty("This file begins in the middle of a history: what came before it is not listed.") : null,
    h("p", {}, "Undo all of it: ", h("code", {}, plain(`muniment revert --from '${text.replaceAll("'", "'\\''")}'`))),
    h("h2", {}, "Came from it"),
    await list("came", "No event came from it."),
    h("h2", {}, "Built on it"),
    await list("built", "Nothing was built on it."),
  );
}

/** Returns where the page shows a source. */
export function sourceAddress(text: string): string {
  return `#/source/${encodeURIComponent(text)}`;
}
