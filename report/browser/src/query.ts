/** What a screen was asked for: the part of the address behind `?`, which the filters keep. */

import { h } from "./dom";
import { plain } from "./words";

export class Query {
  private readonly values: URLSearchParams;

  constructor(
    private readonly path: string,
    text: string,
  ) {
    this.values = new URLSearchParams(text);
  }

  get(name: string): string {
    return this.values.get(name) ?? "";
  }

  /** Changes one value; the address follows without a step in the browser's history. */
  set(name: string, value: string): void {
    if (value) this.values.set(name, value);
    else this.values.delete(name);
    const text = this.values.toString();
    history.replaceState(null, "", `#/${this.path}${text ? `?${text}` : ""}`);
  }
}

/** A choice among names; the first, called `nothing`, chooses none. */
export function choice(query: Query, name: string, label: string, values: string[], nothing = "all"): HTMLElement {
  const chosen = query.get(name);
  const known = chosen && !values.includes(chosen) ? [chosen, ...values] : values;
  const select = h(
    "select",
    { name, onchange: (event: Event) => query.set(name, (event.target as HTMLSelectElement).value) },
    h("option", { value: "" }, nothing),
    known.map((value) => h("option", { value, selected: value === chosen }, plain(value))),
  );
  return h("label", {}, h("span", {}, label), select);
}

/** A day, or none. */
export function day(query: Query, name: string, label: string): HTMLElement {
  const input = h("input", {
    type: "date",
    name,
    value: query.get(name),
    onchange: (event: Event) => query.set(name, (event.target as HTMLInputElement).value),
  });
  return h("label", {}, h("span", {}, label), input);
}
