/** One event as it is signed: its head, its payload, and each check of its line. */

import type { Client } from "../client";
import { h } from "../dom";
import { author, empty, seal, time } from "../parts";
import { plain } from "../words";

export async function event(client: Client, id: string): Promise<HTMLElement> {
  const found = await client.ask("line", id);
  if (!found) return h("article", {}, empty(`There is no event ${id} in this report.`));
  return h(
    "article",
    {},
    h("p", { class: "above" }, h("span", { class: `kind kind-${found.kind}` }, found.kind), ` @${found.seq}`),
    h("h1", { class: "memory-text" }, plain(found.text) || found.kind),
    h("p", { class: "version-head" }, seal(found.badge), author(found.by), `via ${found.by.via}`, time(found.at)),
    h("dl", { class: "facts" }, h("div", {}, h("dt", {}, "id"), h("dd", {}, h("code", {}, found.id))), found.targets.map((target) => h("div", {}, h("dt", {}, "target"), h("dd", {}, h("a", { href: `#/memory/${target}` }, h("code", {}, target)))))),
    found.payload ? h("pre", { class: "raw" }, plain(JSON.stringify(found.payload, null, 2))) : null,
    h("details", {}, h("summary", {}, "The line, byte for byte"), h("pre", { class: "raw" }, plain(found.line))),
  );
}
