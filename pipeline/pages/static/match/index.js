// The match index of a site, ready to be searched. Ported from pipeline/match/index.py.

import { anchors, regex, runs } from "./dialect.js";
import { Lines } from "./lines.js";
import { last, Pattern, size, Space } from "./text.js";
import { Reader } from "./traceback.js";
import { Words } from "./words.js";

const FORMAT = 1;

export class Index {
  /** table: what pipeline/pages/match_index.py wrote. Throws where that is of another format. */
  constructor(table) {
    if (table.format !== FORMAT) throw new Error("the index is of another version than this page: load the page again");
    this.repo = table.repo;
    this.revision = table.revision;
    this.rules = revived(table.rules);
    this.space = new Space(this.rules.text.SPACE);
    this.squeezed = (text) => this.space.squeezed(text);
    this.reader = new Reader(this.rules.traceback, new Lines(this.rules.lines, this.space), this.space);
    this.entries = rows(table.entries).map((entry) => this.entry(entry));
    this.variants = rows(table.variants).map((variant) => this.variant(variant));
    this.rivals = rows(table.rivals).map((rival) => ({ ...rival, pattern: regex(rival.pattern) }));
    this.classes = new Set(this.entries.flatMap((entry) => [...entry.names]));
    this.join();
  }

  entry({ errorClass, public: named, bases, pattern, ...rest }) {
    const names = new Set([errorClass, named && last(named, ".")].filter(Boolean));
    return { ...rest, errorClass, public: named, names, bases: new Set(bases), pattern, variants: [] };
  }

  variant({ core, ...rest }) {
    return { ...rest, core, pattern: regex(core), runs: runs(core, this.squeezed) };
  }

  /** Ties the parts together, and makes what they are found by. */
  join() {
    const { SAID, SHORTEST_ANCHOR, PIECE } = this.rules.index;
    this.entries.forEach((entry, number) => (entry.number = number));
    this.variants.forEach((variant, number) => this.entries[variant.entry].variants.push(number));
    for (const entry of this.entries) {
      const own = this.variants[entry.variants[0]]?.core;
      [entry.whole, entry.core] = entry.pattern ?? [own, own]; // neither where the pattern is not of the dialect
      entry.pattern = entry.whole && regex(entry.whole);
    }
    const telling = (word, { length }) => size(word) >= SHORTEST_ANCHOR || length >= SAID;
    const numbered = [...this.variants.entries()];
    this.anchors = new Words(
      numbered.flatMap(([number, variant]) =>
        anchors(variant.core, this.squeezed)
          .filter((word) => telling(word, variant))
          .map((word) => [word, number]),
      ),
    );
    const long = numbered.flatMap(([number, { runs }]) =>
      runs.filter((run) => size(run) >= PIECE).map((run) => [run, number]),
    );
    this.pieces = new Words(long.flatMap(([run, number]) => cut(run, PIECE).map((piece) => [piece, number])));
    this.starts = beginnings(long, PIECE);
    this.rivalRuns = new Words(this.rivals.map(({ run }, number) => [run, number]));
    this.at = grouped(this.entries, (entry) => entry.path);
    this.files = grouped([...this.at.keys()], (path) => last(path, "/"));
    for (const paths of this.files.values()) paths.sort((a, b) => size(b) - size(a));
  }

  /** The index's file that a path of somebody's machine is, if one: the longest that the path ends with. */
  fileOf(path) {
    path = path.replaceAll("\\", "/");
    const known = this.files.get(last(path, "/")) ?? [];
    return known.find((file) => {
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

function rows(columns) {
  const names = Object.keys(columns);
  return columns[names[0]].map((_, number) => Object.fromEntries(names.map((name) => [name, columns[name][number]])));
}

function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (groups.has(key)) groups.get(key).push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** A fixed run in pieces of so many to twice as many characters less one. */
function cut(run, length) {
  const characters = Array.from(run);
  const count = Math.floor(characters.length / length);
  return Array.from({ length: count }, (_, number) => {
    const end = number === count - 1 ? characters.length : (number + 1) * length;
    return characters.slice(number * length, end).join("");
  });
}

/** The runs with their variants' numbers, sorted, by what they begin with: for a text that breaks off in one. */
function beginnings(long, length) {
  const pairs = [...new Map(long.map((pair) => [pair.join("\0"), pair])).values()];
  pairs.sort(([a, m], [b, n]) => inOrder(a, b) || m - n);
  return grouped(pairs, ([run]) => Array.from(run.slice(0, 2 * length)).slice(0, length).join(""));
}

/** The order of code points, which is Python's. */
function inOrder(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  if (/[\udc00-\udfff]/.test(a[at] ?? "")) at--; // the halves before them are equal: compare the wholes
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
