// An answer's card as elements of the page. Everything that was pasted becomes text, never markup.

const TITLE = 100; // characters

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

/** The elements of a card. root: the address of the site. */
export function show(card, root) {
  if (!card.error) return [element("p", "", "No error found in this text.")];
  const { error, records, status, causes } = card;
  const [best, ...others] = records;
  const shown = best ? found(error, best, root) : without(error, status, card.speaker);
  if (others.length)
    shown.push(
      section(
        "Also possible",
        others.map((record) => item(record, titleOf(record), root)),
      ),
    );
  if (causes.length)
    shown.push(
      section(
        "Before it",
        causes.map((cause) => item(cause, cause.said || cause.place, root)),
      ),
    );
  return shown;
}

function found(error, record, root) {
  const title = element("h3", "", link(record, titleOf(record), root));
  const shown = [title, element("p", "at", ...where(record, error.name)), said(error)];
  if (record.holes.length) shown.push(element("dl", "facts", ...record.holes.flatMap(hole)));
  if (record.alike.length) shown.push(alike(record, root));
  shown.push(element("p", "", link(record, "What it means, and what to do", root)));
  return shown;
}

/** The beginning of what the error says, on one line. */
function titleOf({ message, place }) {
  const line = message.replace(/\s+/gu, " ").trim();
  return (line.length > TITLE ? `${line.slice(0, TITLE)}…` : line) || `The error at ${place}`;
}

function where(record, name) {
  const how = record.how ? ` · found ${record.how} (score ${record.score})` : "";
  return [element("span", "cls", record.name ?? name ?? "an error"), " ", element("code", "", record.place), how];
}

function hole({ expression, text }) {
  return [element("dt", "", element("code", "", expression)), element("dd", "", element("var", "", text))];
}

function alike({ alike, more }, root) {
  const count = alike.length + more + 1;
  const places = alike.flatMap((record, number) => [number ? ", " : "", link(record, record.place, root)]);
  return element("p", "at", `One of ${count} with the same text: `, ...places, more ? `, and ${more} more` : "");
}

function without(error, status, speaker) {
  return status ? ofXla(error, status) : unknown(error, speaker);
}

function ofXla(error, status) {
  const title = `${error.name ? `${error.name}: ` : ""}${status.code}`;
  return [
    element("h3", "", title),
    element("p", "at", "From XLA or jaxlib, not from Python code"),
    said(error),
    element("p", "", status.meaning),
  ];
}

function unknown(error, speaker) {
  const shown = [element("h3", "", `No record for ${error.name ? `this ${error.name}` : "this text"}`), said(error)];
  if (speaker) {
    const words = `This text is ${speaker} own: look at the line of code that the traceback ends with.`;
    shown.push(element("p", "", words));
  }
  return shown;
}

/** The message, with what its holes have marked. */
function said({ said }) {
  const pieces = said.map(([text, isValue]) => (isValue ? element("var", "", text) : text));
  const box = element("pre", "said", ...pieces);
  box.tabIndex = 0; // a long one scrolls
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "The message");
  return box;
}

function section(title, items) {
  return element("section", "", element("h3", "", title), element("ul", "entries", ...items));
}

function item(record, words, root) {
  return element("li", "", link(record, words, root), element("p", "at", ...where(record)));
}

function link({ id }, words, root) {
  const made = element("a", "", words);
  made.href = new URL(`errors/${id}/`, root).href;
  return made;
}
