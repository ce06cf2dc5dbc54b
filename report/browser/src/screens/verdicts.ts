/** What this page found when it recomputed the chain, and what it cannot know. */

import type { Client, Progress } from "../client";
import { type Child, fill, h } from "../dom";
import type { Confirmed } from "../ledger/proofs";
import type { Answer } from "../messages";
import { time, verdictRow } from "../parts";
import type { Finding, Verdict } from "../verify/index";
import { count, number, plain } from "../words";

const MOST_SHOWN = 50;

const CANNOT = "Not known from a file alone: whether later events were left out where no mark names them, whether what a text says is true, and whether the person who gave you this file changed the page itself: their chain.jsonl or a proof, checked by your own muniment verify, says more.";

const UNKNOWN = "Every hash, link, signature and payload agrees.";
const NAMED = "Nothing is missing up to the newest event that this file names.";

export async function verdicts(client: Client): Promise<HTMLElement> {
  const word = await client.ask("word");
  const box = h("section", { class: "verdicts", "aria-live": "polite" });
  const stop = client.follow((progress) => {
    if (box.isConnected || box.childElementCount === 0) fill(box, ...shown(progress, client, told(word)));
    else stop();
  });
  return box;
}

function shown(progress: Progress, client: Client, told: HTMLElement): HTMLElement[] {
  const { verdict, done, of, unusable } = progress;
  if (verdict === null) {
    const bar = h("progress", { max: of || 1, value: done, "aria-label": "verifying" });
    return [h("h2", {}, "Recomputing this history"), bar, h("p", {}, `${number(Math.floor((100 * done) / (of || 1)))} % checked in this browser`), told];
  }
  const { integrity, completeness, isKnown, against, others } = verdict;
  const found = [...integrity.findings, ...completeness.findings];
  return [
    h("h2", {}, against ? "Recomputed in this browser, against your key" : "Recomputed in this browser"),
    h(
      "dl",
      {},
      one("Integrity", integrity, isKnown ? "" : UNKNOWN),
      one("Completeness", completeness, client.about.live ? "" : NAMED),
      others.map(({ name, report }) => one(name, report.integrity, "")),
    ),
    told,
    ...(found.length > 0 ? [findings(found, integrity.omitted + completeness.omitted)] : []),
    ...others.flatMap(({ name, report: { integrity: { findings: some, omitted } } }) => (some.length > 0 ? [h("h3", {}, name), findings(some, omitted)] : [])),
    ...(unusable ? [h("p", { class: "bad", role: "alert" }, `That key cannot be used: ${unusable}`)] : []),
    ...(pasted ? [compared(pasted)] : []),
    isKnown ? h("p", { class: "aside" }, CANNOT) : unknownSigner(),
    form(client),
  ];
}

/** What cannot be recomputed from the chain: how the documents stood, and what others confirmed of its time. */
function told({ documents, drifted, shown, isTeam }: Answer<"word">): HTMLElement {
  const files = drifted.length === 0 ? `${count(documents, "document")} as the history says, by the word of the machine that wrote this.` : `${drifted.length} of ${count(documents, "document")} are not as the history says, by the word of the machine that wrote this: ${drifted.slice(0, 3).map(plain).join(", ")}${drifted.length > 3 ? ", …" : ""}.`;
  return h(
    "dl",
    { class: "told", "aria-label": "The word of the machine that wrote this" },
    row("Documents", documents === 0 ? "None are in this file." : files),
    isTeam ? row("Team", "Which chains belong to it, how far each counts, and what of it waits.") : null,
    row("Time", shown === null ? "Nobody outside confirmed when this history existed." : [`The first ${count(shown.size, "event")} existed`, shown.time ? [" by ", time(shown.time)] : null, `, says ${plain(shown.source)}.`]),
  );
}

function row(name: string, said: Child): HTMLElement {
  return verdictRow("", "·", name, said);
}

function unknownSigner(): HTMLElement {
  const show = h("code", {}, "muniment key show");
  return h("p", { class: "amber" }, "Signer unknown: nothing here says whose history this is. Paste the key that its owner gave you (", show, "), or a checkpoint.");
}

/** The checkpoint that the reader pasted, and what it came to. */
let pasted: Confirmed | null = null;

/** Takes what the reader has from the owner: a key, which is one line, or a checkpoint, which is several. */
function form(client: Client): HTMLElement {
  const given = h("textarea", { name: "vkey", rows: 1, placeholder: "muniment/…", "aria-label": "A key or a checkpoint from the owner", spellcheck: "false", autocomplete: "off" }) as HTMLTextAreaElement;
  const check = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = given.value.trim();
    if (!text.includes("\n")) return client.verifyAgainst(text);
    pasted = await client.ask("against", `${text}\n`);
    client.tellAgain();
  };
  return h("form", { class: "vkey", onsubmit: (event: Event) => void check(event) }, h("div", {}, given, h("button", { type: "submit" }, "Check")));
}

function compared({ note, fault, isWhole }: Confirmed): HTMLElement {
  const size = note.split("\n")[1] ?? "";
  if (fault !== null) return h("p", { class: "bad", role: "alert" }, `✗ The checkpoint that you gave is not of this history: ${plain(fault)}.`);
  const what = isWhole ? `its ${plain(size)} events are the first ones here` : "its signature is by this history's key; its events cannot be compared, since the beginning is not in this file";
  return h("p", { role: "status" }, `✓ The checkpoint that you gave is of this history: ${what}.`);
}

/** One verdict; `plainly` is what the page says of a sound one in place of what `verify` says on the ledger's own machine. */
function one(name: string, { state, sentence }: Verdict, plainly: string): HTMLElement {
  const mark = state === "sound" ? "✓" : state === "findings" ? "✗" : "–";
  return verdictRow(state === "not checked" ? "not-checked" : state, mark, name, state === "sound" && plainly ? plainly : sentence);
}

function findings(found: Finding[], omitted: number): HTMLElement {
  const shown = found.slice(0, MOST_SHOWN);
  const left = found.length - shown.length + omitted;
  return h(
    "ul",
    { class: "findings" },
    shown.map((each) =>
      h(
        "li",
        {},
        h("code", {}, each.code),
        each.line === null ? " " : ` line ${each.line}: `,
        each.seq === null ? each.message : h("a", { href: `#/event/@${each.seq}` }, each.message),
        ` (${each.rule})`,
      ),
    ),
    left > 0 ? h("li", {}, `and ${number(left)} more`) : null,
  );
}
