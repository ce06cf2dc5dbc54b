/** One event as it is signed: its head, its payload, and each check of its line. */

import type { Client } from "../client";
import { h } from "../dom";
import { author, empty, fact, seal, time, verdictRow } from "../parts";
import type { Check, LineResult } from "../verify/index";
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
    h("dl", { class: "facts" }, fact("id", h("code", {}, found.id)), found.targets.map((target) => fact("target", h("a", { href: `#/memory/${target}` }, h("code", {}, target))))),
    h("h2", {}, "Recomputed here"),
    found.badge ? checks(found.badge) : empty("Not checked yet."),
    found.payload ? h("pre", { class: "raw" }, plain(JSON.stringify(found.payload, null, 2))) : null,
    h("details", {}, h("summary", {}, "The line, byte for byte"), h("pre", { class: "raw" }, plain(found.line))),
  );
}

/** What each check says where it holds, and where it does not. */
const SAID: Record<keyof LineResult["checks"], [good: string, bad: string]> = {
  hash: ["its id is the hash of its head", "its id is not the hash of its head"],
  link: ["it follows the event before it", "it does not follow the event before it"],
  signature: ["the key in force signed it", "the key in force did not sign it"],
  commitment: ["what it says is what was signed", "what it says is not what was signed"],
  schema: ["head and payload have their form", "head or payload does not have its form"],
};
const MARK: Record<Check, string> = { good: "✓", bad: "✗", "not checked": "–", none: "–" };

/** The five checks of a line, each with a sign and a word; then what is wrong. */
function checks({ line, checks, reasons, payload }: LineResult): HTMLElement {
  const rows = Object.entries(SAID) as [keyof typeof SAID, [string, string]][];
  return h(
    "div",
    { class: "checks" },
    h("dl", {}, rows.map(([name, said]) => one(name, checks[name], said))),
    reasons.length > 0 ? h("ul", { class: "findings" }, reasons.map((reason) => h("li", {}, `line ${line}: ${plain(reason)}`))) : null,
    payload === "erased" ? h("p", { class: "aside" }, "What it said was erased: an erase event names it.") : null,
    payload === "left out" ? h("p", { class: "aside" }, "What it says is not in this file.") : null,
  );
}

function one(name: string, check: Check, [good, bad]: [string, string]): HTMLElement {
  const state = check === "good" ? "sound" : check === "bad" ? "findings" : "not-checked";
  return verdictRow(state, MARK[check], name, { good, bad, "not checked": "not checked", none: "nothing to check" }[check]);
}
