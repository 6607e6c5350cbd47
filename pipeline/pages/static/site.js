// What every page does beside being read: copy buttons, and links that work where the pages are plain files.
"use strict";

const LONG_ENOUGH = 2000; // milliseconds that a button says "Copied"

function textOf(block) {
  const copy = block.cloneNode(true);
  for (const number of copy.querySelectorAll("a[id^='L']")) number.remove();
  return copy.textContent.replace(/\n$/, "");
}

async function write(text) {
  if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea"); // where the browser has no clipboard: plain http
  area.value = text;
  area.className = "unseen";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("the browser does not copy");
}

function addCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  const name = block.getAttribute("aria-label");
  if (name) button.setAttribute("aria-label", `Copy: ${name}`);
  button.addEventListener("click", async () => {
    try {
      await write(textOf(block));
      button.textContent = "Copied";
      said.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy";
    }
    setTimeout(() => {
      button.textContent = "Copy";
      said.textContent = "";
    }, LONG_ENOUGH);
  });
  const holder = document.createElement("div");
  holder.className = "holder";
  block.replaceWith(holder);
  holder.append(block, button);
}

const said = document.createElement("div"); // read out by screen readers
said.setAttribute("role", "status");
said.className = "unseen";
document.body.append(said);
for (const block of document.querySelectorAll("main pre")) addCopyButton(block);

if (location.protocol === "file:") {
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.protocol !== "file:" || !link.pathname.endsWith("/")) return;
    event.preventDefault();
    location.href = `${link.origin === "null" ? "file://" : link.origin}${link.pathname}index.html${link.hash}`;
  });
  const why = "needs the pages to come from a web server, which may run on this machine: errcat serve.";
  const search = document.getElementById("search");
  if (search) {
    search.disabled = true;
    search.placeholder = "Search needs a web server";
    search.title = `Search ${why}`;
  }
  const answer = document.getElementById("paste-answer");
  if (answer) {
    answer.textContent = `Matching ${why} On the command line, errcat match answers too.`;
    document.getElementById("paste-match").disabled = true;
  }
}
