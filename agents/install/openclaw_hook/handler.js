"use strict";
// muniment's hook for OpenClaw: tells the private session what is known, and hands over what a session that ends
// has said. Written by `muniment install openclaw`, and replaced by it. It never throws and never waits long.

const { execFile, spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const MUNIMENT = "muniment";
const NAME = "MUNIMENT.md";
const PATIENCE_MS = 3000;
const MOST_CHARACTERS = 18000; // OpenClaw cuts a file at 20,000
const AGENTS_OWN = ["OPENCLAW_AGENT", "OPENCLAW_SESSION_KEY"]; // with these it would be the agent that writes
const ENDS = ["command:new", "command:reset", "session:auto-reset", "session:compact:before"];
const TITLE = /^\uFEFF?# Auto-Memories[ \t]*$/m; // how our own documents begin

async function handler(event) {
  try {
    const what = `${event.type}:${event.action}`;
    if (!isPrivate(event)) return;
    if (what === "agent:bootstrap") await tell(event);
    else if (ENDS.includes(what)) handOver(event, what);
  } catch {
    // a memory is never worth an agent that stands still
  }
}

// Only the person's own session: what is known of them is not for a group, a guest or a subagent, nor are the words of
// these the person's.
function isPrivate(event) {
  const key = keyOf(event);
  return key === "main" || /^agent:[^:]+:main$/.test(key);
}

function keyOf(event) {
  return String(event.sessionKey || event.context.sessionKey || "");
}

async function tell(event) {
  const context = event.context;
  const files = context.bootstrapFiles;
  if (!Array.isArray(files)) return;
  const own = (file) => file && file.name === "MEMORY.md" && typeof file.content === "string" && TITLE.test(file.content);
  if (files.some(own)) return; // the ledger's own document: it is told already
  const content = shortened((await said(["inject"], folderOf(context))).trim());
  const others = files.filter((file) => !file || file.name !== NAME);
  if (content) others.push({ name: NAME, path: path.join(folderOf(context) || "", NAME), content, missing: false });
  files.splice(0, files.length, ...others);
}

function shortened(text) {
  return text.length > MOST_CHARACTERS ? text.slice(0, text.lastIndexOf("\n", MOST_CHARACTERS) + 1) : text;
}

function handOver(event, what) {
  const context = event.context || {};
  const entry = context.previousSessionEntry || context.sessionEntry || context;
  const told = {
    hook_event_name: what === "session:compact:before" ? "PreCompact" : "SessionEnd",
    session_id: typeof entry.sessionId === "string" ? entry.sessionId : "",
    session_key: keyOf(event),
    cwd: folderOf(context) || "",
    transcript_path: transcriptOf(context),
    openclaw: openclaw(),
  };
  // One after the other, in a session of their own, so that they outlive this event and nobody waits.
  const words = 'printf %s "$1" | "$0" hook openclaw; "$0" checkpoint; "$0" adopt';
  const child = spawn("/bin/sh", ["-c", words, MUNIMENT, JSON.stringify(told)], {
    cwd: folderOf(context),
    detached: true,
    env: environment(),
    stdio: "ignore",
  });
  child.on("error", () => {});
  child.unref();
}

// How this very OpenClaw is started, since a gateway's PATH may lack it.
function openclaw() {
  const script = process.argv[1] || "";
  return /^openclaw(\.mjs)?$/.test(path.basename(script)) ? [process.execPath, script] : ["openclaw"];
}

// The session's file, where OpenClaw keeps one; a reset may have put it aside already.
function transcriptOf(context) {
  const entries = [context.previousSessionEntry, context.sessionEntry, context];
  for (const entry of entries) {
    const file = entry && entry.sessionFile;
    if (typeof file !== "string" || !path.isAbsolute(file) || !file.endsWith(".jsonl")) continue;
    if (isFile(file)) return file;
    const aside = asideOf(file);
    if (aside) return aside;
  }
  return "";
}

function asideOf(file) {
  const begin = `${path.basename(file)}.reset.`;
  try {
    const names = fs.readdirSync(path.dirname(file)).filter((name) => name.startsWith(begin));
    return names.length ? path.join(path.dirname(file), names.sort().pop()) : "";
  } catch {
    return "";
  }
}

function isFile(file) {
  try {
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

function folderOf(context) {
  const folder = context.workspaceDir;
  try {
    return typeof folder === "string" && fs.statSync(folder).isDirectory() ? folder : undefined;
  } catch {
    return undefined;
  }
}

function environment() {
  const all = { ...process.env };
  for (const name of AGENTS_OWN) delete all[name];
  return all;
}

function said(words, cwd) {
  const how = { cwd, env: environment(), killSignal: "SIGKILL", maxBuffer: 1 << 20, timeout: PATIENCE_MS };
  return new Promise((resolve) => {
    const child = execFile(MUNIMENT, words, how, (error, stdout) => resolve(error ? "" : stdout));
    if (child.stdin) child.stdin.on("error", () => {}).end();
  });
}

module.exports = handler;
module.exports.default = handler;
