/** What this page found when it recomputed the chain, and what it cannot know. */

import type { Client, Progress } from "../client";
import { fill, h } from "../dom";
import { count, number } from "../words";

const CANNOT = "Not known from a file alone: whether later events were left out where no mark names them, and whether what a text says is true.";

export function verdicts(client: Client): HTMLElement {
  const box = h("section", { class: "verdicts", "aria-live": "polite" });
  const stop = client.follow((progress) => {
    if (box.isConnected || box.childElementCount === 0) fill(box, ...shown(progress, client));
    else stop();
  });
  return box;
}

function shown(progress: Progress, client: Client): HTMLElement[] {
  const { verdict, done, of } = progress;
  if (verdict === null) {
    const bar = h("progress", { max: of || 1, value: done, "aria-label": "verifying" });
    return [h("h2", {}, "Recomputing this history"), bar, h("p", {}, `${number(done)} of ${count(of, "event")} checked in this browser.`)];
  }
  const key = h("input", { name: "vkey", placeholder: "muniment/…+…+…", "aria-label": "The owner's key", spellcheck: "false" }) as HTMLInputElement;
  const form = h(
    "form",
    {
      class: "vkey",
      onsubmit: (event: Event) => {
        event.preventDefault();
        client.verifyAgainst(key.value.trim());
      },
    },
    key,
    h("button", { type: "submit" }, "Check against this key"),
  );
  return [
    h("h2", {}, "Recomputed in this browser"),
    h("dl", {}, one("Integrity", verdict.integrity), one("Completeness", verdict.completeness)),
    ...(verdict.findings.length > 0 ? [findings(verdict.findings)] : []),
    ...(verdict.signer === "unknown"
      ? [h("p", { class: "amber" }, "Signer unknown: the chain agrees with itself. Paste the key that its owner gave you (", h("code", {}, "muniment key show"), ") to know whose it is."), form]
      : []),
    h("p", { class: "aside" }, CANNOT),
  ];
}

function one(name: string, { state, said }: { state: string; said: string }): HTMLElement {
  const mark = state === "sound" ? "✓" : state === "findings" ? "✗" : "–";
  return h("div", { class: `verdict is-${state.replace(" ", "-")}` }, h("dt", {}, h("span", { class: "verdict-mark", "aria-hidden": "true" }, mark), name), h("dd", {}, said));
}

function findings(found: { code: string; rule: string; line: number | null; seq: number | null; message?: string }[]): HTMLElement {
  return h(
    "ul",
    { class: "findings" },
    found.slice(0, 50).map((each) =>
      h("li", {}, h("code", {}, each.code), ` ${each.line === null ? "" : `line ${each.line} `}[${each.rule}] ${each.message ?? ""}`),
    ),
  );
}
