/** Pieces that several screens show: times, authors, badges, lists of memories and events. */

import { h, type Child } from "./dom";
import type { Listed, ListedMemory } from "./ledger/ledger";
import type { By } from "./ledger/rows";
import type { LineResult } from "./verify/index";
import { localDay, localTime, plain, short } from "./words";

export function time(instant: string, words = localTime): HTMLElement {
  return h("time", { datetime: instant, title: `${instant.slice(0, 19).replace("T", " ")} UTC` }, words(instant));
}

export function author({ name, role, via, writer }: By): HTMLElement {
  return h("span", { class: `by by-${role}`, title: `${role}, via ${via}` }, name, writer ? ` (${plain(writer)})` : null);
}

/** A mark beside an event: what its line came to when it was recomputed here. */
export function seal(badge: LineResult | null): HTMLElement {
  if (badge === null) return h("span", { class: "seal seal-waiting", title: "not checked yet" }, "·");
  if (badge.ok) return h("span", { class: "seal seal-sound", title: "recomputed here: sound" }, "✓");
  return h("span", { class: "seal seal-bad", title: `line ${badge.line}` }, "✗ ", badge.codes.join(", "));
}

export function memoryLink(memory: ListedMemory): HTMLElement {
  return h(
    "a",
    { class: `row memory-row is-${memory.status}`, href: `#/memory/${memory.id}` },
    h("span", { class: "row-text" }, memory.text ? plain(memory.text) : h("em", {}, memory.status === "erased" ? "erased" : "its text is not in this file")),
    h(
      "span",
      { class: "row-facts" },
      memory.suspicious && h("span", { class: "tag tag-warn" }, "reads like an instruction"),
      memory.status !== "active" && h("span", { class: `tag tag-${memory.status}` }, memory.status),
      h("span", {}, plain(memory.section)),
      author(memory.by),
      time(memory.at, localDay),
    ),
  );
}

export function eventLink(event: Listed): HTMLElement {
  return h(
    "a",
    { class: `row event-row`, href: `#/event/${event.id || `@${event.seq}`}` },
    h("span", { class: `kind kind-${event.kind}` }, event.kind),
    h("span", { class: "row-text" }, plain(event.text)),
    h("span", { class: "row-facts" }, author(event.by), time(event.at), h("span", { class: "seq" }, `@${event.seq}`), seal(event.badge)),
  );
}

/** One row among verdicts or checks: a mark and a name, and what is said of it. */
export function verdictRow(state: "" | "sound" | "findings" | "not-checked", mark: string, name: string, said: Child): HTMLElement {
  return h("div", { class: state ? `verdict is-${state}` : "verdict" }, h("dt", {}, h("span", { class: "verdict-mark", "aria-hidden": "true" }, mark), name), h("dd", {}, said));
}

/** One row among facts: a name and its values; none without values. */
export function fact(name: string, ...values: Child[]): HTMLElement | null {
  return values.length === 0 ? null : h("div", {}, h("dt", {}, name), values.map((value) => h("dd", {}, value)));
}

/** What a screen says where it has nothing to show. */
export function empty(...said: Child[]): HTMLElement {
  return h("p", { class: "empty" }, ...said);
}

export function idText(id: string): HTMLElement {
  return h("code", { class: "id", title: id }, short(id));
}

/** A list that loads more as the reader asks: `load` gives the items from `skip` on. */
export async function longList<T>(
  load: (skip: number, limit: number) => Promise<{ total: number; items: T[] }>,
  draw: (item: T) => HTMLElement,
  nothing: HTMLElement,
): Promise<HTMLElement> {
  const list = h("div", { class: "list" });
  const more = h("button", { class: "more", type: "button" });
  const box = h("div", {}, list, more);
  let shown = 0;
  const next = async (): Promise<void> => {
    const { total, items } = await load(shown, 100);
    shown += items.length;
    list.append(...items.map(draw));
    if (total === 0) list.append(nothing);
    more.textContent = `Show more (${total - shown} left)`;
    more.hidden = shown >= total;
  };
  more.addEventListener("click", () => void next());
  await next();
  return box;
}
