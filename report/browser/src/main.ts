/** The page: reads its data, starts the worker, and shows the screen that the address names. */

import { Client } from "./client";
import type { About } from "./data";
import { fill, h } from "./dom";
import type { Verdicts } from "./messages";
import { Query } from "./query";
import { compare } from "./screens/compare";
import { documents } from "./screens/documents";
import { event } from "./screens/event";
import { keys } from "./screens/keys";
import { memory } from "./screens/memory";
import { overview } from "./screens/overview";
import { review } from "./screens/review";
import { proof, takeDropped } from "./screens/proof";
import { search } from "./screens/search";
import { seen } from "./screens/seen";
import { source } from "./screens/source";
import { suspicious } from "./screens/suspicious";
import { timeline } from "./screens/timeline";
import { count, localTime } from "./words";

type Screen = (client: Client, query: Query, id: string) => Promise<HTMLElement>;

const SCREENS: Record<string, { title: string; menu: boolean; show: Screen }> = {
  overview: { title: "Overview", menu: true, show: (client) => overview(client) },
  timeline: { title: "Timeline", menu: true, show: timeline },
  review: { title: "Review", menu: true, show: (client) => review(client) },
  search: { title: "Search", menu: true, show: search },
  documents: { title: "Documents", menu: true, show: (client, _, path) => documents(client, path) },
  compare: { title: "Compare", menu: true, show: compare },
  keys: { title: "Keys and anchors", menu: true, show: (client) => keys(client) },
  seen: { title: "What agents saw", menu: true, show: (client) => seen(client) },
  suspicious: { title: "Poison check", menu: true, show: (client) => suspicious(client) },
  proof: { title: "Check a proof", menu: true, show: (client) => proof(client) },
  source: { title: "Blast radius", menu: true, show: (client, _, text) => source(client, text) },
  memory: { title: "Memory", menu: false, show: (client, _, id) => memory(client, id) },
  event: { title: "Event", menu: false, show: (client, _, id) => event(client, id) },
};

/** Returns the texts of the data elements of one name, which are let go at once: a long chain is many megabytes. */
function taken(name: string): string[] {
  const elements = document.querySelectorAll(`script[data-of="${name}"]`);
  return [...elements].map((element) => {
    const text = element.textContent ?? "";
    element.remove();
    return text;
  });
}

function menu(isLive: boolean): HTMLElement {
  const shown = Object.entries(SCREENS).filter(([name, screen]) => screen.menu && (isLive || name !== "review"));
  return h("nav", { "aria-label": "Screens" }, shown.map(([name, { title }]) => h("a", { href: `#/${name}`, "data-screen": name }, title)));
}

/** A word at the top that says how the verification stands, on every screen. */
function state(client: Client): HTMLElement {
  const word = h("span", { role: "status" });
  const box = h("a", { class: "state", href: "#/overview" }, word);
  client.follow(({ done, of, verdict }) => {
    const [kind, said] = verdict === null ? ["waiting", of > 0 ? `verifying ${Math.floor((100 * done) / of)} %` : "verifying"] : summary(verdict, client.about);
    box.className = `state is-${kind}`;
    document.body.classList.toggle("signer-unknown", verdict !== null && !verdict.isKnown);
    fill(word, said);
  });
  return box;
}

/** The word at the top: green only if all that the page claims was checked. */
function summary({ integrity, completeness, against, isKnown, others }: Verdicts, { texts, chains }: About): [kind: string, said: string] {
  const all = [integrity, completeness, ...others.map(({ report }) => report.integrity)];
  const found = all.reduce((sum, { findings, omitted }) => sum + findings.length + omitted, 0);
  if (found > 0) return ["bad", `✗ ${count(found, "finding")}`];
  if (!isKnown) return ["amber", "✓ sound, signer unknown"];
  if (others.some(({ report }) => !report.isKnown)) return ["amber", "✓ sound, other writers unknown"];
  if (completeness.state !== "sound") return ["amber", "✓ sound, end not checked"];
  if (!texts) return ["amber", "✓ sound, texts not checked"];
  if (chains.some(({ from }) => from)) return ["amber", "✓ sound, beginning not checked"];
  return ["sound", against ? "✓ verified against your key" : "✓ verified"];
}

let turns = 0;

/**
 * Draws the screen that the address names; one that is asked for later counts, whichever is ready first. `isAgain` draws the
 * same one anew, but not under a reader who is at work in it.
 */
async function show(client: Client, main: HTMLElement, isAgain = false): Promise<void> {
  const turn = ++turns;
  const [path = "", text = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  const [asked = "", ...rest] = path.split("/");
  const name = Object.hasOwn(SCREENS, asked) ? asked : "overview";
  const screen = SCREENS[name]!;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("data-screen") === name) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    } else link.removeAttribute("aria-current");
  }
  const drawn = await drawnBy(screen.show, client, new Query(path, text), rest.join("/"));
  if (turn !== turns || (isAgain && main.contains(document.activeElement))) return;
  document.title = `${screen.title} · ${client.about.ledger.name}`;
  fill(main, drawn);
  if (wantsWords) focusWords();
}

/** Draws a screen, or says why it cannot be shown: an address may hold anything. */
async function drawnBy(draw: Screen, client: Client, query: Query, rest: string): Promise<HTMLElement> {
  try {
    return await draw(client, query, decodeURIComponent(rest));
  } catch (error) {
    return h("p", { class: "empty" }, `This cannot be shown: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether the search screen that is coming was asked for by its key. */
let wantsWords = false;

function focusWords(): void {
  wantsWords = false;
  document.querySelector<HTMLElement>("input.words")?.focus();
}

function pressed(event: KeyboardEvent): void {
  const typing = (event.target as HTMLElement).matches("input, select, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...document.querySelectorAll<HTMLElement>("a.row")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  if (event.key === "/") {
    event.preventDefault();
    if (location.hash.startsWith("#/search")) focusWords();
    else {
      location.hash = "#/search";
      wantsWords = true;
    }
  } else if (event.key === "j") rows[Math.min(rows.length - 1, at + 1)]?.focus();
  else if (event.key === "k") rows[Math.max(0, at - 1)]?.focus();
  else if (event.key === "?") document.querySelector<HTMLDialogElement>("dialog.keys")?.showModal();
}

const KEYS = { "/": "search", j: "next row", k: "row before", Enter: "open the row", "?": "this list", Esc: "close it" };

function help(): HTMLElement {
  return h(
    "dialog",
    { class: "keys", "aria-label": "Keys" },
    h("dl", { class: "facts" }, Object.entries(KEYS).map(([key, does]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)))),
    h("form", { method: "dialog" }, h("button", {}, "Close")),
  );
}

async function start(): Promise<void> {
  const about = JSON.parse(document.getElementById("about")?.textContent ?? "null") as About;
  about.live &&= ["127.0.0.1", "localhost"].includes(location.hostname); // a file may say anything of itself
  const client = new Client(about);
  const main = h("main", { tabindex: "-1" }, h("p", { class: "empty" }, "Opening the history…"));
  const header = h(
    "header",
    {},
    h("a", { class: "name", href: "#/overview" }, h("strong", {}, about.ledger.name), h("small", { title: "when this was written" }, localTime(about.made))),
    state(client),
    menu(about.live),
  );
  document.body.append(header, main, help());
  try {
    await client.load(about.chains.map((_, n) => taken(`chain-${n}`)), taken("rest"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    fill(main, h("p", { class: "bad", role: "alert" }, `This report cannot be opened: its data is damaged or was cut (${why}). Ask for the file again.`));
    document.querySelector(".state")?.replaceWith(h("span", { class: "state is-bad" }, "✗ damaged"));
    return;
  }
  addEventListener("hashchange", () => void show(client, main));
  addEventListener("keydown", pressed);
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", takeDropped);
  redrawWhenJudged(client, main); // before the first screen, which the verdict may overtake
  await show(client, main);
}

/** Redraws the screen once all lines are judged: only then do events show their marks. */
function redrawWhenJudged(client: Client, main: HTMLElement): void {
  let shown = client.progress.verdict;
  client.follow(({ verdict }) => {
    if (verdict === shown) return;
    shown = verdict;
    if (verdict) void show(client, main, true);
  });
}

void start();
