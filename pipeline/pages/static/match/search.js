// Which variants a message can be: by fixed text first, then proved with RE2. Ported from pipeline/match/search.py.
//
// An agreement is {variant, how, fixed, share, free, text, values}: fixed characters that agree, the share of the
// variant's, the characters that are not fixed text, the part of the message that is the error's, what its holes have.

import { fixed, framed, regex } from "./dialect.js";
import { holds } from "./engine.js";
import { back, forward, size } from "./text.js";

// Longest first; before and after one there may be blanks and line ends.
const ELLIPSES = ["[truncated]", "<snip>", "[...]", "(...)", "[…]", "...", "…", "."];

/** A message to look for. core: without the "See https://…" that some errors end with. */
export class Message {
  constructor(text, index) {
    this.text = text;
    this.core = withoutPage(text, index);
    this.squeezed = index.squeezed(this.core);
    this.extents = extents(this.core, index.space);
  }
}

function withoutPage(text, { rules, space, squeezed }) {
  const at = back(text, text.length, rules.search.SEEN);
  const tail = text.slice(at);
  const found = tail.includes("http") ? rules.search.SEE.search(tail) : null;
  return found && squeezed(found[0]).includes(rules.index.ERROR_PAGE)
    ? space.trimEnd(text.slice(0, at + found.index))
    : text;
}

/** The parts of a message that could be all that the error said, likeliest first. */
function extents(core, space) {
  const found = [core];
  const paragraphs = core.split("\n\n");
  for (let count = Math.min(paragraphs.length, 8) - 1; count > 0; count--) {
    found.push(paragraphs.slice(0, count).join("\n\n"));
  }
  found.push(core.split("\n", 1)[0]);
  return [...new Set(found.filter((text) => space.trim(text)).map(withoutLineEnds))];
}

function withoutLineEnds(text) {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** The texts of a pattern's holes in a text that it matches in full, if need be apart from white space; else null. */
export function values(sequence, text, { space, squeezed }) {
  const exact = holds(regex(sequence), text);
  if (exact) return exact.values;
  const found = holds(regex(sequence, squeezed), squeezed(text));
  if (!found) return null;
  const at = [];
  for (let unit = 0; unit < text.length; unit++) if (!space.one.test(text[unit])) at.push(unit);
  return found.spans.map((span) => span && (span[1] > span[0] ? text.slice(at[span[0]], at[span[1] - 1] + 1) : ""));
}

/** The variants that the message, or its beginning, is in full. */
export function wholes(message, index) {
  const found = new Set(index.anchors.hits(message.squeezed).flatMap(({ numbers }) => numbers));
  const plausible = [...found].filter((number) => inOrder(index.variants[number].runs, message.squeezed));
  plausible.sort((a, b) => index.variants[b].most - index.variants[a].most);
  return plausible
    .slice(0, index.rules.search.PROVED)
    .map((number) => agree(message, number, index))
    .filter(Boolean);
}

/** How the message is a variant in full, if it is; else null. */
export function agree(message, number, index) {
  const variant = index.variants[number];
  const whole = message.core;
  const exact = framed(variant.core, whole) && holds(variant.pattern, whole);
  if (exact) return agreement(number, index, runsOn(variant, exact) ? "longer" : "whole", whole, exact);
  if (!message.squeezed && whole) return null;
  for (const extent of message.extents) {
    const isFirst = extent === whole;
    const found = !isFirst && framed(variant.core, extent) && holds(variant.pattern, extent);
    if (found) return agreement(number, index, "longer", extent, found);
    const text = isFirst ? message.squeezed : index.squeezed(extent);
    const isPlausible = inOrder(variant.runs, text) && framed(variant.core, text, index.squeezed);
    const squeezed = isPlausible && holds(variant.squeezedPattern, text);
    if (squeezed) return agreement(number, index, isFirst ? "respaced" : "longer", extent, squeezed);
  }
  return null;
}

/** Whether the last hole of a text without paragraphs has several: what follows may not be its value. */
function runsOn({ pattern }, found) {
  return !pattern.includes("\n\n") && pattern.endsWith("?)") && Boolean(found.values.at(-1)?.includes("\n\n"));
}

function agreement(number, { variants, squeezed }, how, text, found) {
  const { least, most } = variants[number];
  const held = found.values.reduce((sum, value) => sum + (value ? size(squeezed(value)) : 0), 0);
  const length = size(squeezed(text));
  const agreed = Math.max(least, Math.min(most, length - held));
  const kept = how !== "respaced" && found.text === text ? found.values : null;
  return { variant: number, how, fixed: agreed, share: 1, free: Math.max(0, length - agreed), text, values: kept };
}

function inOrder(runs, text) {
  let at = 0;
  for (const run of runs) {
    at = text.indexOf(run, at);
    if (at < 0) return false;
    at += run.length;
  }
  return true;
}

/** The variants that the message is a beginning of, or has most of the fixed text of. */
export function parts(message, index) {
  const { BROKEN } = index.rules.search;
  const { PIECE } = index.rules.index;
  const text = index.squeezed(withoutEllipsis(message.core));
  const length = size(text);
  const covered = coverage(text, index);
  const broken = [...new Set(breakingOff(text, index))].slice(0, BROKEN);
  const candidates = [...covered.keys()].sort((a, b) => covered.get(b) - covered.get(a) || a - b).slice(0, BROKEN);
  const out = [];
  for (const number of new Set([...broken, ...candidates])) {
    const least = Math.max(index.variants[number].least, 1);
    const part = (how, agreed, free) =>
      out.push({
        variant: number,
        how,
        fixed: agreed,
        share: Math.min(1, agreed / least),
        free,
        text: message.core,
        values: null,
      });
    const beginning = beginningOf(text, index.variants[number], index);
    if (beginning) part("cut", beginning, length - beginning);
    const agreed = covered.get(number) ?? 0;
    if (agreed >= PIECE) part("reworded", agreed, Math.max(1, length - agreed));
  }
  return out;
}

function withoutEllipsis(text) {
  let end = blanksBefore(text, text.length);
  const found = ELLIPSES.find((ellipsis) => text.endsWith(ellipsis, end));
  return found ? text.slice(0, blanksBefore(text, end - found.length)) : text;
}

function blanksBefore(text, end) {
  while (end > 0 && " \t\n".includes(text[end - 1])) end--;
  return end;
}

/** Fixed characters of each variant whose pieces stand in the text, each counted once and none out of order. */
function coverage(text, index) {
  const ends = new Map();
  const total = new Map();
  for (const { start, end, numbers } of index.pieces.hits(text)) {
    const length = size(text.slice(start, end));
    for (const number of numbers) {
      if (start < (ends.get(number) ?? 0)) continue;
      ends.set(number, end);
      total.set(number, (total.get(number) ?? 0) + length);
    }
  }
  return total;
}

/** The variants with a fixed run that begins with the end of the text, longest such end first. */
function* breakingOff(text, index) {
  const { PIECE } = index.rules.index;
  if (size(text) < PIECE) return;
  const last = back(text, text.length, PIECE);
  for (let at = back(text, text.length, index.rules.search.TAIL); at <= last; at = forward(text, at, 1)) {
    yield* index.startingWith(text.slice(at), text.slice(at, forward(text, at, PIECE)));
  }
}

/** Fixed characters of the longest beginning of the variant that the whole text is; 0 if it is none. */
function beginningOf(text, { core }, { squeezed }) {
  let [count, at] = [0, 0];
  for (const part of core) {
    if (typeof part === "string") {
      const run = squeezed(part);
      const found = text.indexOf(run, at);
      if (found < 0 || (count === 0 && found > 0)) break;
      at = found + run.length;
    }
    count++;
  }
  const heads = [core.slice(0, count)];
  const rest = core[count];
  if (typeof rest === "string") {
    const run = squeezed(rest);
    const broken = overlap(text, run);
    if (broken) heads.unshift([...heads[0], run.slice(0, broken)]);
  }
  while (count && typeof core[count - 1] !== "string") count--;
  heads.push(core.slice(0, count));
  const isWhole = (parts) => parts.length && framed(parts, text, squeezed) && holds(regex(parts, squeezed), text);
  const head = heads.find(isWhole);
  return head ? fixed(head, squeezed) : 0;
}

/** Length of the longest end of the text that the run begins with. */
function overlap(text, run) {
  let length = Math.min(text.length, run.length);
  while (length && !text.endsWith(run.slice(0, length))) length--;
  return length;
}
