// Builds what the browser loads into ../static/assets, or the tests into build/, with esbuild.
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const tests = process.argv.includes("--tests") ? process.argv[process.argv.indexOf("--tests") + 1] : undefined;

if (tests !== undefined) {
  const folder = join(here, "tests", tests);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name));
  const outdir = join(here, "build", tests);
  await rm(outdir, { recursive: true, force: true });
  await esbuild.build({
    entryPoints: files,
    outdir,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
    logLevel: "warning",
  });
} else {
  const outdir = join(here, "..", "static", "assets");
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const options = {
    entryPoints: [
      { in: join(here, "src", "main.ts"), out: "lab" },
      { in: join(here, "src", "theme.ts"), out: "theme" },
      { in: join(here, "styles", "main.css"), out: "lab" },
    ],
    outdir,
    bundle: true,
    minify: !process.argv.includes("--plain"),
    sourcemap: true,
    target: ["chrome123", "firefox121", "safari17.5"],
    loader: { ".woff2": "file" },
    assetNames: "[name]",
    logLevel: "info",
  };
  if (process.argv.includes("--watch")) {
    const context = await esbuild.context(options);
    await context.watch();
  } else {
    await esbuild.build(options);
  }
}
