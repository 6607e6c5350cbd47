// What people paste, read: the error, its causes, and the frames it came through.
// Ported from pipeline/match/traceback.py.
//
// A frame is {path, line, function, source}, an error {errorClass, message, frames, link}; null is what is not known.

import { Gutter } from "./lines.js";
import { first, int, last, removeSuffix, size, strip } from "./text.js";

const FILE = 'File "';
const BARS = " |>";

export class Reader {
  constructor(rules, lines, space) {
    this.rules = rules;
    this.lines = lines;
    this.space = space;
  }

  /** The paste: {error, chain, release}. classes: names that are error classes although they do not look it. */
  read(text, classes) {
    const lines = this.lines.of(text);
    let errors = this.withoutCarriers(new Scan(this, lines, classes).run());
    if (!errors.length) errors = this.headless(lines, classes);
    const chain = errors.slice(0, -1).map((error) => ({ ...error, link: error.link ?? "before" }));
    const error = errors.length ? { ...errors.at(-1), link: null } : null;
    return { error, chain, release: this.namedRelease(text) };
  }

  namedRelease(text) {
    return this.rules.RELEASE.search(first(text, this.rules.NAMED))?.[1] ?? null;
  }

  /** Whether a line begins as the last line of a traceback does. */
  classLike(line, classes) {
    const found = this.rules.ANY_CLASS.match(line);
    return this.rules.CLASS_LIKE.match(line) !== null || (found !== null && classes.has(last(found[1], ".")));
  }

  /** Whether JAX's own remark about the stack begins here (perhaps under a rule of dashes). */
  isNote(lines, at) {
    let text = strip(lines[at], BARS);
    if (text.startsWith("------") && !strip(text, "-") && at + 1 < lines.length) text = strip(lines[at + 1], BARS);
    return this.rules.JAX_NOTES.some((note) => text.startsWith(note));
  }

  isLink(text) {
    return Object.hasOwn(this.rules.LINKS, text);
  }

  /** Whether the message of an error is over at this line. */
  ends(line, lines, at) {
    const { RULE, LOGGED, FRAME } = this.rules;
    const text = this.space.trim(line);
    if (this.isLink(text) || this.isNote(lines, at)) return true;
    return [RULE.match(text), LOGGED.match(line), FRAME.match(line)].some(Boolean);
  }

  /** What stands before each line of a block whose header stands after this prefix. */
  gutter(prefix) {
    prefix = removeSuffix(prefix, "Exception Group ");
    const bars = prefix.replaceAll("+", "|");
    if (!strip(bars, " |") && bars.includes("|")) prefix = bars;
    else if (/\p{L}/u.test(prefix) && this.lines.bare(prefix)) prefix = ""; // a sentence, not what every line has
    return new Gutter(prefix, this.space);
  }

  frame({ groups }) {
    const named = groups.function === undefined ? null : this.space.trim(groups.function);
    const line = groups.line === undefined ? null : int(groups.line);
    return { path: this.space.trim(groups.path), line, function: named, source: null };
  }

  /** The errors without those that JAX only chained in to show a stack; what they show goes to the next error. */
  withoutCarriers(errors) {
    const out = [];
    let lent = [];
    for (const error of errors) {
      const name = className(error);
      if (name !== null && this.rules.CARRIERS.has(name)) {
        lent = name === "UnfilteredStackTrace" ? error.frames : [];
      } else if (error.errorClass || error.message || error === errors.at(-1)) {
        out.push(lent.length ? { ...error, frames: lent } : error);
        lent = [];
      }
    }
    return out;
  }

  /** The error of a paste without a stack: its last line, or only its message. */
  headless(lines, classes) {
    const { ANY_CLASS, CLASS_LIKE, CLASS_INSIDE, MAX_MESSAGE } = this.rules;
    lines = this.dedented(this.unfenced(lines));
    let warned = null;
    for (const [number, line] of lines.entries()) {
      const text = this.lines.bare(line);
      const found = ANY_CLASS.match(text);
      const named = found && classes.has(last(found[1], ".")) ? found : CLASS_LIKE.match(text);
      if (!named || (warned && named[1].endsWith("Warning"))) continue;
      const error = this.bounded(named[1], text.slice(named[0].length), lines, number);
      if (!named[1].endsWith("Warning")) return [error];
      warned = error;
    }
    if (warned) return [warned];
    for (let number = lines.length - 1; number >= 0; number--) {
      const inside = CLASS_INSIDE.search(first(lines[number], 20_000));
      if (!inside) continue;
      return [this.bounded(inside[1], lines[number].slice(inside.index + inside[0].length), lines, number)];
    }
    const text = first(this.space.trim(lines.join("\n")), MAX_MESSAGE);
    const [opening] = text.split("\n", 1);
    const rest = text.slice(opening.length + 1);
    const message = (this.lines.bare(opening) || opening) + (rest ? `\n${rest}` : "");
    return message ? [{ errorClass: null, message, frames: [], link: null }] : [];
  }

  bounded(errorClass, opening, lines, number) {
    const message = [opening];
    let length = 0;
    for (let at = number + 1; at < lines.length; at++) {
      if (this.ends(lines[at], lines, at) || length > this.rules.MAX_MESSAGE) break;
      message.push(lines[at]);
      length += size(lines[at]);
    }
    const text = first(this.space.trimEnd(message.join("\n")), this.rules.MAX_MESSAGE);
    return { errorClass, message: text, frames: [], link: null };
  }

  /** What stands in the code block of a paste that has one, and no error before it. */
  unfenced(lines) {
    const { FENCE, CLASS_LIKE } = this.rules;
    const fences = [...lines.keys()].filter((number) => FENCE.match(lines[number]));
    if (!fences.length) return lines;
    const before = lines.slice(0, fences[0]);
    if (before.some((line) => CLASS_LIKE.match(this.lines.bare(line)))) return lines;
    if (fences.length % 2 && before.some((line) => this.space.trim(line))) return lines;
    return lines.slice(fences[0] + 1, fences.length > 1 ? fences.at(-1) : lines.length);
  }

  /** The lines without the quoting or indentation that all of them share. */
  dedented(lines) {
    let filled = [];
    for (let count = 0; count < this.rules.MAX_QUOTES; count++) {
      filled = lines.filter((line) => this.space.trim(line));
      if (!filled.length || !filled.every((line) => line.startsWith(">"))) break;
      lines = lines.map((line) => line.slice(1).replace(/^ /, ""));
    }
    const indentations = filled.map((line) => line.length - this.space.trimStart(line).length);
    const margin = indentations.reduce((least, one) => Math.min(least, one), Infinity);
    return margin > 0 && margin < Infinity ? lines.map((line) => line.slice(margin)) : lines;
  }
}

/** Last name of an error's class; null where the paste does not name it. */
export const className = ({ errorClass }) => (errorClass ? last(errorClass, ".") : null);

/** One walk over the lines of a paste, block by block. */
class Scan {
  constructor(reader, lines, classes) {
    Object.assign(this, { reader, lines, classes, rules: reader.rules, space: reader.space });
    this.at = 0;
    this.function = null;
    this.fenced = false;
    this.found = [];
  }

  run() {
    const { FRAME, PYTEST } = this.rules;
    const { HEADER } = this.reader.lines.rules;
    while (this.at < this.lines.length) {
      const line = this.lines[this.at];
      if (!line) {
        this.at++;
        continue;
      }
      const column = first(line, 600).indexOf(HEADER);
      const pad = PYTEST.match(line);
      if (column >= 0 && line.startsWith(":", column + HEADER.length)) {
        this.at++;
        this.python(this.reader.gutter(line.slice(0, column)));
      } else if (column > 0) {
        this.at++;
        this.notebook(this.space.words(line.slice(0, column)).at(-1) ?? "");
      } else if (FRAME.match(line) || (first(line, 200).includes(FILE) && FRAME.match(this.reader.lines.bare(line)))) {
        this.python(this.reader.gutter(removeSuffix(line.slice(0, line.indexOf(FILE)), "  ")));
      } else if (pad) {
        this.pytest(pad.groups.pad.length);
      } else {
        this.between(line);
        this.at++;
      }
    }
    return this.found;
  }

  hasHeader(line) {
    return first(line, 600).includes(this.reader.lines.rules.HEADER);
  }

  /** Note what ties the blocks around this line together: the error before it is a cause of the next. */
  between(line) {
    const { DEF, FENCE, GROUP_LINE, LINKS } = this.rules;
    this.function = DEF.match(line)?.[1] ?? this.function;
    if (FENCE.match(line)) this.fenced = !this.fenced;
    const text = strip(line, " |>+");
    const tie = this.reader.isLink(text) ? LINKS[text] : null;
    const link = GROUP_LINE.match(line) ? "group" : tie;
    if (link && this.found.length) this.found.at(-1).link ??= link;
  }

  add(errorClass, message, frames) {
    const { MAX_MESSAGE, MAX_FRAMES, MAX_ERRORS } = this.rules;
    const text = first(this.space.trimEnd(message.join("\n")), MAX_MESSAGE);
    this.found.push({ errorClass, message: text, frames: frames.slice(-MAX_FRAMES), link: null });
    if (this.found.length > MAX_ERRORS) this.found.shift();
  }

  /** Keep the stack of a traceback whose last line is missing; its error is unknown. */
  unfinished(frames) {
    if (frames.length) this.add(null, [], frames);
  }

  python(gutter) {
    const { FRAME, CARETS, FENCE } = this.rules;
    const frames = [];
    let flat = false; // the paste lost its indentation: code stands at the margin too
    let codeNext = false;
    for (; this.at < this.lines.length; this.at++) {
      const raw = this.lines[this.at];
      const line = gutter.strip(raw);
      if (line === null || this.hasHeader(raw)) break;
      const frame = FRAME.match(line);
      const text = this.space.trim(line);
      if (frame) {
        flat ||= !line.startsWith(" ");
        frames.push(this.reader.frame(frame));
        codeNext = true;
      } else if (!text || CARETS.match(line) || text.startsWith("[Previous line repeated")) {
        continue;
      } else if (/^[ \t]/.test(line) || (flat && (codeNext || !this.reader.classLike(line, this.classes)))) {
        if (codeNext && frames.length) frames.at(-1).source = first(text, 500);
        codeNext = false;
      } else if (this.reader.isLink(text) || FENCE.match(line)) {
        break;
      } else {
        return this.final(line, gutter, frames);
      }
    }
    return this.unfinished(frames);
  }

  /** Read `Class: message` and the lines that the message goes on for. */
  final(line, gutter, frames) {
    const { ANY_CLASS, GROUP_LINE, FENCE, PYTEST } = this.rules;
    const barred = gutter.prefix.includes("|");
    const found = ANY_CLASS.match(line);
    const message = [found ? line.slice(found[0].length) : line];
    for (this.at++; this.at < this.lines.length; this.at++) {
      const raw = this.lines[this.at];
      let more = gutter.strip(raw);
      // Python 3.11 and 3.12 print the further lines of a group's message without its bar.
      if (more === null && barred && !GROUP_LINE.match(raw) && !first(raw, 8).includes("|")) more = raw;
      if (more === null || this.hasHeader(raw) || this.reader.ends(more, this.lines, this.at)) break;
      if (this.fenced && FENCE.match(more)) break; // else the fence is part of the message
      if (!barred && (GROUP_LINE.match(raw) || PYTEST.match(raw))) break;
      message.push(more);
    }
    this.add(found ? found[1] : null, message, frames);
  }

  /** Read IPython's shape: the class stands in the header, code is numbered, the last line repeats the class. */
  notebook(name) {
    const { ANY_CLASS, ARROW, FRAME, CELL } = this.rules;
    const frames = [];
    const own = last(name, ".");
    for (; this.at < this.lines.length; this.at++) {
      const raw = this.lines[this.at];
      const line = frames.length ? raw : this.space.trimStart(raw);
      const found = ANY_CLASS.match(line);
      if (found && own && last(found[1], ".") === own) return this.final(line, new Gutter("", this.space), frames);
      if (this.hasHeader(line) || this.reader.isLink(this.space.trim(line))) break;
      const arrow = ARROW.match(line);
      if (arrow) {
        const open = frames.at(-1);
        if (!open || open.source !== null) continue;
        open.line ||= int(arrow.groups.line);
        open.source = first(this.space.trim(arrow.groups.source), 500);
      } else if (!this.space.one.test(line[0] ?? "")) {
        const frame = FRAME.match(line) ?? CELL.match(line);
        if (frame) frames.push(this.reader.frame(frame));
      }
    }
    return this.unfinished(frames);
  }

  /** Read the `E   ` lines of one failure, then the `file:line: Class` that follows. */
  pytest(pad) {
    const { ANY_CLASS, PYTEST_MORE, PYTEST_FRAME } = this.rules;
    const above = this.space.trimStart(this.lines[this.at - 1] ?? "");
    const source = above.startsWith(">") ? first(this.space.trim(above.slice(1)), 500) : null;
    let message = [];
    for (; this.at < this.lines.length; this.at++) {
      const found = PYTEST_MORE.match(this.lines[this.at]);
      if (!found) break;
      const rest = this.lines[this.at].slice(found[0].length);
      message.push(rest.slice(Math.min(pad - 1, rest.length - this.space.trimStart(rest).length)));
    }
    const opening = message[0];
    const named = this.reader.classLike(opening, this.classes) ? ANY_CLASS.match(opening) : null;
    const over = (more, number) =>
      number > 0 && (this.reader.isNote(message, number) || (named && more.startsWith("assert ")));
    const end = message.findIndex(over);
    if (end > 0) message = message.slice(0, end);
    const frames = [];
    for (const line of this.lines.slice(this.at, this.at + 3)) {
      const place = PYTEST_FRAME.match(line)?.groups;
      if (!place) continue;
      frames.push({ path: place.path, line: int(place.line), function: this.function, source });
      break;
    }
    message[0] = named ? opening.slice(named[0].length) : opening;
    this.add(named ? named[1] : null, message, frames);
  }
}
