// The answer to one paste: the error, its causes, where its text comes from, and the records.
// Ported from pipeline/match/answer.py and xla.py.

import { rank, rival } from "./rank.js";
import { className } from "./traceback.js";

/** Everything there is to say about a paste: {error, chain, release}; error is null where there is nothing like one. */
export function answer(text, index, { top = 3 } = {}) {
  const { error, chain, release } = index.reader.read(text, index.classes);
  const sameRelease = index.revision !== "" && release === index.revision;
  const judge = (raised) => judged(raised, index, { sameRelease, top });
  return { error: error && judge(error), chain: chain.map(judge), release };
}

function judged(raised, index, options) {
  const code = status(raised, index.rules.xla);
  const matches = code?.sure ? [] : rank(raised, index, options);
  const kept = code && !code.sure && matches.length ? null : code; // the repository's own texts may begin like a code
  return {
    className: className(raised),
    message: raised.message,
    link: raised.link,
    origin: origin(raised, kept, matches, index),
    status: kept,
    matches,
  };
}

/** The status code that the message begins with, if the error is XLA's. sure: code and class are. */
function status(raised, { CLASSES, CODE, STATUSES, WORDED, WORDS }) {
  const name = className(raised);
  const code = CODE.match(raised.message);
  if (code) return { ...STATUSES[code[1]], sure: CLASSES.has(name) };
  const words = name === "RuntimeError" || CLASSES.has(name) ? WORDED.match(raised.message) : null;
  return words && { ...STATUSES[WORDS[words[1]]], sure: false };
}

function origin(raised, code, matches, index) {
  if (matches.length) return "repository";
  if (code || index.rules.xla.CLASSES.has(className(raised))) return "xla";
  return rival(raised.message, index.squeezed(raised.message), index)?.speaker ?? "unknown";
}

/** The line that `errcat match --json` prints for an input. */
export function asJson({ error, chain }, input) {
  return {
    input,
    error: error && { class: error.className, message: error.message },
    chain: chain.map((one) => ({
      class: one.className,
      message: one.message,
      link: one.link,
      origin: one.origin,
      matches: rows(one),
    })),
    origin: error ? error.origin : "unknown",
    matches: error ? rows(error) : [],
  };
}

function rows({ matches }) {
  return matches.map(({ entry, how, score, message, holes, ambiguousWith }) => ({
    id: entry.id,
    score,
    how,
    errorClass: entry.kind.name,
    filePath: entry.path,
    lineNumber: entry.line,
    errorMessage: message,
    holes,
    ambiguousWith: ambiguousWith.map(({ id }) => id),
  }));
}
