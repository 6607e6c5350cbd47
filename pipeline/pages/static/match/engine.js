// RE2 for patterns of the catalogue: linear in the text, whatever was pasted.

import { RE2JS } from "../vendor/re2js.js";

const KEPT = 8192;
const compiled = new Map();

function expression(pattern) {
  let found = compiled.get(pattern);
  if (!found) {
    if (compiled.size >= KEPT) compiled.clear();
    found = RE2JS.compile(pattern, RE2JS.DOTALL);
    compiled.set(pattern, found);
  }
  return found;
}

/** RE2's match of a whole text: {text, values, spans} with null for groups not taken; null where it does not match. */
export function holds(pattern, text) {
  const re2 = expression(pattern);
  if (!re2.testExact(text)) return null; // the quick engine, which knows no groups
  const found = re2.matcher(text);
  found.matches();
  const numbers = Array.from({ length: found.groupCount() }, (_, number) => number + 1);
  const spans = numbers.map((number) => (found.start(number) < 0 ? null : [found.start(number), found.end(number)]));
  return { text, spans, values: spans.map((span) => span && text.slice(...span)) };
}
