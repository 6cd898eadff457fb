/** Word families (`serialize`, `serializer`, `serialization`) and the short forms that programmers use. */

/** An ending comes before its own endings. Those that the light stemmer removes (-s, -ing, -ed, a final e) are not listed. */
const endings = (
  "ization izer izabl ational ation ator ativ ition itor itiv ement ment abl ibl anc enc ant ent iti ical ic al iv ful ous " +
  "ist ism ness less ion or er ur iz at ly i"
).split(" ");
const MIN_ROOT_CHARS = 4;

/** The root and the root with each ending: among these are all words of its family. In the order of their bytes. */
export function listPossibleWords(root: string): string[] {
  return sortedEndings.map((ending) => root + ending);
}

const sortedEndings = ["", ...endings].sort();

/** The root that a family of words shares; a short word is its own root. */
export function findWordRoot(term: string): string {
  if (!/^[a-z]+$/.test(term)) return term;
  for (const ending of endings) {
    if (term.length - ending.length >= MIN_ROOT_CHARS && term.endsWith(ending)) return term.slice(0, -ending.length);
  }
  return term;
}

const pairs =
  "abbreviat:abbr address:addr administrator:admin allocat:alloc application:app argument:arg array:arr asynchronou:async " +
  "attribut:attr authentication:auth authorization:auth authenticat:auth authoriz:auth binari:bin boolean:bool buffer:buf " +
  "calculat:calc callback:cb channel:chan character:char column:col command:cmd communication:comm comparator:cmp compar:cmp " +
  "configuration:config configur:config configuration:conf configuration:cfg config:cfg connection:conn context:ctx control:ctrl " +
  "coordinat:coord count:cnt current:curr current:cur databas:db decrement:dec default:def definition:def delet:del " +
  "descriptor:desc description:desc destination:dest destination:dst development:dev dictionari:dict directori:dir " +
  "document:doc documentation:doc dynamic:dyn element:elem environment:env error:err evaluat:eval exception:exc " +
  "execut:exec expression:expr extension:ext function:func function:fn generat:gen handler:hdlr header:hdr identifier:id " +
  "identifier:ident imag:img implementation:impl implement:impl increment:inc index:idx information:info initializ:init " +
  "initialization:init instanc:inst integer:int interfac:iface internationalization:i18n iterator:iter languag:lang length:len " +
  "level:lvl library:lib librari:lib listener:lsnr manager:mgr maximum:max memori:mem messag:msg middlewar:mw minimum:min " +
  "miscellaneou:misc modul:mod multipli:mul mutabl:mut navigation:nav number:num object:obj operat:op operation:op operator:op " +
  "optional:opt option:opt organization:org original:orig packag:pkg parameter:param password:pwd password:passwd pointer:ptr " +
  "position:pos preferenc:pref previou:prev privat:priv process:proc procedur:proc production:prod properti:prop protocol:proto " +
  "public:pub queri:qry random:rand receiv:recv recursiv:rec referenc:ref regular:reg regex:re register:reg registri:reg " +
  "repositori:repo request:req resourc:res respons:resp respons:res result:res return:ret second:sec select:sel sequenc:seq " +
  "server:srv servic:svc session:sess signatur:sig sourc:src specification:spec stack:stk standard:std statement:stmt " +
  "statistic:stat string:str structur:struct subscription:sub synchroniz:sync synchronization:sync synchronou:sync " +
  "synchroniz:mutex system:sys tabl:tbl temporari:temp temporari:tmp transaction:tx transaction:txn transport:tpt user:usr " +
  "utiliti:util valu:val variabl:var vector:vec version:ver websocket:ws window:win";

const shortForms = new Map<string, string[]>();
for (const pair of pairs.split(" ")) {
  const [long = "", short = ""] = pair.split(":");
  shortForms.set(long, [...(shortForms.get(long) ?? []), short]);
  shortForms.set(short, [...(shortForms.get(short) ?? []), long]);
}

/** What a term is shortened to, or is short for. */
export function findShortForms(term: string): readonly string[] {
  return shortForms.get(term) ?? [];
}
