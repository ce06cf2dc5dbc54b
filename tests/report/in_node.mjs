// Answers cases in node: `node in_node.mjs BUNDLE [bare]`, one JSON object on standard input, the answers on standard
// output; with `bare` as if there were no WebCrypto.

import "./cases.js";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

if (process.argv[3] === "bare") Object.defineProperty(globalThis.crypto, "subtle", { value: undefined });
const verifier = await import(pathToFileURL(process.argv[2]));
const { ask, cases } = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(await globalThis.cases[ask](verifier, cases)));
