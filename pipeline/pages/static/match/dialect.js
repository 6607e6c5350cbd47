// A record's pattern in its parts, as the index has them: fixed text is a string, a gap a number (2 if it is a hole,
// plus the least it takes), a choice an array of its mark ("", "?" or "*") and its options.
// Ported from pipeline/match/dialect.py.

import { size } from "./text.js";

const GAPS = ["(?:.*?)", "(?:.+?)", "(.*?)", "(.+?)"];
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;
const asItIs = (text) => text;

/** The sequence as an expression for RE2. fixed: what becomes of fixed text (squeezing it, for squeezed text). */
export function regex(sequence, fixed = asItIs) {
  return sequence.map((part) => expression(part, fixed)).join("");
}

function expression(part, fixed) {
  if (typeof part === "string") return fixed(part).replace(SPECIAL, "\\$&");
  if (typeof part === "number") return GAPS[part];
  const [mark, ...options] = part;
  return `(?:${options.map((option) => regex(option, fixed)).join("|")})${mark}`;
}

/** Whether a text begins and ends as every text of the sequence does: quickly said no, where RE2 would say no. */
export function framed(sequence, text, fixed = asItIs) {
  const [begin, end] = [sequence[0], sequence.at(-1)];
  if (typeof begin === "string" && !text.startsWith(fixed(begin))) return false;
  return typeof end !== "string" || text.endsWith(fixed(end));
}

/** The fixed runs that every text of this sequence has, in order, squeezed. */
export function runs(sequence, squeezed) {
  return sequence.flatMap((part) => {
    if (typeof part === "string") return squeezed(part) || [];
    const [mark, ...options] = Array.isArray(part) ? part : ["?"];
    return mark === "" && options.length === 1 ? runs(options[0], squeezed) : [];
  });
}

/** Squeezed runs of which every text of this sequence has at least one: the longest such set; empty without any. */
export function anchors(sequence, squeezed) {
  let best = [];
  for (const part of sequence) {
    const found = anchorsOf(part, squeezed);
    if (shortest(found) > shortest(best)) best = found;
  }
  return best;
}

function anchorsOf(part, squeezed) {
  if (typeof part === "string") return squeezed(part) ? [squeezed(part)] : [];
  if (typeof part === "number" || part[0] !== "") return [];
  const each = part.slice(1).map((option) => anchors(option, squeezed));
  return each.every((found) => found.length) ? [...new Set(each.flat())] : [];
}

const shortest = (texts) => texts.reduce((least, text) => Math.min(least, size(text)), texts.length ? Infinity : 0);

/** Fixed characters that every text of this sequence has, white space not counted. */
export function fixed(sequence, squeezed) {
  let total = 0;
  for (const part of sequence) {
    if (typeof part === "string") total += size(squeezed(part));
    else if (Array.isArray(part) && part[0] === "") {
      total += Math.min(...part.slice(1).map((option) => fixed(option, squeezed)));
    }
  }
  return total;
}
