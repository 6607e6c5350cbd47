// The worker that answers: {load: address of the index} makes it ready, {ask: text} gets a card.

import { answer } from "./answer.js";
import { card } from "./card.js";
import { Index } from "./index.js";
import { table } from "./table.js";

let index = null;

self.addEventListener("message", async ({ data }) => {
  try {
    if ("load" in data) {
      index = new Index(await table(data.load));
      self.postMessage({ ready: true });
    } else {
      self.postMessage({ card: card(answer(data.ask, index), index) });
    }
  } catch (error) {
    self.postMessage({ failed: error.message });
  }
});
