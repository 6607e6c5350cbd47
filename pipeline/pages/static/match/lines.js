// The lines of a paste: bounded, without colours, quoting and the prefixes of loggers.
// Ported from pipeline/match/lines.py.

import { back, forward, size } from "./text.js";

const SPECIAL = /[\\^$.*+?()[\]{}|/]/g;

export class Lines {
  constructor(rules, space) {
    this.rules = rules;
    this.space = space;
  }

  /** The text's lines, cleaned: no escape sequences, no NULs, no lone surrogates, one kind of line end. */
  of(text) {
    const { ESCAPES, BARE_COLOURS } = this.rules;
    text = this.window(text);
    if (text.includes("\x1b")) text = ESCAPES.replace(text, "");
    if (text.includes("[0m")) text = BARE_COLOURS.replace(text, "");
    text = text
      .replaceAll("\0", "")
      .replace(/\p{Cs}/gu, "\ufffd")
      .replaceAll("\u2028", "\n")
      .replaceAll("\xa0", " ");
    return text.split(/\r\n|\r|\n/);
  }

  /** The text, or the parts of an overlong one where an error can stand. */
  window(text) {
    const { LIMIT, HEAD, TAIL, AROUND, HEADER } = this.rules;
    if (text.length <= LIMIT || size(text) <= LIMIT) return text;
    let at = back(text, text.length, TAIL);
    const spans = [
      [0, forward(text, 0, HEAD)],
      [at, text.length],
    ];
    for (let room = Math.floor((LIMIT - HEAD - TAIL) / AROUND); room > 0 && at >= HEADER.length; room--) {
      const header = text.lastIndexOf(HEADER, at - HEADER.length);
      if (header < 0) break;
      at = back(text, header, 200);
      spans.push([at, forward(text, at, AROUND)]);
    }
    return merged(spans)
      .map(([start, end]) => text.slice(start, end))
      .join("\n");
  }

  /** One line without the prefixes that loggers, launchers and mail programs put before it. */
  bare(line) {
    line = this.space.trimStart(line);
    for (let count = 0; count < this.rules.MAX_PREFIXES; count++) {
      const found = this.rules.PREFIX.match(line);
      if (!found || !found[0]) break;
      line = this.space.trimStart(line.slice(found[0].length));
    }
    return line;
  }
}

function merged(spans) {
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const out = [spans[0]];
  for (const [start, end] of spans.slice(1)) {
    const open = out.at(-1);
    if (start > open[1]) out.push([start, end]);
    else open[1] = Math.max(open[1], end);
  }
  return out;
}

/** What stands before every line of a block, learnt from what stands before its header. */
export class Gutter {
  constructor(prefix, space) {
    this.prefix = prefix;
    this.space = space;
    this.strict = prefix.includes("|"); // whether a line without the prefix is not of the block
    const bare = space.trimEnd(prefix);
    this.pad = prefix.length - bare.length;
    const same = size(prefix) <= 300 ? bare.replace(SPECIAL, "\\$&").replace(/\p{Nd}+/gu, "\\p{Nd}+") : "";
    this.same = same ? new RegExp(same, "uy") : null;
  }

  /** The line without the prefix; null if it does not belong to the block. */
  strip(line) {
    const { prefix, space } = this;
    if (!prefix) return line;
    if (line.startsWith(prefix)) {
      this.strict ||= space.trim(prefix) !== "";
      return line.slice(prefix.length);
    }
    if (!this.same) return this.outdented(line, prefix.length);
    this.same.lastIndex = 0;
    const found = this.same.exec(line);
    if (!found) return this.strict ? null : line;
    this.strict = true;
    return this.outdented(line.slice(found[0].length), this.pad);
  }

  /** The line with as much of an indentation taken away as it has. */
  outdented(line, indentation) {
    return line.slice(Math.min(indentation, line.length - this.space.trimStart(line).length));
  }
}
