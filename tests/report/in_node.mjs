// Answers cases in node: `node in_node.mjs BUNDLE`, one JSON object on standard input, the answers on standard output.

import "./cases.js";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const verifier = await import(pathToFileURL(process.argv[2]));
const { ask, cases } = JSON.parse(readFileSync(0, "utf-8"));
process.stdout.write(JSON.stringify(await globalThis.cases[ask](verifier, cases)));
