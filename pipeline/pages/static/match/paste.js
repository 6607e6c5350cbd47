// The part of the home page that answers a paste. What matches runs in a worker, and not before it is wanted.

import { show } from "./view.js";

const LIMIT = 3000; // milliseconds for one answer
const LONG = 50_000; // characters of a paste that the field would take seconds to lay out
const SHOWN = 5_000; // characters of such a one that it shows

const section = document.getElementById("paste");
const text = document.getElementById("paste-text");
const button = document.getElementById("paste-match");
const place = document.getElementById("paste-answer");
const root = new URL("../../", import.meta.url);
const style = document.createElement("link");
let worker = null;
let isReady = false;
let asked = null; // the text to answer, once the index is there
let timer = 0;
let long = { shown: null, whole: "" }; // the last long paste, and what the field has of it

function say(...content) {
  place.replaceChildren(...content);
}

function note(words) {
  const line = document.createElement("p");
  line.className = "note";
  line.textContent = words;
  say(line);
}

function start() {
  if (worker) return;
  if (!style.isConnected) document.head.append(style);
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => heard(data));
  worker.addEventListener("error", () =>
    stop("Matching cannot start in this browser. errcat match answers on the command line."),
  );
  worker.postMessage({ load: new URL(section.dataset.matchIndex, document.baseURI).href });
}

function heard({ ready, card, failed }) {
  if (ready) {
    isReady = true;
    if (asked !== null) send();
  } else if (failed) {
    stop(failed);
  } else {
    done();
    say(...show(card, root));
  }
}

function stop(words) {
  worker?.terminate();
  worker = null;
  isReady = false;
  const wasAsked = asked !== null;
  done();
  if (wasAsked) note(words);
}

function done() {
  clearTimeout(timer);
  asked = null;
  place.removeAttribute("aria-busy");
}

function send() {
  note("Looking…");
  timer = setTimeout(
    () => stop(`No answer within ${LIMIT / 1000} seconds, so it was given up. Paste the last traceback only.`),
    LIMIT,
  );
  worker.postMessage({ ask: asked });
}

function ask() {
  const given = text.value === long.shown ? long.whole : text.value;
  if (!given.trim()) return note("Paste a traceback or a message first.");
  if (asked === given) return; // it is being answered
  if (asked !== null && isReady) stop(""); // still at the text before this one
  asked = given;
  place.setAttribute("aria-busy", "true");
  start();
  if (isReady) send();
  else note("Loading the index…");
}

style.rel = "stylesheet";
style.href = new URL("paste.css", import.meta.url).href;
text.addEventListener("focus", start);
text.addEventListener("paste", (event) => {
  const whole = event.clipboardData?.getData("text/plain") ?? "";
  if (whole.length > LONG) {
    event.preventDefault();
    const size = whole.length.toLocaleString("en");
    text.value = `… ${size} characters, of which these are the last:\n${whole.slice(-SHOWN)}`;
    long = { shown: text.value, whole };
  }
  setTimeout(ask); // when the field has the text
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask();
});
button.addEventListener("click", ask);
