// The answer as plain values for the page: what `errcat match` prints. Ported from pipeline/match/card.py.

import { marks } from "./rank.js";
import { first } from "./text.js";

const ALIKE = 8;
const CAUSES = 5;
const SAID = 200;

/**
 * {error, records, status, speaker, causes}; error is null where there is nothing like one.
 * error: {name, said}, said being [text, whether it is the value of a hole] pairs.
 * records: the best first, {id, name, place, message, how, score, holes, alike, more}.
 */
export function card(answer, index) {
  const { error, chain } = answer;
  if (!error) return { error: null };
  const rules = index.rules.card;
  const said = marked(error, index).map(([text, isValue]) => [clean(text, rules), isValue]);
  return {
    error: { name: error.className, said: bounded(said, rules.CHARACTERS) },
    records: error.matches.map((match) => record(match, rules)),
    status: error.status && { code: error.status.code, meaning: error.status.meaning },
    speaker: rules.SPEAKERS[error.origin] ?? null,
    causes: chain
      .filter(({ matches }) => matches.length)
      .slice(-CAUSES)
      .map((cause) => ({
        name: cause.className,
        said: first(clean(cause.message.split("\n", 1)[0], rules), SAID),
        ...named(cause.matches[0].entry),
      })),
  };
}

function record({ entry, message, how, score, holes, ambiguousWith }, rules) {
  const told = holes.filter(({ text }) => text !== null);
  return {
    ...named(entry),
    message,
    how: rules.FOUND[how],
    score: score.toFixed(2),
    holes: told.map(({ expression, text }) => ({ expression, text: first(clean(text, rules), SAID) })),
    alike: ambiguousWith.slice(0, ALIKE).map(named),
    more: Math.max(0, ambiguousWith.length - ALIKE),
  };
}

function named({ id, kind, path, line }) {
  return { id, name: kind.public ?? kind.name, place: `${path}:${line}` };
}

/** The message in pieces, each with whether it is what a hole of the best record has. */
function marked({ message, matches }, { space }) {
  const pieces = [];
  let at = 0;
  for (const [start, end] of matches.length ? marks(matches[0].entry, message) : []) {
    pieces.push([message.slice(at, start), false], [message.slice(start, end), true]);
    at = end;
  }
  pieces.push([space.trimEnd(message.slice(at)), false]);
  return pieces.filter(([text]) => text);
}

/** Text with control characters, and those that turn its direction, as escapes. */
function clean(text, { CONTROL }) {
  return CONTROL.replace(text, (found) => `\\x${found.codePointAt(0).toString(16).padStart(2, "0")}`);
}

function bounded(pieces, characters) {
  const out = [];
  for (const [text, isValue] of pieces) {
    const kept = first(text, characters);
    out.push([kept.length < text.length ? `${kept}…` : kept, isValue]);
    if (kept.length < text.length) break;
    characters -= text.length;
  }
  return out;
}
