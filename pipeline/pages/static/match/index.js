// The match index of a site, ready to be searched. Ported from pipeline/match/index.py.

import { anchors, regex, runs } from "./dialect.js";
import { Lines } from "./lines.js";
import { first, last, Pattern, size, Space } from "./text.js";
import { Reader } from "./traceback.js";
import { Words } from "./words.js";

const FORMAT = 1;

/** What matching needs to know of a record. kind: its class: {name, public, names, bases}. variants: numbers. */
class Entry {
  variants = [];

  constructor(columns, number, kinds) {
    this.number = number;
    this.id = columns.id[number];
    this.kind = kinds[columns.kind[number]];
    this.path = columns.path[number];
    this.line = columns.line[number];
    this.endLine = this.line + columns.lines[number];
    this.function = columns.function[number];
    this.placeholders = columns.placeholders[number];
    this.raiseLine = columns.raiseLine[number];
    this.trees = columns.pattern[number];
  }

  /** Its pattern, in parts, or its first variant's, which then is both. Undefined where it is not of the dialect. */
  complete(own) {
    [this.whole, this.core] = this.trees ?? [own, own];
  }

  get pattern() {
    return this.whole && (this.expression ??= regex(this.whole));
  }
}

/** One text of a record. core: its parts. runs: its fixed runs, squeezed. length, least, most: as in the index. */
class Variant {
  constructor(columns, number, squeezed) {
    this.entry = columns.entry[number];
    this.message = columns.message[number];
    this.core = columns.core[number];
    this.length = columns.length[number];
    this.least = columns.least[number];
    this.most = columns.most[number];
    this.runs = runs(this.core, squeezed);
    this.squeezed = squeezed;
  }

  get pattern() {
    return (this.expression ??= regex(this.core));
  }

  get squeezedPattern() {
    return (this.squeezedExpression ??= regex(this.core, this.squeezed));
  }
}

export class Index {
  anchors = new Words();
  pieces = new Words();
  rivalRuns = new Words();
  starts = new Map();
  at = new Map();
  files = new Map();

  /** table: what pipeline/pages/match_index.py wrote. Throws where that is of another format. */
  constructor(table) {
    if (table.format !== FORMAT)
      throw new Error("The index is of another version than this page: load the page again.");
    this.repo = table.repo;
    this.revision = table.revision;
    this.rules = revived(table.rules);
    this.space = new Space(this.rules.text.SPACE);
    this.squeezed = (text) => this.space.squeezed(text);
    this.reader = new Reader(this.rules.traceback, new Lines(this.rules.lines, this.space), this.space);
    const kinds = table.kinds.map(kind);
    this.classes = new Set(kinds.flatMap(({ names }) => names));
    this.entries = table.entries.id.map((_, number) => new Entry(table.entries, number, kinds));
    this.variants = table.variants.entry.map((_, number) => new Variant(table.variants, number, this.squeezed));
    this.variants.forEach((variant, number) => this.found(variant, number));
    for (const entry of this.entries) this.placed(entry);
    for (const paths of this.files.values()) paths.sort((a, b) => size(b) - size(a));
    const { speaker, pattern, fixed, run } = table.rivals;
    this.rivals = pattern.map((parts, number) => ({
      speaker: speaker[number],
      pattern: regex(parts),
      fixed: fixed[number],
    }));
    run.forEach((word, number) => this.rivalRuns.add(word, number));
  }

  /** Notes what a variant is found by. */
  found(variant, number) {
    const { SAID, SHORTEST_ANCHOR, PIECE } = this.rules.index;
    this.entries[variant.entry].variants.push(number);
    for (const word of anchors(variant.core, this.squeezed)) {
      if (size(word) >= SHORTEST_ANCHOR || variant.length >= SAID) this.anchors.add(word, number);
    }
    for (const run of variant.runs) {
      if (size(run) < PIECE) continue;
      for (const piece of cut(run, PIECE)) this.pieces.add(piece, number);
      listed(this.starts, first(run, PIECE), { run, number });
    }
  }

  /** Notes where an entry is. */
  placed(entry) {
    entry.complete(this.variants[entry.variants[0]]?.core);
    if (!this.at.has(entry.path)) listed(this.files, last(entry.path, "/"), entry.path);
    listed(this.at, entry.path, entry);
  }

  /** Numbers of the variants with a fixed run that begins with this text. beginning: its first PIECE characters. */
  startingWith(text, beginning) {
    const found = (this.starts.get(beginning) ?? []).filter(({ run }) => run.startsWith(text));
    return found.sort((a, b) => inOrder(a.run, b.run) || a.number - b.number).map(({ number }) => number);
  }

  /** The index's file that a path of somebody's machine is, if one: the longest that the path ends with. */
  fileOf(path) {
    path = path.replaceAll("\\", "/");
    return this.files.get(last(path, "/"))?.find((file) => {
      const short = file.replace(/^src\//, "").replace(/^lib\//, "");
      return path === file || path.endsWith(`/${short}`) || (path === short && short.includes("/"));
    });
  }
}

/** The rules with their regular expressions and sets made. */
function revived(value) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(revived);
  if ("regex" in value) return new Pattern(value.regex);
  if ("set" in value) return new Set(value.set);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revived(item)]));
}

function kind([name, named, bases]) {
  return { name, public: named, names: [name, named && last(named, ".")].filter(Boolean), bases };
}

function listed(groups, key, item) {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}

/** A fixed run in pieces of so many to twice as many characters less one. */
function cut(run, length) {
  const pieces = [];
  for (let left = size(run); left >= length; left -= length) {
    const piece = left < 2 * length ? run : first(run, length);
    pieces.push(piece);
    run = run.slice(piece.length);
  }
  return pieces;
}

/** The order of code points, which is Python's. */
function inOrder(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (/[\udc00-\udfff]/.test(a[at] ?? "")) at--; // the halves before them are equal: compare the wholes
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
