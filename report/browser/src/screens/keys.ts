/** Whose signatures count: keys and what happened to them, checkpoints, and what others confirmed. */

import type { Client } from "../client";
import type { Receipt } from "../data";
import { h } from "../dom";
import { author, empty, seal, time } from "../parts";
import type { Milestone } from "../ledger/ledger";
import type { Confirmed } from "../ledger/proofs";
import { plain } from "../words";

export async function keys(client: Client): Promise<HTMLElement> {
  const isJudged = client.progress.verdict !== null; // when it was asked: the answer may come later
  const found = await client.ask("milestones");
  const { checkpoints, receipts } = await client.ask("confirmed");
  const anchors = found.filter((each) => each.kind === "anchor").reverse();
  return h(
    "article",
    {},
    h("h1", {}, "Keys and anchors"),
    h("h2", {}, "Keys"),
    h("ol", { class: "milestones" }, found.filter((each) => each.kind !== "anchor").map(key)),
    h("h2", {}, "Given to others"),
    anchors.length > 0 ? h("ol", { class: "milestones" }, anchors.map(anchor)) : empty("No checkpoint of this history was given to anybody. ", h("code", {}, "muniment anchor"), " does that."),
    h("h2", {}, "Checkpoints and receipts"),
    h("p", { class: "aside" }, "Stored by the machine that wrote this file. This page checks who signed a checkpoint, and its tree if the whole history is here; receipts are that machine's word."),
    checkpoints.length > 0 ? h("ol", { class: "milestones" }, [...checkpoints].reverse().map((each) => checkpoint(each, isJudged))) : empty("No checkpoint was signed."),
    receipts.length > 0 ? h("ol", { class: "milestones" }, [...receipts].reverse().map(receipt)) : empty("Nobody else confirmed one."),
  );
}

const SAID: Record<string, string> = {
  genesis: "The history begins",
  rotate: "A new key takes over",
  recover: "A person accepted the history as it was after damage or a rollback",
};

function key(event: Milestone): HTMLElement {
  const { head } = event;
  return h(
    "li",
    {},
    h("p", {}, h("strong", {}, SAID[event.kind] ?? event.kind), " ", h("a", { href: `#/event/${event.id}` }, `@${event.seq}`), " ", seal(event.badge)),
    h("p", { class: "row-facts" }, author(event.by), time(event.at), `epoch ${head.epoch}`),
    head.key ? h("p", {}, "key ", h("code", { class: "id" }, head.key)) : null,
    head.since ? h("p", { class: "bad" }, `Signatures from @${head.since} to @${event.seq - 1} are disowned: somebody else had the key.`) : null,
    event.kind === "rotate" ? h("p", { class: "aside" }, head.proof ? "The key before it signed this, too." : "The key before it did not sign this: it was lost.") : null,
    head.lost ? h("p", { class: "bad" }, `Lost: the history up to @${head.lost.seq}.`) : null,
  );
}

function anchor({ id, seq, at, by, payload, badge }: Milestone): HTMLElement {
  const { method = "", size, where, root } = payload ?? {};
  return h(
    "li",
    {},
    h("p", {}, h("strong", {}, plain(method)), where ? ` at ${plain(where)}` : "", " ", h("a", { href: `#/event/${id}` }, `@${seq}`), " ", seal(badge)),
    h("p", { class: "row-facts" }, author(by), time(at), size === undefined ? null : `${size} events`),
    root ? h("p", {}, "root ", h("code", { class: "id" }, plain(root))) : null,
  );
}

/** A signed note: origin, number of events and root, a line each, and who signed. */
function checkpoint({ note, fault, isWhole }: Confirmed, isJudged: boolean): HTMLElement {
  const [, size = ""] = note.split("\n");
  return h(
    "li",
    { class: "checkpoint" },
    h("details", {}, h("summary", {}, `Checkpoint of ${plain(size)} events`), h("pre", { class: "raw" }, plain(note))),
    fault === null || !isJudged
      ? h("p", { class: "row-facts" }, !isJudged ? "not checked yet" : isWhole ? "✓ signed by the key in force at its end, and of just these events" : "✓ signed by the key in force at its end; its tree is not checked, since the beginning is not in this file")
      : h("p", { class: "bad" }, `✗ not a checkpoint of this history: ${plain(fault)}`),
  );
}

const STATE = { held: "existed", "not checked": "not checked:", wrong: "wrong:" };

function receipt({ size, state, source, time: by, message, where }: Receipt): HTMLElement {
  return h(
    "li",
    { class: state === "wrong" && "bad" },
    h("p", {}, h("strong", {}, `${size} events `), STATE[state], by ? [" by ", time(by)] : null, ", ", plain(source)),
    message || where ? h("p", { class: "row-facts" }, plain(message), where ? ` at ${plain(where)}` : null) : null,
  );
}
