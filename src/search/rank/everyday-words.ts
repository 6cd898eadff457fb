/** Everyday words, and what code calls the same things: "picture" is `image`, "answer" is `response`. */
import { stem } from "../../retrieval/terms.ts";
import { findTerm, type IndexView } from "../index/index-view.ts";
import { cosineToTerm, findKeptShare, findQuestionVector } from "../learnt/learnt-table.ts";
import { countLive } from "./postings.ts";
import { rankWeights } from "./weights.ts";

/** A word of code for a word of the question. */
export type CodeWord = {
  /** The word of the question, by its number. */
  readonly word: number;
  readonly text: string;
  /** What it counts for, compared with a word of the question itself. */
  readonly weight: number;
};

/** Of the many words that an everyday word can mean, those nearest to the whole question count. */
const MAX_CODE_WORDS = 8;

/** The words found for a question in a view: the ranking and the choice of lines ask for the same ones. */
const cachedWords = new WeakMap<readonly string[], { readonly view: IndexView; readonly words: readonly CodeWord[] }>();

/** What code may call the everyday words of a question. Words that this code has itself are not translated. */
export function findCodeWords(view: IndexView, terms: readonly string[]): readonly CodeWord[] {
  const cached = cachedWords.get(terms);
  if (cached?.view === view) return cached.words;
  const words = translate(view, terms);
  cachedWords.set(terms, { view, words });
  return words;
}

function translate(view: IndexView, terms: readonly string[]): CodeWord[] {
  const vector = findQuestionVector(terms);
  return terms.flatMap((term, word) => {
    const known = [...(codeWords().get(term) ?? [])];
    if (known.length === 0) return [];
    const weight = (rankWeights.codeWord * measureEveryday(view, term)) / Math.sqrt(known.length);
    if (weight === 0) return [];
    const nearest = known
      .map((text) => ({ text, cosine: vector === null ? 0 : cosineToTerm(vector, text) }))
      .sort((one, other) => other.cosine - one.cosine);
    return nearest.slice(0, MAX_CODE_WORDS).map(({ text }) => ({ word, text, weight }));
  });
}

/** Whether code rarely has this word of its questions, from 0 to 1: this code by its own words, or code in general. */
function measureEveryday(view: IndexView, term: string): number {
  const { none, full, maxChunks } = rankWeights.everyday;
  if (countLive(findTerm(view, term)).chunks <= maxChunks) return 1;
  return Math.min(1, Math.max(0, (none - findKeptShare(term)) / (none - full)));
}

let byEverydayWord: Map<string, Set<string>> | undefined;

/** Code words by everyday word, as terms. */
function codeWords(): ReadonlyMap<string, ReadonlySet<string>> {
  byEverydayWord ??= readGroups();
  return byEverydayWord;
}

function readGroups(): Map<string, Set<string>> {
  const words = new Map<string, Set<string>>();
  for (const group of groups.split(";")) {
    const [codeSide = [], everydaySide = []] = group.split(":").map((side) => side.trim().split(/\s+/).map(stem));
    for (const everyday of everydaySide) {
      const known = words.get(everyday) ?? new Set();
      words.set(everyday, known);
      for (const code of codeSide) if (code !== everyday) known.add(code);
    }
  }
  return words;
}

/**
 * Words of code, a colon, and what people say who do not know the code. Changes, time, choices, networks, safety,
 * faults, storage, text, screens: words of programs in general, not those of one project.
 */
const groups = `
  create construct new: make produce establish; generate: make produce create; builder: make assemble construct;
  add append insert: put attach include; prepend: front beginning;
  delete remove: erase discard throw rid eliminate drop; destroy dispose: remove end release;
  purge prune evict: throw discard remove clean old unused; clean cleanup: tidy remove unused leftover empty;
  clear reset: empty blank beginning; drain: empty finish; update modify edit: change alter newer;
  patch: fix repair change; mutate: change; replace substitute: swap exchange instead; override: replace instead own;
  rewrite: change replace; rename: name call; move: shift relocate; migrate migration: move convert newer upgrade;
  copy clone duplicate: same double twice identical; replica replicate replication mirror: copy duplicate;
  merge join combine concat: together unite single one; split partition: divide separate break part piece;
  convert transform map: turn change translate into; normalize canonical: same uniform tidy; rotate rotation: turn spin;
  resize scale: bigger larger smaller size; crop trim: cut shorten remove; truncate: cut shorten long;
  wrap wrapper: around enclose; collapse fold: hide close; expand: open bigger;
  compress compression gzip deflate zip: shrink smaller squeeze reduce; minify: shrink smaller shorter;
  undo revert rollback history: back previous earlier past step; redo: again forward;
  restore recover: back bring rescue;

  retry attempt: again another try repeat; repeat loop: again; replay playback: again record recorded;
  refresh reload: again fresh newer; restart: again start; rerun: again;
  init initialize setup bootstrap: start begin prepare; start launch spawn: begin open run; resume: continue;
  stop abort cancel terminate kill: end quit interrupt halt; exit quit: end leave close;
  shutdown: stop end close down off; pause suspend: hold wait stop; sleep delay defer: wait later slow;
  debounce: wait often; timeout deadline: long late slow wait give; timer interval ticker: regular regularly every time;
  schedule scheduler cron: regular regularly plan later time every; poll polling: ask check regularly;
  expire expiry expiration ttl: old outdated age valid longer; stale: old outdated; retention: keep old long;
  date calendar: day month year; timestamp clock: time moment now; duration elapsed: long time; timezone: country;
  sort order: arrange first; rank score scoring: first best better important relevant; priority: important urgent first;
  before after hook callback lifecycle: step event moment; queue: wait line pending;
  batch bulk: together many several once; previous: last earlier before; latest: newest last recent;
  deprecated legacy obsolete: old outdated; async await promise future: later background wait;
  concurrent parallel: simultaneous same together; lock mutex: exclusive alone simultaneous;
  thread worker pool: parallel simultaneous helper background; daemon: background; lazy: later needed demand;

  search find lookup query: look question seek; filter: pick choose hide only certain;
  select selector selection picker: choose pick chosen; match matcher: fit same suitable;
  regex pattern glob wildcard: text similar; fuzzy approx approximate: similar almost nearly close;
  detect detection: notice recognise find discover guess; infer guess: automatic; discover discovery: find;
  exclude ignore skip omit: leave out except without; include: inside contain;
  allow whitelist allowlist: permit let accept only; deny block blacklist blocklist ban: refuse forbid reject stop;
  reject: refuse turn away decline; default fallback: otherwise instead usual missing;
  compare comparison equal: same difference different; diff: difference change;
  suggest suggestion completion autocomplete: propose typing complete hint;
  recursive traverse walk visitor: tree each through inside; iterate iterator: each every one; index: list fast find;
  tag label: name mark; alias: name another short; id identifier uuid: number unique own;

  client: visitor caller user customer; server host node: machine computer; backend upstream: machine server computer;
  request: call ask visit demand; response: answer reply result;
  endpoint route router url uri: address link path page location; http: web internet browser;
  html dom: page web document; redirect: forward move elsewhere another; proxy gateway: between middle behind;
  connection connect socket: line link contact; disconnect: lost leave gone end; reconnect: again lost;
  handshake: greeting; stream streaming: flow piece large continuous; buffer: hold memory collect; chunk: piece part;
  payload body: content; upload: send put; download fetch: get load retrieve;
  send dispatch emit publish: deliver tell give; receive: get arrive incoming;
  subscribe subscription listener observer: hear listen follow interested; broadcast: everybody everyone all;
  notify notification: tell inform message; balance balancer: distribute spread several share next;
  cluster: group machines several together; peer: other partner; leader election: chief boss head main vote;
  health heartbeat ping probe keepalive: alive working still sick dead; circuit breaker: failure give often;
  limit limiter quota: much many most maximum restrict often; throttle: slow often fast much; rate: often fast frequent;
  cookie session: visit visitor remember; header: top information; port: door; domain dns hostname: site website name;
  cors origin: another site; email mail smtp: letter post message; cdn: near; status code: state result;
  websocket: live browser; webhook: tell call; robot crawler bot spider: automatic machine;

  auth authenticate authentication login signin: password identity sign who prove name;
  authorize authorization permission acl: allow right may permit; credential token secret: password key private;
  user account: person people somebody member; role: right group;
  encrypt encryption cipher crypto: secret scramble unreadable protect private; decrypt: readable read;
  hash digest checksum fingerprint: intact unchanged same identical damaged;
  certificate cert tls ssl x509: identity secure safe trust https; sign signature: prove genuine forged;
  verify validate validation validator check: correct valid wrong genuine sure; revoke: withdraw invalid cancel;
  sanitize escape: safe dangerous harmful harmless; sandbox isolate: safe separate protect;
  redact mask anonymize: hide secret private personal sensitive; audit: record who; captcha: human;
  vulnerability security: hole safe danger attack unsafe; corrupt: damaged broken; guard: protect prevent;

  error exception failure fail: wrong mistake problem break broken broke trouble; panic crash: die break fall survive;
  warn warning: caution danger hint; alert: warn tell notify; invalid: wrong bad incorrect;
  missing: absent lost without; log logger logging: record write journal message note; trace tracing: follow path;
  debug debugger: mistake inspect look;
  metric metrics stat statistic counter telemetry: number measure count many figure;
  monitor watch watcher observe: notice look change follow;
  profile profiler benchmark performance: slow fast speed long time; progress: far percentage done finished;
  report: result summary; test assert assertion expect: check try expected; mock stub fake: pretend imitate instead;
  fixture: prepare; coverage: tested; snapshot: moment state picture; diagnostic doctor: problem wrong;
  lint linter inspect: style check mistake problem;

  cache memoize: remember reuse again faster already;
  store storage repository persist persistence save: keep remember disk survive; database db sql: data table storage;
  transaction: together whole; disk filesystem volume: drive space room; memory ram heap: space;
  directory dir: folder place; path: place where location; temp temporary tmp: scratch short; backup: copy safe rescue;
  archive: pack old bundle; config configuration setting option preference: choose chosen adjust wish behaviour;
  env environment: variable; flag toggle switch feature: on off enable; enable: on activate; disable: off deactivate;
  install installer: set get; package module library dependency: foreign needed require extension;
  plugin extension addon: own extend extra additional; version semver: newer older release; upgrade: newer;
  lockfile: exact; import export: bring save elsewhere share; bundle: together pack one; asset resource: picture file;
  publish release deploy: public out; sync synchronize: same both equal; checkpoint: safe point;
  journal wal: safe crash; tombstone: deleted;

  parse parser parsing: read understand interpret analyse text; lexer tokenize tokenizer: word split;
  syntax grammar: rule language; serialize serializer encode encoder encoding marshal: write text format save;
  deserialize decode decoder unmarshal: read understand text; format formatter: look pretty style write;
  print output: write show terminal; template: pattern fill page; render renderer: draw show display make;
  string text: words letter; character unicode charset: letter sign;
  locale i18n translation language: country foreign tongue; markdown: text article;
  schema struct type: structure shape kind; field property attribute: part value; argument parameter: value given;
  variable: value name; array list slice: several many; tree graph: branch connected; table: row column;
  json yaml toml xml: file setting; number numeric integer float decimal: digit; random: chance dice;
  math calculate calculator compute eval expression: sum formula; unit: measure metre;
  null nil none optional empty: nothing missing absent; unique distinct dedupe duplicate: once double twice same;
  range: between from; compile compiler transpile: build translate turn; eval execute exec run: command start;
  macro: shortcut; inline embed: inside directly; comment doc documentation: explain describe help;
  help usage: explain show; example sample: show;

  image: picture photo graphic; icon favicon avatar: picture symbol small; thumbnail preview: small picture look;
  screenshot: picture screen; color colour palette theme: dark light paint look;
  style css stylesheet: look appearance design; font: letter typeface; highlight highlighter: colour coloured mark;
  layout align alignment grid: arrange position place line edge side; layer zindex: front behind above below;
  border padding margin: edge space frame; dialog modal popup toast tooltip: window message hint box;
  menu navigation toolbar sidebar: choose list side; tab window frame: page screen;
  button click mouse pointer cursor: press hand; keyboard keymap shortcut hotkey: key press; drag drop: move pull;
  scroll: down move; touch gesture: finger; input form field textarea: type enter fill;
  terminal console cli shell tty prompt: command line type; clipboard: copy paste; focus: active;
  draw drawing canvas paint shape stroke: line picture pen; animate animation transition: move smooth moving;
  zoom: closer bigger larger; chart plot: diagram graph curve; video audio media player: film sound music play;
  progress spinner: wait far; hidden visible visibility: show see invisible hide; paginate pagination cursor: page next;
  title heading: name top; excerpt summary: beginning short teaser; link anchor: address jump
`;
