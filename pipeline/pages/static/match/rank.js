// Which record it is: frame, then whole message, then the most fixed text; and when to keep silent.
// Ported from pipeline/match/rank.py.

import { holds } from "./engine.js";
import { agree, Message, parts, values, wholes } from "./search.js";
import { last, round, size } from "./text.js";
import { className } from "./traceback.js";

/** What Python and NumPy say with the most fixed text that the whole message is, or null. */
export function rival(text, squeezed, { rivals, rivalRuns, rules }) {
  if (size(text) > rules.rivals.LONGEST) return null;
  const found = new Set(rivalRuns.hits(squeezed).flatMap(({ numbers }) => numbers));
  const number = [...found].sort((a, b) => a - b).find((one) => holds(rivals[one].pattern, text));
  return number === undefined ? null : rivals[number];
}

/** The records that the error can be, best first; none where nothing is sure enough. */
export function rank(raised, index, { sameRelease, top }) {
  return new Ranking(raised, index, sameRelease).best(top);
}

class Ranking {
  constructor(raised, index, sameRelease) {
    this.raised = raised;
    this.index = index;
    this.rules = index.rules.rank;
    this.sameRelease = sameRelease;
    this.name = className(raised);
    this.message = new Message(raised.message, index);
  }

  best(top) {
    const { message, index } = this;
    const place = this.place();
    if (!place && this.raisedElsewhere()) return [];
    const other = rival(message.core, message.squeezed, index);
    const agreed = wholes(message, index).filter((one) => !other || one.fixed > other.fixed);
    const found = this.judged(agreed);
    if (place) found.push(...this.framed(place));
    if (!other && message.squeezed && !found.some(({ score }) => score >= this.rules.TELLING)) {
      found.push(...this.judged(parts(message, index)));
    }
    return this.matches(found, top);
  }

  /** The index's file in which the error was raised, with the frame; null where that is not known. */
  place() {
    const frame = this.raised.frames.at(-1);
    const path = frame && this.index.fileOf(frame.path);
    return path ? { path, frame } : null;
  }

  /** Whether the stack itself shows a raise statement of this error in a file that is not of the index. */
  raisedElsewhere() {
    const source = this.raised.frames.at(-1)?.source ?? "";
    return this.name !== null && source.startsWith("raise ") && source.includes(this.name);
  }

  judged(agreements) {
    const { CONFIDENCE, BUILT_IN, HOWS, SAME, OTHER } = this.rules;
    return agreements.map((agreement) => {
      const variant = this.index.variants[agreement.variant];
      const entry = this.index.entries[variant.entry];
      const kinship = this.kinship(entry);
      let doubt = 1 - this.strength(agreement);
      if (kinship === SAME && !BUILT_IN.has(this.name)) doubt /= 2; // a class of the repository's own: half the proof
      let score = (1 - doubt) * HOWS[agreement.how] * kinship;
      if ((agreement.how === "cut" || agreement.how === "reworded") && agreement.free !== 0) {
        score *= Math.sqrt(agreement.share);
      } else if (agreement.how !== "longer" && this.said(agreement, variant) && kinship > OTHER) {
        score = Math.max(score, CONFIDENCE);
      }
      return { agreement, entry, how: agreement.how, score, near: this.near(entry) };
    });
  }

  /** Whether a whole message says enough to be answered, though a chance agreement cannot be ruled out. */
  said({ free, fixed }, { length }) {
    return length >= this.index.rules.index.SAID && free <= this.rules.SPREAD + 2 * fixed;
  }

  /** How unlikely it is that the text agrees by chance. */
  strength({ free, fixed }) {
    const { HALF, SPREADS } = this.rules;
    if (free === 0) return 1 - 2 ** ((-2 * fixed) / HALF);
    const spread = Math.min(SPREADS, 1 + Math.log2(1 + free / Math.max(fixed, 1)));
    return Math.max(0, 1 - spread * 2 ** (-fixed / HALF));
  }

  kinship(entry) {
    const { RENAMED, SAME, BASE, UNKNOWN, OTHER } = this.rules;
    const name = Object.hasOwn(RENAMED, this.name ?? "") ? RENAMED[this.name] : this.name;
    if (!name) return UNKNOWN;
    if (entry.kind.names.includes(name)) return SAME;
    if (!entry.kind.names.length) return UNKNOWN;
    return entry.kind.bases.includes(name) ? BASE : OTHER;
  }

  /** How near the stack comes to the record: 2 one of its frames is its function, 1 its file, 0 neither. */
  near(entry) {
    let near = 0;
    for (const frame of this.raised.frames.slice(-12)) {
      if (this.index.fileOf(frame.path) === entry.path) near = Math.max(near, sameFunction(frame, entry) ? 2 : 1);
    }
    return near;
  }

  /** The records of the function that raised which this error can be. */
  framed({ path, frame }) {
    const { CONFIDENCE, FRAMED, OTHER } = this.rules;
    const found = [];
    for (const entry of this.index.at.get(path)) {
      const kinship = this.kinship(entry);
      const inside = sameFunction(frame, entry);
      const line = frame.line ?? 0;
      const onLine = entry.line <= line && line <= entry.endLine;
      const here = (onLine && (inside || this.sameRelease)) || (inside && this.sameStatement(frame, entry));
      if (kinship <= OTHER || !(inside || here)) continue;
      const text = this.bestText(entry);
      if (text) {
        const sure = here || (text.fixed > 0 && this.strength(text) >= CONFIDENCE);
        const score = sure ? FRAMED + 0.05 * this.strength(text) + 0.04 * Number(here) : 0.6 * kinship;
        found.push({ agreement: text, entry, how: "frame", score, near: 3 });
      } else if (here) {
        const nothing = {
          variant: -1,
          how: "line",
          fixed: 0,
          share: 0,
          free: 0,
          text: this.message.core,
          values: null,
        };
        found.push({ agreement: nothing, entry, how: "line", score: FRAMED, near: 3 });
      }
    }
    return found;
  }

  /** Whether the code printed with the frame is the beginning of the record's statement. */
  sameStatement(frame, entry) {
    const code = this.index.squeezed(frame.source ?? "");
    return size(code) > "raiseError".length && entry.raiseLine.startsWith(code);
  }

  /** The variant of a record that says most of the message; null where none agrees. */
  bestText(entry) {
    let best = null;
    for (const number of entry.variants) {
      const found = agree(this.message, number, this.index);
      if (found && (!best || found.fixed > best.fixed)) best = found;
    }
    return best;
  }

  matches(found, top) {
    const { CONFIDENCE, CLOSE } = this.rules;
    const best = new Map();
    for (const one of found) {
      if (one.score >= CONFIDENCE && one.score > (best.get(one.entry)?.score ?? 0)) best.set(one.entry, one);
    }
    const ordered = [...best.values()].sort((a, b) => inOrder(this.key(a), this.key(b)));
    const out = [];
    const told = new Set();
    for (const one of ordered) {
      if (told.has(one.entry) || out.length >= top || one.score < ordered[0].score - CLOSE) continue;
      const same = alike(one, ordered);
      told.add(one.entry);
      for (const entry of same) told.add(entry);
      out.push(this.match(one, same));
    }
    return out;
  }

  /** What the best is first by: of equals the most fixed text, the nearest to the stack, the fewest other texts. */
  key(one) {
    const tier = one.score < this.rules.TELLING ? 2 : this.rules.TIERS[one.how];
    const { entry, agreement, near, score } = one;
    return [tier, -round(score, 6), -agreement.fixed, -near, entry.variants.length, entry.number];
  }

  match(one, same) {
    const { entry, agreement } = one;
    const variant = this.index.variants[agreement.variant >= 0 ? agreement.variant : entry.variants[0]];
    return {
      entry,
      how: one.how,
      score: round(Math.min(one.score, 1), 3),
      message: variant?.message ?? "",
      holes: this.holes(entry, variant, agreement),
      ambiguousWith: same,
    };
  }

  /** What the message has in the record's placeholders; all null where only a part of the text agrees. */
  holes(entry, variant, agreement) {
    let texts = null;
    if (agreement.values && variant.pattern === entry.pattern) {
      texts = agreement.values;
    } else if (["whole", "respaced", "longer"].includes(agreement.how) && entry.pattern !== undefined) {
      const { text, core } = this.message;
      texts =
        values(entry.whole, text, this.index) ??
        values(entry.core, core, this.index) ??
        values(entry.core, agreement.text, this.index);
    }
    return entry.placeholders.map((expression, number) => ({ expression, text: texts?.[number] ?? null }));
  }
}

function sameFunction(frame, entry) {
  return last(frame.function || "<module>", ".") === entry.function;
}

function inOrder(a, b) {
  const at = a.findIndex((value, number) => value !== b[number]);
  return at < 0 ? 0 : a[at] - b[at];
}

/** The other records that say the same as much as this one (in its class, where the paste names one). */
function alike(one, ordered) {
  if (one.agreement.variant < 0) return [];
  const likeness = ({ how, score, near, agreement }) =>
    [how, round(score, 6), near, agreement.fixed, agreement.free].join();
  return ordered.filter((other) => other !== one && likeness(other) === likeness(one)).map(({ entry }) => entry);
}

/** The values of a record's holes in a message, as spans of it: what `errcat match` marks. */
export function marks(entry, text) {
  const spans = entry.pattern === undefined ? [] : (holds(entry.pattern, text)?.spans ?? []);
  let end = 0;
  return spans.filter((span) => {
    if (!span || span[0] < end) return false;
    end = span[1];
    return true;
  });
}
