/** Memories that read like instructions to the model, with what stands out, and how to take them out. */

import type { Client } from "../client";
import { h } from "../dom";
import { empty, memoryLink } from "../parts";
import { plain } from "../words";
import { sourceAddress } from "./source";

export async function suspicious(client: Client): Promise<HTMLElement> {
  const found = await client.ask("suspicions");
  return h(
    "article",
    {},
    h("h1", {}, "Poison check"),
    h("p", { class: "aside" }, "Memories that read like instructions to a model. A rule knows words, not intentions: nothing is hidden or changed for it."),
    found.length === 0
      ? empty(client.about.texts ? "No memory reads like an instruction." : "Texts are not in this file.")
      : found.map(({ memory, source, signs }) =>
          h("section", { class: "suspicious" }, memoryLink(memory), h("ul", {}, signs.map((each) => h("li", {}, h("strong", {}, each.sign), ` in ${each.member}: `, h("q", {}, plain(each.words))))), h("p", {}, h("a", { href: sourceAddress(source) }, `everything from ${plain(source)}, and what was built on it`))),
        ),
  );
}
