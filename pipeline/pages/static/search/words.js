// The words of texts and names, as they are looked for and as they are marked. A dotted name is a word too.

const WORD = /[\p{L}\p{N}_]+(?:\.[\p{L}\p{N}_]+)*/gu;
const PART = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|\p{L}+/gu;
const BEFORE = 60; // characters of a long text's beginning, where what is looked for stands later
const known = new Map(); // parts of the words met so far: the same ones come again and again

/** The words of what somebody types, in small letters. */
export const typed = (text) => (text.match(WORD) ?? []).map((word) => word.toLowerCase());

/** The words of a text: as they stand, the ends of dotted names, and the parts of what is put together. */
export function written(text) {
  return (text.match(WORD) ?? []).flatMap((word) => parts(word));
}

function parts(word) {
  let found = known.get(word);
  if (!found) known.set(word, (found = partsOf(word)));
  return found;
}

function partsOf(word) {
  const names = word.split(".");
  const ends = names.map((_, number) => names.slice(number).join("."));
  const pieces = names.flatMap((name) => name.match(PART) ?? []).filter((piece) => piece.length > 1);
  return [...new Set([...ends, ...names, ...pieces].map((one) => one.toLowerCase()))];
}

const has = (word, term) => parts(word).some((part) => part.startsWith(term));

/** Where in a text words stand that begin, in one of their parts, with one of the terms: [start, end] pairs. */
function places(text, terms) {
  return [...text.matchAll(WORD)]
    .filter(({ 0: word }) => terms.some((term) => has(word, term)))
    .map(({ 0: word, index }) => [index, index + word.length]);
}

/** How many of the terms stand in a text. */
export function count(text, terms) {
  const words = text.match(WORD) ?? [];
  return terms.filter((term) => words.some((word) => has(word, term))).length;
}

/** The text in pieces, each with whether it is a word that was looked for. */
export function marked(text, terms) {
  const pieces = [];
  let at = 0;
  for (const [start, end] of places(text, terms)) {
    pieces.push([text.slice(at, start), false], [text.slice(start, end), true]);
    at = end;
  }
  pieces.push([text.slice(at), false]);
  return pieces.filter(([piece]) => piece);
}

/** So many characters of a text, on one line: its beginning, and what is around the first term if that stands later. */
export function excerpt(text, terms, length) {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line.length <= length) return line;
  const start = places(line, terms)[0]?.[0] ?? 0;
  if (start < length) return `${line.slice(0, endOfWord(line, length))} …`;
  const from = line.lastIndexOf(" ", start) + 1;
  const rest = line.slice(from, endOfWord(line, from + length - BEFORE));
  return `${line.slice(0, endOfWord(line, BEFORE))} … ${rest}${line.endsWith(rest) ? "" : " …"}`;
}

/** The end of the last word that ends before a place, or the place itself inside of a long word. */
function endOfWord(line, at) {
  if (at >= line.length) return line.length;
  const space = line.lastIndexOf(" ", at);
  return space > at - 30 ? space : at;
}
