// Search as you type: a combobox over the errors of the site. What searches runs in a worker, once it is wanted.

const input = document.getElementById("search");
const popup = document.getElementById("search-results");
const root = new URL("../../", import.meta.url);
const list = element("div", "found");
const foot = element("p", "note");
const said = element("div", "unseen");
const style = element("link");
let worker = null;
let options = [];
let active = -1;
let number = 0; // of the newest query
let isBusy = true; // until the index is there, then while a query is out
let isWaiting = false; // whether what is typed was not asked yet

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

function start() {
  if (worker) return;
  if (!style.isConnected) document.head.append(style);
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => heard(data));
  worker.addEventListener("error", () => heard({ failed: "Search cannot start in this browser." }));
  worker.postMessage({ load: new URL(input.dataset.searchIndex, document.baseURI).href });
}

function heard({ failed, ready, ...answer }) {
  isBusy = false;
  if (failed) {
    worker.terminate();
    worker = null;
    isBusy = true;
    show([], failed);
  } else if (isWaiting) {
    ask();
  } else if (!ready && answer.number === number) {
    tell(answer);
  }
}

function ask() {
  if (!input.value.trim()) return close();
  start();
  isWaiting = isBusy;
  if (isBusy) return;
  isBusy = true;
  worker.postMessage({ ask: input.value, number: ++number });
}

function tell({ groups, found, isLoose }) {
  if (document.activeElement !== input) return;
  if (!groups.length) return show([], input.value.trim().length < 2 ? "" : "Nothing found.");
  const shown =
    groups.length < found ? `The best ${groups.length} of ${found} texts` : `${found} ${found > 1 ? "texts" : "text"}`;
  const some =
    "No error says all of these words; these say some. A whole message is found by pasting it on the first page.";
  show(groups, isLoose ? some : `${shown}.`);
}

function show(groups, words) {
  options = [];
  list.replaceChildren(...groups.map(group));
  foot.textContent = words;
  said.textContent = words;
  popup.hidden = !groups.length && !words;
  list.hidden = !groups.length;
  input.setAttribute("aria-expanded", String(groups.length > 0));
  activate(-1);
}

function close() {
  number++; // what is still out is not wanted any more
  isWaiting = false;
  show([], "");
}

/** One text: an option where one error says it, else a group of options that tell what sets them apart. */
function group({ title, errorClass, members, more, slug }, at) {
  const heading = [element("span", "says", ...marked(title)), " ", element("span", "cls", ...marked(errorClass))];
  if (members.length === 1) return option(`errors/${members[0].id}/`, ...heading, " ", ...place(members[0]));
  const name = element("div", "heading", ...heading);
  name.id = `search-group-${at}`;
  const made = element(
    "div",
    "group",
    name,
    ...members.map((member) => option(`errors/${member.id}/`, ...place(member))),
  );
  made.setAttribute("role", "group");
  made.setAttribute("aria-labelledby", name.id);
  if (more && slug) made.append(option(`errors/${slug}/`, `All ${members.length + more} with this text`));
  return made;
}

function place({ errorClass, place, function: name, public: reached }) {
  const parts = [element("code", "", ...marked(place))];
  if (name.length) parts.push(" in ", element("code", "", ...marked(name)));
  if (reached.length) parts.push(", from ", element("code", "", ...marked(reached)));
  if (errorClass.length) parts.unshift(element("span", "cls", ...marked(errorClass)), " ");
  return [element("span", "at", ...parts)];
}

function option(path, ...content) {
  const made = element("a", "option", ...content);
  made.href = new URL(path, root).href;
  made.id = `search-option-${options.length}`;
  made.tabIndex = -1;
  made.setAttribute("role", "option");
  made.setAttribute("aria-selected", "false");
  options.push(made);
  return made;
}

function marked(pieces) {
  return pieces.map(([text, isFound]) => (isFound ? element("mark", "", text) : text));
}

function activate(at) {
  options[active]?.setAttribute("aria-selected", "false");
  active = at;
  const chosen = options[at];
  if (!chosen) return input.removeAttribute("aria-activedescendant");
  chosen.setAttribute("aria-selected", "true");
  chosen.scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", chosen.id);
}

/** What a key does; true where it does something here. */
function pressed(key) {
  const isOpen = options.length > 0;
  if (key === "ArrowDown" && !isOpen) ask();
  else if (key === "ArrowDown") activate((active + 1) % options.length);
  else if (key === "ArrowUp" && isOpen) activate((active <= 0 ? options.length : active) - 1);
  else if (key === "Escape" && !popup.hidden) close();
  else if (key === "Enter") options[Math.max(active, 0)]?.click();
  else return false;
  return true;
}

style.rel = "stylesheet";
style.href = new URL("search.css", import.meta.url).href;
popup.append(list, foot);
popup.hidden = true;
input.form?.append(said);
list.id = "search-list";
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Errors");
said.setAttribute("role", "status");
for (const [name, value] of Object.entries({
  role: "combobox",
  "aria-autocomplete": "list",
  "aria-controls": list.id,
  "aria-expanded": "false",
})) {
  input.setAttribute(name, value);
}
input.addEventListener("focus", () => {
  start();
  if (input.value) ask();
});
input.addEventListener("input", ask);
input.addEventListener("keydown", (event) => {
  if (!event.isComposing && pressed(event.key)) event.preventDefault();
});
input.addEventListener("blur", close);
input.form?.addEventListener("submit", (event) => event.preventDefault());
popup.addEventListener("pointerdown", (event) => event.preventDefault()); // the input keeps the focus
popup.addEventListener("mousedown", (event) => event.preventDefault());
