/** The review queue, where this machine serves the page: what waits for a person, and their answers (specs/report.md H-25, H-26). */

import type { Client } from "../client";
import type { NamedMemory, Waiting } from "../data";
import { fill, h } from "../dom";
import { author, empty, fact, idText, time } from "../parts";
import { count, localDay, plain } from "../words";

type Answer = { answer: "confirm" | "delete" } | { answer: "edit"; text: string };

/** Hands an answer to the server; returns what was done. */
async function told(id: string, answer: Answer): Promise<{ said: string; events: string[] }> {
  const body = JSON.stringify({ id, ...answer });
  const response = await fetch("review", { method: "POST", headers: { "Content-Type": "application/json" }, body }).catch(() => null);
  if (response === null) throw new Error("The server does not answer: is muniment view still running?");
  const found = await response.json().catch(() => ({ error: `The server refused it (${response.status}): reload the page.` }));
  if (!response.ok) throw new Error(found.error);
  return found;
}

export async function review(client: Client): Promise<HTMLElement> {
  const queue = await client.ask("review");
  if (!queue) return h("article", {}, h("h1", {}, "Review"), empty("Only muniment view shows what waits, and muniment review does in a terminal."));
  const items = queue.items.filter((item) => !client.settled.has(item.id));
  const done = h("ul", { class: "done", role: "status", "aria-label": "Done" });
  const cards = h("div", {}, items.length === 0 ? empty("No memory waits for you.") : null);
  const left = (): void => {
    if (cards.childElementCount === 0) cards.append(empty("That was all."));
  };
  cards.append(...items.map((item) => new Card(client, item, done, left).element));
  return h(
    "article",
    {},
    h("h1", {}, "Review"),
    h("p", { class: "aside" }, `What waits for a person, as of ${localDay(client.about.made)}. Each answer is signed and stored at once; `, h("a", { href: "", onclick: reload }, "reload"), " to see it in the history."),
    queue.requests > 0 ? h("p", { class: "amber" }, `${count(queue.requests, "request")} of agents or scripts to run a command: run `, h("code", {}, "muniment review"), " in a terminal to decide.") : null,
    cards,
    done,
  );
}

function reload(event: Event): void {
  event.preventDefault();
  location.reload();
}

/** One memory that waits, with the buttons that decide on it. */
class Card {
  readonly element: HTMLElement;
  private readonly buttons = h("div", { class: "answers" });
  private readonly error = h("p", { class: "bad", role: "alert" });

  constructor(
    private readonly client: Client,
    private readonly item: Waiting,
    private readonly done: HTMLElement,
    private readonly left: () => void,
  ) {
    this.element = h("section", { class: "waiting", "aria-label": plain(item.text) }, shown(item), this.buttons, this.error);
    this.ask();
  }

  private ask(): void {
    fill(
      this.buttons,
      button("Confirm", () => this.answer({ answer: "confirm" })),
      button("Edit", () => this.edit()),
      button("Delete", () => this.sure()),
      button("Skip", () => this.remove()),
    );
  }

  private edit(): void {
    const field = h("textarea", { "aria-label": "Text", rows: 3, maxlength: 1000 }, this.item.text) as HTMLTextAreaElement;
    const save = button("Save", () => this.answer({ answer: "edit", text: field.value }));
    fill(this.buttons, field, save, button("Cancel", () => this.ask()));
    field.focus();
  }

  private sure(): void {
    const back = this.item.restores.map((each) => `“${plain(each.text)}”`).join(", ");
    const yes = button("Yes, delete it", () => this.answer({ answer: "delete" }));
    fill(this.buttons, h("span", {}, back ? `Delete it, and bring back ${back}?` : "Delete it?"), yes, button("No", () => this.ask()));
    yes.focus();
  }

  private async answer(answer: Answer): Promise<void> {
    const pressed = [...this.buttons.querySelectorAll("button")];
    const focused = document.activeElement as HTMLElement | null;
    for (const each of pressed) each.disabled = true;
    try {
      const { said, events } = await told(this.item.id, answer);
      this.client.settled.add(this.item.id);
      const undo = events.map((id) => id.slice(0, 12)).join(" ");
      this.done.append(h("li", {}, `${said}: ${plain(this.item.text)} `, h("small", {}, "to take it back: ", h("code", {}, `muniment revert ${undo}`))));
      this.remove();
    } catch (error) {
      fill(this.error, (error as Error).message);
      for (const each of pressed) each.disabled = false;
      focused?.focus();
    }
  }

  /** Takes the card away and goes to the next one, so that the keyboard stays in the list. */
  private remove(): void {
    const next = (this.element.nextElementSibling ?? this.element.previousElementSibling)?.querySelector("button");
    this.element.remove();
    next?.focus();
    this.left();
  }
}

function button(name: string, onclick: () => void): HTMLElement {
  return h("button", { type: "button", onclick }, name);
}

function why({ why, status, days, gone, compromised, wish }: Waiting): string {
  if (wish) return `${plain(wish.by)} wishes to forget it${status === "candidate" ? "; a candidate" : ""}; confirm keeps it`;
  if (why === "candidate") return "a candidate, not shown to agents until you accept it";
  if (compromised) return "by a compromised key; confirm it only if you know that it is true";
  if (days !== null) return `not confirmed for ${count(days, "day")}`;
  return gone.length > 0 ? "it names something that is not in the project" : "it waits";
}

function shown(item: Waiting): HTMLElement {
  const { text, details, body, section, learned, by, from } = item;
  return h(
    "div",
    {},
    h("p", { class: "above" }, why(item)),
    h("p", { class: "waiting-text" }, h("a", { href: `#/memory/${item.id}` }, plain(text))),
    details.length > 0 ? h("ul", {}, details.map((line) => h("li", {}, plain(line)))) : null,
    body ? h("pre", {}, plain(body)) : null,
    h("p", { class: "version-head" }, idText(item.id), plain(section), author(by), `via ${by.via}`, time(learned)),
    h("dl", { class: "facts" }, fact(from.kind, plain(from.name)), fact("replaces", ...named(item.replaces)), fact("contradicts", ...named(item.contradicts)), fact("gone", ...item.gone.map(plain))),
  );
}

function named(memories: NamedMemory[]): HTMLElement[] {
  return memories.map(({ id, text }) => h("a", { href: `#/memory/${id}` }, plain(text)));
}
