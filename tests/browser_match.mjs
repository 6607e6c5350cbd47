// The browser's matching under node: texts in (a JSON string a line), answers out (what `errcat match --json` prints).
// node browser_match.mjs FOLDER_OF_MODULES INDEX; the last line says {index, milliseconds: […]}.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";

const [folder, path] = process.argv.slice(2);
const { answer, asJson } = await import(pathToFileURL(`${folder}/answer.js`));
const { Index } = await import(pathToFileURL(`${folder}/index.js`));

const begun = performance.now();
const index = new Index(JSON.parse(gunzipSync(readFileSync(path))));
const ready = performance.now() - begun;
const milliseconds = [];
for await (const line of createInterface({ input: process.stdin })) {
  const text = JSON.parse(line);
  const asked = performance.now();
  const found = answer(text, index);
  milliseconds.push(performance.now() - asked);
  process.stdout.write(`${JSON.stringify(asJson(found, "-"))}\n`);
}
process.stdout.write(`${JSON.stringify({ index: ready, milliseconds })}\n`);
