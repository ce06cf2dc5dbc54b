// Drives a browser for pytest: `node driver.mjs chromium|firefox EXECUTABLE`. Each line on standard input is a JSON object
// {do, …} of one command below; each line on standard output is {value} or {error}.

import { createInterface } from "node:readline";
import puppeteer from "../../report/browser/node_modules/puppeteer-core/lib/puppeteer/puppeteer-core.js";

const [browserName, executablePath] = process.argv.slice(2);

/** Without a sandbox, which root has none of, and without anything that reaches for the network. */
const CHROMIUM = [
  "--no-sandbox",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];
const FIREFOX = {
  "app.normandy.enabled": false,
  "browser.safebrowsing.malware.enabled": false,
  "browser.safebrowsing.phishing.enabled": false,
  "datareporting.policy.dataSubmissionEnabled": false,
  "network.captive-portal-service.enabled": false,
  "network.connectivity-service.enabled": false,
  "services.settings.server": "data:,",
};

const browser = await puppeteer.launch({
  browser: browserName === "firefox" ? "firefox" : "chrome",
  executablePath,
  headless: true,
  args: browserName === "firefox" ? [] : CHROMIUM,
  extraPrefsFirefox: FIREFOX,
});
const page = await browser.newPage();
const said = [];
page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
page.on("pageerror", (error) => said.push(`uncaught: ${error.message}`));

/** Of the commands that puppeteer sends for a window, Firefox 140 does not know that of the screen's orientation. */
function unlessUnknown(error) {
  if (!String(error).includes("unknown command emulation.setScreenOrientationOverride")) throw error;
}

/** A page that is just being left answers nothing; the next one will. */
function falseWhileLoading(error) {
  if (!String(error).includes("Execution context was destroyed")) throw error;
  return false;
}

const commands = {
  /** Open an address, in a window of this width and height; Chromium takes a colour scheme as well. */
  async open({ url, width = 1280, height = 900, scheme = null }) {
    await page.setViewport({ width, height }).catch(unlessUnknown);
    if (scheme) await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    said.length = 0;
    await page.goto(url);
  },
  /** Call a function, given as text, in the page; it may return a promise. */
  evaluate: ({ code, argument }) => page.evaluate(`(${code})(${JSON.stringify(argument ?? null)})`),
  /** Wait until an expression is true in the page; puppeteer's own wait fails in Firefox 140 where the page's policy forbids eval. */
  async wait({ expression, seconds = 30 }) {
    const end = Date.now() + 1000 * seconds;
    while (!(await page.evaluate(expression).catch(falseWhileLoading))) {
      if (Date.now() > end) throw new Error(`not true within ${seconds} s: ${expression}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  },
  /** Press keys, one after the other. */
  async press({ keys }) {
    for (const key of keys) await page.keyboard.press(key);
  },
  async screenshot({ path }) {
    await page.screenshot({ path, fullPage: true });
  },
  /** What the page wrote to its console since it was opened, errors that nothing caught among it. */
  said: () => [...said],
  version: () => browser.version(),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { do: name, ...given } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await commands[name](given)) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
