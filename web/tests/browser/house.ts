// What the browser tests share: the real server on a free port with a fresh data directory, Chromium, pages whose console
// errors count as failures, axe, and screenshots.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** npm runs the tests in web/. */
const WEB = process.cwd();
const TARGET = process.env.CARGO_TARGET_DIR ?? resolve(WEB, "../target");
const BINARY = process.env.READAHEAD_LAB ?? join(TARGET, "debug/readahead-lab");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
export const SHOTS = join(WEB, "test-output");

/** The server and the browser of a test file. */
export interface House {
  base: string;
  browser: Browser;
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

async function answers(base: string, child: ChildProcess): Promise<void> {
  const until = Date.now() + 30_000;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`${BINARY} ended with ${child.exitCode}`);
    try {
      if ((await fetch(`${base}/healthz`)).ok) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`${base} does not answer`);
}

export async function open(): Promise<House> {
  const data = await mkdtemp(join(tmpdir(), "readahead-lab-"));
  const base = `http://127.0.0.1:${await freePort()}`;
  const server = spawn(BINARY, ["serve", "--listen", base.slice("http://".length), "--data", data], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, RUST_LOG: "warn" },
    cwd: resolve(WEB, ".."),
  });
  const stop = async (): Promise<void> => {
    const ended = new Promise((done) => server.once("exit", done));
    if (server.exitCode === null && server.kill("SIGTERM")) await ended;
    await rm(data, { recursive: true, force: true });
  };
  try {
    await answers(base, server);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
    await mkdir(SHOTS, { recursive: true });
    return {
      base,
      browser,
      async close() {
        await browser.close();
        await stop();
      },
    };
  } catch (error) {
    // Nothing may be left running that the test runner would wait for.
    await stop();
    throw error;
  }
}

/** Runs `body` on a page; whatever the console or the page itself reports as an error fails the test. */
export async function withPage(
  house: House,
  options: BrowserContextOptions,
  body: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await house.browser.newContext({
    baseURL: house.base,
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(`${page.url()}: ${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => errors.push(`${page.url()}: ${error.message}`));
    await body(page);
    assert.deepEqual(errors, []);
  } finally {
    await context.close();
  }
}

interface Violation {
  id: string;
  impact: string | null;
  nodes: Array<{ target: unknown }>;
}

/** No violation that axe calls serious or critical. */
export async function accessible(page: Page): Promise<void> {
  const axe = createRequire(join(WEB, "package.json")).resolve("axe-core/axe.min.js");
  // Through the debugger, because the page's own policy lets no foreign script in.
  await page.evaluate(await readFile(axe, "utf8"));
  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((result) => result.violations)",
  )) as Violation[];
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => String(target)).join(", ")}`),
    [],
    page.url(),
  );
}

/** Nothing sticks out to the right. */
export async function fitsWidth(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok((content ?? 0) <= (window ?? 0), `${page.url()}: ${content} px of content in a window of ${window} px`);
}

export async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** What is drawn in an element's canvases, as one string that changes when a pixel does. */
export function drawn(page: Page, selector: string): Promise<string> {
  return page.evaluate(
    (which) =>
      [...document.querySelectorAll<HTMLCanvasElement>(`${which} canvas`)].map((canvas) => canvas.toDataURL()).join(),
    selector,
  );
}
