/** Each time that memories reached an agent: when, which session, how, and which. */

import type { Client } from "../client";
import type { Sighting } from "../data";
import { h } from "../dom";
import { empty, longList, memoryLink, time } from "../parts";
import type { ListedMemory } from "../ledger/ledger";
import { count, plain } from "../words";

export async function seen(client: Client): Promise<HTMLElement> {
  const list = await longList(
    (skip, limit) => client.ask("sightings", "", skip, limit),
    (each) => h("details", { class: "sighting" }, h("summary", {}, sighting(each)), h("div", { class: "list" }, each.memories.map(memoryLink))),
    empty("Nothing was recorded: no agent was shown a memory on this machine, or ", h("code", {}, "seen"), " is off."),
  );
  return h("article", {}, h("h1", {}, "What agents saw"), h("p", { class: "aside" }, "The word of the machine that wrote this file: an observation, which nobody signed."), list);
}

export function sighting(each: Sighting & { memories?: ListedMemory[] }): HTMLElement {
  return h(
    "span",
    { class: "sighting-line" },
    h("span", {}, h("strong", {}, plain(each.agent) || "an agent"), ` ${each.door}, ${plain(each.why)}: ${count(each.ids.length, "memory", "memories")}, about ${count(each.tokens, "token")}`),
    h("span", { class: "row-facts" }, time(each.at), each.session ? h("code", {}, plain(each.session)) : null),
  );
}
