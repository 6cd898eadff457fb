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
    /\bvocab\w*|\b(?:maximum )?(?:nesting|depth)\b|\blevels? of\b|\bbatch size(?=\W{0,3}\d)|\b(?:query|optional) parameters?\b|\bschemas?\b|\bembeddings\b|\bresult sets?\b|\brows\b/,
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
  // The server's memory: it failed to start, or ran out for reasons other than this request.
  [
    "memory",
    /\b(?:cuda |gpu |mps )?out of memory\b|\b(?:gpu|cuda|system|device|video|host|kv cache|unified) memory\b|\bvram\b|\boom\b|\b(?:stored|fit) in (?:the )?(?:gpu )?kv cache\b/,
  ],
  ["value", /\binput should be\b/],
  // Rates and money.
  ["rate", /\benqueued\b|\bpending (?:batch )?tokens\b|\bbatch(?:es)? tokens\b/],
  ["rate", /\b(?:account|organi[sz]ation|team|workspace|plan)(?:'s)? tokens? (?:limit|budget|allowance)/],
  ["login", /\b(?:api|access|auth\w*|security|bearer|refresh|id)[ -]tokens?\b|\bjwt\b/],
  [
    "rate",
    /(?:tokens?|requests?|images?|queries) (?:per|\/|in a|every) (?:\w+ )?(?:min(?:ute)?|hour|day|second|month|week)\b/,
  ],
  [
    "rate",
    /\b(?:per|\/) ?(?:min(?:ute)?|hour|day|second|month|week)\b|\b[tr]p[mds]\b|\brate.?limit\w*|\bthrottl\w+|\bquotas?\b|\b(?:daily|monthly|weekly|hourly)\b|\bthis (?:month|week|day|hour|minute)\b|\bper.(?:model|key|user|project|account|organi[sz]ation|tenant) (?:tokens? )?(?:limit|quota|cap)\b|\ballowance\b/,
  ],
  [
    "rate",
    /too many (?:concurrent )?requests|\bconcurren\w+|\busage limit|\bslow down\b|使用上限|限流|频率|频繁|配额|并发|请求(?:过|太)多|リクエストが多すぎ|너무 많은 요청|\bzu viele anfragen\b|\btrop de requêtes\b|\bdemasiadas (?:solicitudes|peticiones)\b|слишком много запросов/,
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
  ["atmost", /\b(?:use|send|provide|include|submit|pass) (?:fewer|less|no more|at most|up to)(?: than)?/],
  [
    "atmost",
    /\b(?:cannot|can not|can't|must not|may not|should not) (?:exceed|be (?:greater|larger|longer|more|higher) than|surpass)/,
  ],
  // Output.
  [
    "output",
    /['"`]?\bmax.?(?:completion|output|new|gen(?:erated)?|response).?tokens?\b['"`]?|\bmax_tokens\b['"`]?|\bmaxtokens\b|\bnum predict\b/,
  ],
  [
    "output",
    /\bmax(?:imum)? tokens (?:you |that you )?(?:requested|value|parameter)|\bmax(?:imum)? (?:number of )?(?:output|completion|generated|response) tokens?/,
  ],
  [
    "output",
    /\b(?:output|completion|generated|response|reasoning|thinking) (?:tokens?|length|size|budget)|(?<!\b(?:before|chat) )\bcompletion\b(?! (?:failure|failed|error|request|endpoint|call))|\boutput\b|\bgeneration\b|最大输出|输出长度/,
  ],
  // A code that names the length as the error.
  [
    "overlength",
    /(?<!\bexceeds? )\b(?:input|prompt|context|sequence) (?:length|limit|size|tokens?) (?:error|violation)\b|\bprompt limit$|\blong (?:prompt|input|context) error\b/,
  ],
  // The window.
  [
    "window",
    /\bmodel(?:'s)? max(?:imum)? (?:length|size)\b|\bsession (?:max(?:imum)? )?len(?:gth)?\b|\bphysical batch size\b|\bn u?batch\b/,
  ],
  [
    "window",
    /\b(?:max(?:imum)? |total |allowed |available |supported )*context[ -]?(?:length|window|size|limit|budget|capacity|len)s?\b|\bn ctx\b|\bnum ctx\b|\bcontext\b(?! ?=)|\bctx\b/,
  ],
  [
    "window",
    /\bmax.?(?:model|seq|sequence|position|input|prompt|total|context).?(?:len(?:gth)?|embeddings|tokens?|size)s?\b|\bmaximum (?:allowed |supported )?(?:sequence|input|prompt|total) (?:token )?(?:length|tokens?|size|count)/,
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
    /\bimages?\b|\bpdfs?\b|\bdocuments?\b|\bfiles?\b|\battachments?\b|\baudios?\b|\bvideos?\b|\bpictures?\b|\bphotos?\b|\bpages\b|\bpixels?\b|\d+ ?px\b|\bdimensions\b|\bimage dimension\b|\bdimension limit\b|\bmedia\b|\brecordings?\b|\bvision(?=[- ](?:requests?|tokens?|inputs?|prompts?))|\binline.?data\b|\bdata.ur[il]s?\b|图片|图像|文件|附件|画像|ファイル|이미지|파일|\bbild(?:er)?\b|\bdatei(?:en)?\b|\bfichiers?\b|\barchivos?\b|\bimágenes\b|\barquivos?\b|\bfotos?\b|áudio|изображени\S*|файл\S*/,
  ],
  // Request bodies and strings.
  [
    "body",
    /\b(?:request |http |json |message )?(?:payload|body|entity)\b(?: (?:size|length))?|\b(?:total )?(?:messages?|requests?|prompt|input|content) (?:total )?(?:size|bytes)\b|\bcontent.length\b|\b(?:received|sent|incoming|outgoing) message\b|\bbytes to buffer\b|\bmessage(?= (?:is )?too (?:big|large)\b)|\bsize of (?:the |your |this )?(?:request|payload|message|body|prompt)\b|请求体/,
  ],
  [
    "string",
    /\bmaxlength\b|\bcaracteres\b|\bcaractères\b|\bstrings?\b(?: (?:value|length))*|(?:\b|(?<=\d))(?:characters?|chars?)\b|字符/,
  ],
  [
    "list",
    /\b(?:too many|number of) (?!tokens|requests|characters|chars|bytes|words|images|documents|files|pages|pixels|pdfs|audios|videos|attachments)[a-z]+s\b/,
  ],
  ["list", /\barrays?\b|\bitems?\b|\belements?\b|\bentries\b|\bcount of\b|\bstop sequences?\b/],
  [
    "tool",
    /\btools?\b|\bfunctions\b|\bmetadata\b|\bname\b|\bdescription\b|\btemperature\b|\btop [pk]\b|\bbudget tokens\b/,
  ],
  // Input.
  [
    "input",
    /\binput text\b|\bprompts?\b|\binputs?\b|\bmessages?\b|\bconversations?\b|\bhistory\b|\bquery\b|\bqueries\b|\bquestions?\b|\btexts?\b|\binstructions?\b|\bchat\b|\bthread\b|\btranscript\b|\bcontents?\b|\bn keep\b|输入|提示词?|消息|对话|内容|\bconte(?:údo|nido|nu)\b|入力|プロンプト|メッセージ|会話|입력|프롬프트|메시지|대화|\beingaben?\b|\bnachrichten?\b|\bentradas?\b|\bmensajes?\b|\bentrées?\b|\binvite\b|\bввод\S*|сообщени\S+/,
  ],
  [
    "request",
    /\brequest(?:s|ed|ing)?\b|请求|リクエスト|요청|\banfragen?\b|\brequêtes?\b|\bsolicitud(?:es)?\b|\bpetici[óo]n\b|\brichiest[ae]\b|\brequisiç(?:ão|ões)\b|\bsolicitaç(?:ão|ões)\b|запрос\S*/,
  ],
  // Relations.
  ["uncut", /\b(?:cannot|can't|can not|unable to|failed to) (?:truncate|fit)\b/],
  [
    "toobig",
    /\b(?:is |are |was |were )?(?:far |way |much )?too (?:long|large|big|many|much|great|high|lengthy)\b|\boversized?\b|\bdo(?:es)?(?: not|n't) fit\b|\bis full\b|\btrop (?:de|long|grand|volumineu)\w*|\bdemasiad\w+(?: (?:larg|grand)\w*)?|\btroppo (?:lung|grand)\w*|\b(?:muito|demasiado) (?:long|grand)\w*|\bzu (?:lang|groß|viele?)\b|слишком (?:длин|больш|много)\S*|过长|太长|过大|太大|过多|太多|超长|長すぎ|大きすぎ|多すぎ|너무 (?:깁|길|긴|많|크|큽)\S*/,
  ],
  [
    "exceed",
    /\bexceed\w*|\boverflow\w*|\bsurpass\w*|\boverrun\b|\bbeyond\b|\bout of range\b|\bmore(?= (?:\w+ )?tokens? than\b)|\bran out of\b|\bover(?= (?:the|its|your|our|limit|by))|\babove\b|\bnot enough\b|\b(?:greater|larger|longer|more|bigger|higher|wider) than\b|>=?|≥|超过|超出|超限|超長|超え|超過|上回|초과|\bexced\w+|\bsupera\w*|\bsobrepas\w+|dépass\w+|excèd\w+|überschr[ei]\w+|übersteig\w+|превы[шс]\S+/,
  ],
  ["atmost", /<=?|≤/],
  ["reach", /\breached\b|\bhit\b/],
  ["header", /\bheaders?\b|\bcookies?\b|\buris?\b/],
  ["unsupported", /\bunsupported\b|\bnot (?:yet )?supported\b|不支持/],
  [
    "max",
    /\bmax(?:imum)?\b|\blimit(?:s|ed|ation|ations)?\b|\ballow(?:ed|s|able)?\b|\bat most\b|\bup to\b|\bonly\b|\bsupport(?:s|ed)?\b|\baccepts?\b|\bceiling\b|\bthreshold\b|\bcap\b|\bpermitted\b|\bm[áa]xim\w+|\bl[íi]mites?\b|\bmaximal\w*|\bmassim\w+|\bhöchst\w+|最大|最多|上限|限制|制限|최대|제한|максим\S+|лимит\S*|предел\S*/,
  ],
  [
    "reduce",
    /\breduc\w+|\bshorten\w*|\bshorter\b|\bdecreas\w+|\btrim\w*|\btruncat\w+|\bcompact\w*|\bcompress\w*|\bsmaller\b|\bsplit\b|\bkürzen\b|\braccourci\w+|\brédui\w+|\breduzca\b|\bacort\w+|缩短|减少|精简|短く|減ら|줄[이여]/,
  ],
  ["bytes", /(?:\b|(?<=\d))bytes?\b|\b[kmg]i?b\b|\bmegabytes?\b|\bsize\b|字节/],
  ["tokens", /(?:\b|(?<=\d))tokens?(?![a-z])|\bjetons?\b|トークン|토큰|令牌|токен\S*/],
  ["length", /\blength\b|\blong\b|\blen\b|长度|길이|長さ|\blänge\b|\blongueur\b|\blongitud\b/],
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

/** `org.example.upload.UploadBase$SizeException`: of an exception's name only the last word says what happened. */
const packages = /(?<![\w.])(?:\w{1,60}\.){1,12}(?:\w{1,60}\$){0,4}(?=[A-Z]\w{1,80}(?:Exception|Error)\b)/g;

const repairs: readonly Repair[] = [
  removeUrls,
  // File paths.
  [/(?<=^|[\s("'])\/[\w./-]+/g, " "],
  [packages, ""],
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
