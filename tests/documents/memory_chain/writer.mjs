// Writes and checks memory-chains in JavaScript, as the program of before does: an independent signer for the tests.
//
//   node writer.mjs write DIR < steps.json    one step an entry: {content, type?, tier?, metadata?, ts?, lost?}
//   node writer.mjs check DIR                 prints {"valid": …, "errors": [[seq, kind], …]}
//   node writer.mjs text                      prints JSON.stringify(JSON.parse(line)) of each line of stdin
//
// The format was learned from the program's public source; this is written anew. The key is made from a fixed seed.
import { createHash, createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");
const SPKI = Buffer.from("302a300506032b6570032100", "hex");
const sha256 = (data) => "sha256:" + createHash("sha256").update(data).digest("hex");

function head({ seq, ts, type, tier, content_hash, prev_hash }) {
  return { seq, ts, type, tier, content_hash, prev_hash };
}

function signedText(entry) {
  let metadata = null;
  if (entry.metadata) {
    metadata = {};
    for (const key of Object.keys(entry.metadata).sort()) metadata[key] = entry.metadata[key];
  }
  return JSON.stringify({ ...head(entry), metadata });
}

const entryHash = (entry) =>
  sha256(JSON.stringify({ ...head(entry), signature: entry.signature, metadata: entry.metadata ?? null }));

function write(folder, steps) {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, createHash("sha256").update("a chain of the tests").digest()]),
    format: "der",
    type: "pkcs8",
  });
  const pub = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(-32);
  mkdirSync(join(folder, "content"), { recursive: true });
  writeFileSync(join(folder, "agent.pub"), pub.toString("hex"));
  const settings = { agentName: "Atlas", keyMode: "raw", createdAt: "2026-02-01T02:00:00.000Z", version: "1.0.0" };
  writeFileSync(join(folder, "config.json"), JSON.stringify(settings, null, 2));
  const genesis = {
    content: JSON.stringify({ event: "genesis", agentName: "Atlas", message: "Memory chain initialized for Atlas" }),
    type: "identity",
    tier: "committed",
    metadata: { genesis: true },
  };
  let lines = "";
  let last = null;
  let instant = Date.parse("2026-02-01T02:00:00.000Z");
  for (const step of [genesis, ...steps]) {
    const content = step.content;
    const entry = {
      seq: last === null ? 0 : last.seq + 1,
      ts: step.ts ?? new Date(instant).toISOString(),
      type: step.type ?? "memory",
      tier: step.tier ?? "relationship",
      content_hash: sha256(content),
      prev_hash: last === null ? null : entryHash(last),
      metadata: step.metadata,
    };
    instant = Math.max(instant, Date.parse(entry.ts)) + 61_001;
    entry.signature = "ed25519:" + sign(null, Buffer.from(signedText(entry)), key).toString("hex");
    lines += JSON.stringify(entry) + "\n";
    writeFileSync(join(folder, "content", entry.content_hash.slice(7)), content);
    if (step.lost) rmSync(join(folder, "content", step.lost === true ? entry.content_hash.slice(7) : sha256(step.lost).slice(7)));
    last = entry;
  }
  writeFileSync(join(folder, "chain.jsonl"), lines);
}

function check(folder) {
  const errors = [];
  const lines = readFileSync(join(folder, "chain.jsonl"), "utf-8").trim().split("\n").filter(Boolean);
  const entries = lines.map((line) => JSON.parse(line));
  const raw = Buffer.from(readFileSync(join(folder, "agent.pub"), "utf-8").trim(), "hex");
  const key = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: "der", type: "spki" });
  entries.forEach((entry, at) => {
    const fault = (kind) => errors.push([at, kind]);
    if (entry.seq !== at) fault("seq");
    if (entry.prev_hash !== (at ? entryHash(entries[at - 1]) : null)) fault("link");
    if (at && Date.parse(entry.ts) <= Date.parse(entries[at - 1].ts)) fault("ts");
    const signature = Buffer.from(String(entry.signature).replace(/^ed25519:/, ""), "hex");
    if (signature.length !== 64 || !verify(null, Buffer.from(signedText(entry)), key, signature)) fault("signature");
    const path = join(folder, "content", String(entry.content_hash).slice(7));
    if (existsSync(path) && sha256(readFileSync(path, "utf-8")) !== entry.content_hash) fault("content");
  });
  return { valid: errors.length === 0, errors };
}

const [, , verb, folder] = process.argv;
const stdin = () => readFileSync(0, "utf-8");
if (verb === "write") write(folder, JSON.parse(stdin()));
else if (verb === "check") {
  let result;
  try {
    result = check(folder);
  } catch (error) {
    result = { valid: false, errors: [[-1, String(error.message)]] };
  }
  console.log(JSON.stringify(result));
} else if (verb === "text") {
  for (const line of stdin().split("\n").filter(Boolean)) console.log(JSON.stringify(JSON.parse(line)));
}
