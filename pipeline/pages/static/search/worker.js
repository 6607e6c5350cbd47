// The worker that searches: {load: address of the index} makes it ready, {ask: query, number} gets {number, …what is found}.

import { Index } from "./index.js";

const GZIP = 0x1f8b;
let index = null;

self.addEventListener("message", async ({ data }) => {
  try {
    if ("load" in data) {
      index = new Index(await table(data.load));
      self.postMessage({ ready: true });
    } else {
      self.postMessage({ number: data.number, ...index.find(data.ask) });
    }
  } catch (error) {
    self.postMessage({ failed: error.message });
  }
});

/** The JSON at an address, which may be gzipped: some servers unpack such files on the way, most do not. */
async function table(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The search index cannot be loaded: the server answered ${response.status}.`);
  const bytes = await response.arrayBuffer();
  if (new DataView(bytes).getUint16(0) !== GZIP) return JSON.parse(new TextDecoder().decode(bytes));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
