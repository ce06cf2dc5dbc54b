/** A proof file that somebody gave the reader: dropped onto the page or chosen, it is judged here. */

import type { Client } from "../client";
import { fill, h } from "../dom";
import { fact, verdictRow } from "../parts";
import { plain } from "../words";
import type { Judgement } from "../verify/index";

const RESULT = { sound: "This proof is sound", findings: "This proof is wrong", "unknown signer": "This proof agrees with itself; whose it is, nothing says" };
const SHOWN = { shown: ["sound", "✓"], wrong: ["findings", "✗"], "not checked": ["not-checked", "–"] } as const;

/** The last file that was dropped, so that a key can be given for it. */
let dropped: File | null = null;

/** Takes a file that was dropped anywhere on the page, and shows this screen. */
export function takeDropped(event: DragEvent): void {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (!file) return;
  dropped = file;
  if (location.hash === "#/proof") dispatchEvent(new HashChangeEvent("hashchange"));
  else location.hash = "#/proof";
}

export async function proof(client: Client): Promise<HTMLElement> {
  const result = h("div", { "aria-live": "polite" });
  const key = h("input", { name: "vkey", placeholder: "muniment/…", "aria-label": "The owner's key", spellcheck: "false", autocomplete: "off" }) as HTMLInputElement;
  const judge = async (): Promise<void> => {
    if (!dropped) return;
    try {
      const bytes = new Uint8Array(await dropped.arrayBuffer());
      fill(result, judged(dropped.name, await client.ask("judgeProof", bytes, key.value.trim() || null)));
    } catch (error) {
      fill(result, h("p", { class: "bad", role: "alert" }, `${dropped.name}: ${error instanceof Error ? error.message : String(error)}`));
    }
  };
  const file = h("input", {
    type: "file",
    "aria-label": "A proof file",
    onchange: (event: Event) => {
      dropped = (event.target as HTMLInputElement).files?.[0] ?? null;
      void judge();
    },
  });
  await judge();
  return h(
    "article",
    {},
    h("h1", {}, "Check a proof"),
    h("p", { class: "aside" }, "A file that ", h("code", {}, "muniment prove"), " wrote: drop it anywhere on this page, or choose it. It is judged in this browser, and nothing is sent."),
    h(
      "form",
      {
        class: "vkey",
        onsubmit: (event: Event) => {
          event.preventDefault();
          void judge();
        },
      },
      h("div", {}, file, key, h("button", { type: "submit" }, "Check")),
    ),
    result,
  );
}

function judged(name: string, { result, items, payload, event, id, vkey }: Judgement): HTMLElement {
  const rows = items.map(({ state, name, sentence }) => {
    const [kind, mark] = SHOWN[state];
    return verdictRow(kind, mark, name, sentence);
  });
  const kind = result === "sound" ? "is-sound" : result === "findings" ? "bad" : "amber";
  return h(
    "section",
    { class: "verdicts" },
    h("h2", { class: kind }, `${name}: ${RESULT[result]}`),
    typeof payload?.text === "string" ? h("p", { class: "memory-text" }, plain(payload.text)) : null,
    h("dl", {}, rows),
    h("dl", { class: "facts" }, known("event", id), known("written", typeof event?.ts === "string" ? event.ts : null), known("signed by", vkey)),
  );
}

function known(name: string, value: string | null): HTMLElement | null {
  return value === null ? null : fact(name, h("code", {}, value));
}
