// The search index of a site: texts, and the errors that say them. Made by pipeline/pages/search_index.py.

import MiniSearch from "../vendor/minisearch.js";
import { count, excerpt, marked, typed, written } from "./words.js";

const FORMAT = 1;
const SHOWN = 10; // texts
const MEMBERS = 3; // errors of one text
const SHORTEST = 2; // characters of a query
const LONGEST = 200;
const TITLE = 130; // characters
const BOOST = { ids: 20, classes: 3, said: 2, functions: 2, public: 2, paths: 1 };
const ID = /^[0-9a-f]{6,16}$/; // or the beginning of one

const asItIs = (value) => value;
const begun = (term, number, terms) => term.length > 3 || number === terms.length - 1; // the last one is still typed
const EXACT = { prefix: begun, combineWith: "AND" };
const NEARLY = { ...EXACT, fuzzy: (term) => (term.length > 4 ? 0.2 : false) };
const SOME = { prefix: false, combineWith: "OR", fields: ["said", "classes"] };
const BY_WORDS = Object.keys(BOOST).filter((field) => field !== "ids");

export class Index {
  constructor(table) {
    if (table.format !== FORMAT)
      throw new Error("The search index is of another version than this page: load the page again.");
    const classes = table.classes.map(([own, known]) => known || own);
    const places = { classes, paths: table.paths, functions: table.functions, public: table.public };
    this.root = table.root;
    const below = (name) => written(withoutRoot(name, this.root));
    const words = Object.fromEntries(Object.entries(places).map(([name, values]) => [name, values.map(below)]));
    this.texts = table.texts;
    this.names = places;
    this.engine = new MiniSearch({
      fields: Object.keys(BOOST),
      stringifyField: asItIs,
      tokenize: asItIs, // a document comes in words
      processTerm: asItIs,
      searchOptions: { boost: BOOST, tokenize: typed },
    });
    this.engine.addAll(this.texts.map((text, id) => document(text, id, words)));
  }

  /** {groups, found, isLoose}: the best texts, how many there are, and whether they only have some of the words. */
  find(query) {
    const words = this.words(query);
    if (!words.length) return { groups: [], found: 0, isLoose: false };
    const text = words.join(" ");
    const fields = words.some((word) => ID.test(word)) ? Object.keys(BOOST) : BY_WORDS;
    let found = this.engine.search(text, { ...EXACT, fields });
    const isNear = !found.length;
    if (isNear) found = this.engine.search(text, { ...NEARLY, fields });
    const telling = words.filter((word) => /^\p{L}{3}/u.test(word));
    const isLoose = !found.length && telling.length > 1;
    if (isLoose) found = this.engine.search(telling.join(" "), SOME);
    const shown = found.slice(0, SHOWN);
    const groups = shown.map(({ id, terms }) => this.group(this.texts[id], isNear ? [...words, ...terms] : words));
    return { groups, found: found.length, isLoose: isLoose && groups.length > 0 };
  }

  /** The words that a query is looked for by: those that tell something apart, if there are any. */
  words(query) {
    const text = query.trim().slice(0, LONGEST);
    if (text.length < SHORTEST) return [];
    const all = typed(text);
    const telling = all
      .map((word) => withoutRoot(word, this.root))
      .filter((word) => word.length > 1 && word !== this.root);
    return telling.length ? telling : all;
  }

  /** A text and the errors that say it, those first that have most of the terms, in marked pieces. */
  group({ said, slug, members }, terms) {
    const ranked = first(
      members.map((member) => this.member(member)),
      terms,
      (one) => Object.values(one).flat().join(" "),
    );
    const [{ errorClass }] = ranked;
    const isShared = ranked.every((member) => member.errorClass === errorClass);
    const title =
      excerpt(first(said, terms, asItIs)[0], terms, TITLE) || `${errorClass || "An error"} without a message`;
    const pieces = (text) => marked(text, terms);
    return {
      title: pieces(title),
      errorClass: pieces(isShared ? errorClass : ""),
      members: ranked.slice(0, MEMBERS).map((member) => ({
        id: member.id,
        errorClass: pieces(isShared ? "" : member.errorClass),
        place: pieces(member.place),
        function: pieces(member.function),
        public: pieces(first(member.public, terms, asItIs).find((name) => count(name, terms)) ?? ""),
      })),
      more: Math.max(0, ranked.length - MEMBERS),
      slug,
    };
  }

  member([id, kind, path, line, name, names]) {
    const place = `${this.names.paths[path]}:${line}`;
    const all = names.map((one) => this.names.public[one]);
    return { id, errorClass: this.names.classes[kind], place, function: this.names.functions[name], public: all };
  }
}

/** A dotted name or a path without the package that all of them begin with. */
function withoutRoot(name, root) {
  const isBelow = root && name.startsWith(root) && "./".includes(name[root.length] ?? " ");
  return isBelow ? name.slice(root.length + 1) : name;
}

/** What MiniSearch looks in: the words of all errors that say one text, a name's once. */
function document({ said, members }, id, words) {
  const of = (list, numbers) => [...new Set([...new Set(numbers)].flatMap((number) => list[number]))];
  return {
    id,
    said: said.flatMap(written),
    ids: members.map(([id]) => id),
    classes: of(
      words.classes,
      members.map(([, kind]) => kind),
    ),
    paths: of(
      words.paths,
      members.map(([, , path]) => path),
    ),
    functions: of(
      words.functions,
      members.map((member) => member[4]),
    ),
    public: of(
      words.public,
      members.flatMap((member) => member[5]),
    ),
  };
}

/** The items by how many of the terms they have, most first. */
function first(items, terms, textOf) {
  const counted = items.map((item) => [count(textOf(item), terms), item]);
  return counted.sort(([a], [b]) => b - a).map(([, item]) => item);
}
