// Bundles the page's parts with esbuild: `node build.mjs [FILE]` after `npm install`, both in this folder.
//
// The page goes to report/page.html, which ships, or to FILE.

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/** What all bundles share: the browsers of the last two years, and the same bytes from the same source. */
const shared = { absWorkingDir: here, bundle: true, charset: "utf8", legalComments: "none", target: "es2022" };

/** Returns a bundle as text; nothing in it ends the element that it stands in. */
async function bundled(entry, define = {}) {
  const result = await build({ ...shared, entryPoints: [entry], format: "iife", minify: true, write: false, define });
  return result.outputFiles[0].text.replaceAll("</script", "<\\/script").trim();
}

const worker = await bundled("src/worker.ts");
const script = await bundled("src/main.ts", { WORKER_SOURCE: JSON.stringify(worker) });
const style = await bundled("page.css");
const digest = (text) => createHash("sha256").update(text).digest("base64");
const page = (await readFile(`${here}page.html`, "utf8"))
  .replace("SCRIPT", () => digest(script))
  .replace("STYLE", () => digest(style))
  .replace("/*script*/", () => script)
  .replace("/*style*/", () => style);
await writeFile(process.argv[2] ?? fileURLToPath(new URL("../page.html", import.meta.url)), page);
