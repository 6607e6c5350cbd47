// The worker that searches: {load: address of the index} makes it ready, {ask: query, number} gets what is found.

import { table } from "../match/table.js";
import { Index } from "./index.js";

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
