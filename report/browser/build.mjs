// Bundles the page's parts with esbuild: `node build.mjs` after `npm install`, both in this folder.
//
// The verifier alone goes to build/page/ of the checkout, for the tests: verify.mjs is a module, and verify.js a
// script that defines the global `verifier`.

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = fileURLToPath(new URL("../../build/page/", import.meta.url));

/** What all bundles share: the browsers of the last two years, and the same bytes from the same source. */
const shared = { absWorkingDir: here, bundle: true, charset: "utf8", legalComments: "none", target: "es2022" };
const verifier = { ...shared, entryPoints: ["src/verify/index.ts"] };

await build({ ...verifier, format: "esm", outfile: `${out}verify.mjs` });
await build({ ...verifier, format: "iife", globalName: "verifier", outfile: `${out}verify.js` });
