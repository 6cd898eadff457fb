/**
 * Translates an error sentence into concepts: `Input length 160 exceeds the maximum allowed length 59` becomes
 * `input length exceed max max length`. Wordings are then matched by subject, relation and object, not by phrase.
 */

import { applyRepairs, MAX_MESSAGE_CHARS, type Repair, removeUrls, separateNumbers } from "./message-text.ts";

type Lexeme = readonly [concept: string, words: RegExp];

/** Tried in this order at each place of the sentence: longer and more specific ones first. */
const lexicon: readonly Lexeme[] = [
  // Things that are counted or set, but are not the size of a request.
  [
    "setting",
    /\bvocab\w*|\b(?:maximum )?(?:nesting|depth)\b|\blevels? of\b|\bbatch size(?=\W{0,3}\d)|\b(?:query|optional) parameters?\b|\bschemas?\b|\bembeddings\b/,
  ],
  [
    "setting",
    /\b(?:num ctx|max.?(?:model|seq(?:uence)?).?len(?:gth)?)(?=\W{0,3}\d+\W{0,2}(?:exceeds|is (?:larger|greater|more|too)))/,
  ],
  ["setting", /\b(?:n(?:um)? ctx|context (?:length|window|size))(?= (?:must|should) be (?:between|an? |one of))/],
  ["absent", /\bdo(?:es)?(?: not|n't) (?:exist|include)\b|\bnot found\b|\bunknown model\b/],
  [
    "tool",
    /\b(?:prompt|message|conversation|request|session|thread|chat) (?:ids?|names?|keys?|labels?|identifiers?)\b/,
  ],
  ["value", /\binput should be\b/],
  // Rates and money.
  ["rate", /\benqueued\b|\bpending (?:batch )?tokens\b/],
  ["rate", /\b(?:account|organi[sz]ation|team|workspace|plan)(?:'s)? tokens? (?:limit|budget|allowance)/],
  ["login", /\b(?:api|access|auth\w*|security|bearer|refresh|id)[ -]tokens?\b|\bjwt\b/],
  [
    "rate",
    /\b(?:per|\/) ?(?:min(?:ute)?|hour|day|second|month|week)\b|\b[tr]p[mds]\b|\brate.?limit\w*|\bthrottl\w+|\bquotas?\b|\b(?:daily|monthly|weekly|hourly)\b|\bthis (?:month|week|day|hour|minute)\b|\bper.(?:model|key|user|project|account|organi[sz]ation|tenant) (?:tokens? )?(?:limit|quota|cap)\b|\ballowance\b/,
  ],
  [
    "rate",
    /too many (?:concurrent )?requests|\bconcurren\w+|\busage limit|\bslow down\b|使用上限|限流|频率|配额|并发|请求(?:过|太)多|너무 많은 요청/,
  ],
  [
    "later",
    /(?:please )?(?:wait|retry(?:ing)?|try again)(?: [\w/]+){0,3} (?:later|shortly|in \d+ ?m?s\w*|in a (?:moment|minute|few)|trying again)/,
  ],
  [
    "money",
    /\bcredits?\b|\bpaid plans?\b|\bbilling\b|\bpayment\b|\bbalance\b|\binsufficient (?:funds|quota)|\bsubscription\b|余额|欠费/,
  ],
  [
    "allowance",
    /\b(?:free|paid|pricing|billing|usage) tiers?\b|\btier \d|\bpurchase\b|\bupgrade to continue\b|\b(?:upgrade|exceeds?) your (?:current )?(?:plan|account|tier)\b/,
  ],
  [
    "time",
    /\bexecution time\b|\btime.?outs?\b|\btimed out\b|\bdeadline\b|\btime limit\b|\b\d+ ?(?:ms|seconds?|minutes?)\b|超时/,
  ],
  ["overload", /\boverload\w*|\bunavailable\b|\bat capacity\b|\bbusy\b/],
  // Lower limits say nothing about a size.
  [
    "atleast",
    /\b(?:must|should|has to|needs to) be (?:at least|greater|larger|more|higher|longer|positive|above|>=?)(?: than(?: or equal to)?)?|\btoo (?:short|small|low|few)\b/,
  ],
  [
    "atmost",
    /\b(?:must|should|has to|needs to) be (?:<=?|less|lower|smaller|shorter|fewer|at most|no more|no longer|under|below|within|between|in (?:the )?range)(?: than(?: or equal to)?)?/,
  ],
  [
    "atmost",
    /\b(?:should|must|can) (?:have|contain|be) (?:an? )?(?:(?:maximum )?(?:length|size)(?: of)? )?(?:at most|no more than|up to|fewer than|less than)(?: or equal to)?|\b(?:valid |supported )?range (?:of|is)\b|范围/,
  ],
  // Output.
  [
    "output",
    /['"`]?\bmax.?(?:completion|output|new|gen(?:erated)?|response).?tokens?\b['"`]?|\bmax_tokens\b['"`]?|\bmaxtokens\b/,
  ],
  [
    "output",
    /\bmax(?:imum)? tokens (?:you |that you )?(?:requested|value|parameter)|\bmax(?:imum)? (?:number of )?(?:output|completion|generated|response) tokens?/,
  ],
  [
    "output",
    /\b(?:output|completion|generated|response|reasoning|thinking) (?:tokens?|length|size|budget)|(?<!\b(?:before|chat) )\bcompletion\b(?! (?:failure|failed|error|request|endpoint|call))|\boutput\b|\bgeneration\b|最大输出/,
  ],
  // The window.
  [
    "window",
    /\bmodel(?:'s)? max(?:imum)? (?:length|size)\b|\bsession (?:max(?:imum)? )?len(?:gth)?\b|\bphysical batch size\b/,
  ],
  [
    "window",
    /\b(?:max(?:imum)? |total |allowed |available |supported )*context[ -]?(?:length|window|size|limit|budget|capacity|len)s?\b|\bn ctx\b|\bcontext\b(?! ?=)|\bctx\b/,
  ],
  [
    "window",
    /\b(?:input|prompt|total|model|sequence)?.?tokens? (?:limit|budget|capacity|window|maximum|max)\b|\bmax(?:imum)? (?:allowed )?(?:number of )?(?:allowed )?tokens?\b|\bsequence length\b/,
  ],
  [
    "window",
    /上下文(?:长度|窗口|大小)?(?:限制)?|最大(?:上下文|输入|长度|token)\w*|コンテキスト(?:長|ウィンドウ|サイズ)?|컨텍스트|\bcont(?:ext[eo]|esto)\b|\bkontext\w*|контекст\S*/,
  ],
  // Attachments.
  [
    "attach",
    /\bimages?\b|\bpdfs?\b|\bdocuments?\b|\bfiles?\b|\battachments?\b|\baudios?\b|\bvideos?\b|\bpictures?\b|\bphotos?\b|\bpages\b|\bpixels?\b|\d+ ?px\b|\bdimensions\b|\bdimension limit\b|\bmedia\b|\binline.?data\b|\bdata.ur[il]s?\b|图片|图像|文件|附件|\barquivos?\b|изображени\S*/,
  ],
  // Request bodies and strings.
  [
    "body",
    /\b(?:request |http |json |message )?(?:payload|body|entity)\b(?: (?:size|length))?|\b(?:total )?(?:messages?|requests?|prompt|input|content) (?:total )?(?:size|bytes)\b|\bcontent.length\b|\b(?:received|sent|incoming|outgoing) message\b|\bmessage(?= (?:is )?too (?:big|large)\b)|\bsize of (?:the |your |this )?(?:request|payload|message|body|prompt)\b|请求体/,
  ],
  ["string", /\bmaxlength\b|\bstrings?\b(?: (?:value|length))*|(?:\b|(?<=\d))(?:characters?|chars?)\b|字符/],
  [
    "list",
    /\b(?:too many|number of) (?!tokens|requests|characters|chars|bytes|words|images|documents|files|pages|pixels|pdfs|audios|videos|attachments)[a-z]+s\b/,
  ],
  ["list", /\barrays?\b|\bitems?\b|\belements?\b|\bentries\b|\bcount of\b|\bstop sequences?\b/],
  // Input.
  [
    "input",
    /\binput text\b|\bprompts?\b|\binputs?\b|\bmessages?\b|\bconversations?\b|\bhistory\b|\bquery\b|\bqueries\b|\bquestions?\b|\btexts?\b|\binstructions?\b|\bchat\b|\bthread\b|\btranscript\b|\bcontents?\b|\bn keep\b|输入|提示词?|消息|对话|内容|入力|입력|\bentradas?\b|\bentrées?\b/,
  ],
  ["request", /\brequest(?:s|ed|ing)?\b|请求|запрос\S*/],
  // Relations.
  ["uncut", /\b(?:cannot|can't|can not|unable to|failed to) (?:truncate|fit)\b/],
  [
    "toobig",
    /\b(?:is |are |was |were )?(?:far |way |much )?too (?:long|large|big|many|much|great|high|lengthy)\b|\boversized?\b|\bdo(?:es)?(?: not|n't) fit\b|\bis full\b|\btrop (?:de|long|grand|volumineu)\w*|过长|太长|过大|太大|过多|太多|超长/,
  ],
  [
    "exceed",
    /\bexceed\w*|\boverflow\w*|\bsurpass\w*|\bbeyond\b|\bout of range\b|\bmore(?= (?:\w+ )?tokens? than\b)|\bran out of\b|\bover(?= (?:the|its|your|our|limit|by))|\babove\b|\bnot enough\b|\b(?:greater|larger|longer|more|bigger|higher|wider) than\b|>=?|≥|超过|超出|超え|초과|\bexced\w+|\bsupera\w*|dépass\w+|überschr[ei]\w+|превы[шс]\S+/,
  ],
  ["atmost", /<=?|≤/],
  ["reach", /\breached\b|\bhit\b/],
  ["header", /\bheaders?\b|\bcookies?\b|\buris?\b/],
  ["unsupported", /\bunsupported\b|\bnot (?:yet )?supported\b/],
  [
    "max",
    /\bmax(?:imum)?\b|\blimit(?:s|ed|ation|ations)?\b|\ballow(?:ed|s|able)?\b|\bat most\b|\bup to\b|\bonly\b|\bsupport(?:s|ed)?\b|\baccepts?\b|\bceiling\b|\bthreshold\b|\bcap\b|\bpermitted\b|\bm[áa]xim\w+|\bl[íi]mites?\b|\bmassim\w+|最大|最多|上限|限制|최대|максим\S+/,
  ],
  [
    "reduce",
    /\breduc\w+|\bshorten\w*|\bshorter\b|\bdecreas\w+|\btrim\w*|\btruncat\w+|\bcompact\w*|\bcompress\w*|\bsmaller\b|\bsplit\b|缩短|减少/,
  ],
  ["bytes", /(?:\b|(?<=\d))bytes?\b|\b[kmg]i?b\b|\bmegabytes?\b|\bsize\b|字节/],
  ["tokens", /(?:\b|(?<=\d))tokens?(?![a-z])|トークン|토큰|токен\S*/],
  ["length", /\blength\b|\blong\b|长度|길이|\blongueur\b|\blongitud\b/],
];

const anyLexeme = new RegExp(lexicon.map(([, pattern], index) => `(?<c${index}>${pattern.source})`).join("|"), "gi");

const MAX_SENTENCE_CHARS = 1_000;
const MAX_CONCEPTS = 40;
const MAX_SENTENCES = 40;

/** `Possible causes: the input exceeds the window, or a parameter is invalid`: a list of guesses is not a diagnosis. */
const guess = /\b(?:possible|likely|common|typical) (?:causes?|reasons?)\b/i;

/** The concepts of one sentence in order, separated by spaces. Words without a concept are dropped. */
export function toConcepts(sentence: string): string {
  if (guess.test(sentence)) return "";
  const concepts: string[] = [];
  for (const { groups = {} } of sentence.slice(0, MAX_SENTENCE_CHARS).matchAll(anyLexeme)) {
    if (concepts.length === MAX_CONCEPTS) break;
    const lexeme = lexicon.find((_, index) => groups[`c${index}`] !== undefined);
    if (lexeme !== undefined) concepts.push(lexeme[0]);
  }
  return concepts.join(" ");
}

const repairs: readonly Repair[] = [
  removeUrls,
  // File paths.
  [/(?<=^|[\s("'])\/[\w./-]+/g, " "],
  [/[’‘]/g, "'"],
  separateNumbers,
  // HTML tags.
  [/<[/!]?[a-z\d][^>\n]{0,200}>/gi, " "],
  // `CamelCase` and `snake_case` codes become words, except the names of output settings.
  [/([a-z])(?<!\bmax)(?=[A-Z][a-z])|(?<=\bmax)(?=[A-Z])(?!Length|Tokens)/g, "$1 "],
  [/(?<!\bmax)_|(?<=\bmax)_(?!tokens\b)/g, " "],
];

const sentenceEnd =
  /[.!?](?=\s|$)|[;\n。！；]|(?<=error|exception|\binvalid(?: \w{1,20}){1,2}):|(?<=error|exception)\.(?=\w)/i;

/** A text as sentences, without addresses and paths and with codes split into words. */
export function splitSentences(text: string): string[] {
  return applyRepairs(text.slice(0, MAX_MESSAGE_CHARS), repairs)
    .split(sentenceEnd)
    .map((sentence) => sentence.trim())
    .filter(Boolean)
    .slice(0, MAX_SENTENCES);
}
