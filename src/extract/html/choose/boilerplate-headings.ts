/** Headings of sections that are not about the page: related stories, newsletters, the author, comments. */
import { wordsOf } from "../tree/letters.ts";
import { headingTags } from "../tree/tags.ts";
import { collectText, type Element } from "../tree/tree.ts";
import { htmlWeights } from "../weights.ts";

const { maxPhraseChars, maxHeadingChars } = htmlWeights.boilerplate;

const phrases = [
  "related( (articles?|posts?|stories|content|topics|reading|products?|items|links|news|searches|categories|resources|questions|videos|services))?",
  "(you )?(may|might|also|will)( also)? (like|love|enjoy|be interested)( in)?( this| these)?",
  "(people|customers|shoppers|others|users) (who .*|also (bought|viewed|like|liked|asked|read|searched for))",
  "more ((from|in|on|by) .*|stories|articles|posts|news|like this|to (read|explore)|reading)",
  "(read|up|what to read|watch) next",
  "(keep|continue|further) (reading|exploring)",
  "(more )?(from )?(around|across|elsewhere on) the web|from our partners|promoted (stories|content|links)|paid content",
  "recommended( (for you|reading|articles|stories|posts|products|videos|content))?",
  "(latest|recent|popular|trending|top|featured|most (read|popular|viewed)|other|similar|suggested|new) (news|posts?|articles?|stories|topics|products?|items|videos|blogs?|blog posts|insights|content|searches|listings)",
  "(popular|trending|most (popular|read|viewed|watched|shared|discussed|commented)|recommended|suggested)( now)?",
  "who( i)?s online( now)?|(users|members) (online|browsing .*)",
  "(recently viewed|frequently bought)( together| items| products)?|sponsored( content| links| posts)?|advertisement|similar (products|items)",
  "share|share (this|on|via)( .*)?|follow us( on .*)?|connect with us|stay (connected|updated|in touch|informed)|join (the|our) (conversation|discussion|newsletter|community)",
  "(subscribe|sign up)( (to|for) (our|the) .*)?|newsletter|get (the|our) (latest|newsletter).*|never miss .*",
  "(leave|post|write|add) (a|your) (reply|comment|review)",
  "cancel reply",
  "(about|meet) the authors?",
  "(written|reviewed) by",
  "about author",
  "comments?( \\d+)?",
  "\\d+ (comments?|responses|replies|thoughts)( (on|to) .*)?",
  "(cookie|privacy) (settings|preferences|policy|notice)",
  "(site|quick|useful|footer) (links|map|navigation)",
  "(categories|tags|archives|meta|blogroll|recent comments|recent posts|table of contents|in this article|on this page|contents)",
];
/** The same in other languages: "read also", "on this subject", "related", "most read". */
const otherPhrases = [
  "(à )?lire aussi|voir aussi|à lire également|sur le même (sujet|thème)|articles (liés|similaires|associés|recommandés)|les plus lus|dans la même rubrique|vous aimerez aussi",
  "lesen sie auch|auch interessant|mehr zum thema|zum thema|ähnliche (artikel|beiträge)|verwandte (artikel|themen|beiträge)|weitere (artikel|beiträge|meldungen)|das könnte (sie|dich) (auch )?interessieren|meistgelesen",
  "(te|le) puede interesar|también te puede interesar|lee también|leer también|lea también|(artículos|noticias|entradas|contenidos?) relacionad[oa]s?|más (noticias|leídas|leídos)|lo más (leído|visto)",
  "leia (também|mais)|veja também|(notícias|artigos|matérias|posts) relacionad[oa]s|mais lidas|relacionad[oa]s",
  "leggi anche|articoli correlati|potrebbe interessarti( anche)?|ti potrebbe interessare|i più letti|notizie correlate",
  "lees ook|gerelateerd(e artikelen)?|meest gelezen|meer nieuws",
  "(czytaj|zobacz|przeczytaj) (także|też|również)|podobne (artykuły|wpisy)|powiązane( artykuły)?|najczęściej czytane",
  "čtěte (také|dále)|mohlo by vás zajímat|související( články)?|nejčtenější|další zprávy",
  "читайте также|похожие (статьи|записи|новости)|по теме|новости по теме|материалы по теме|самое читаемое|популярное",
  "関連(記事|リンク|ニュース|コンテンツ)|おすすめ(記事|の記事)?|人気記事|あわせて読みたい|(アクセス)?ランキング|最新記事",
  "(相关|相關|推荐|推薦|热门|熱門|最新|精选|精選)(文章|阅读|閱讀|新闻|新聞|内容|內容|推荐|推薦)|延伸(阅读|閱讀)|猜你喜欢",
  "관련 ?(기사|글|뉴스)|추천 ?(기사|글|뉴스)|인기 ?(기사|글|뉴스)|많이 본 (기사|뉴스)",
];
/** Headings of a shop rather than of its product. */
const shopPhrases = [
  "faqs?|((frequently asked|customer|common|top) )?questions( (and|n) answers)?",
  "(shipping|delivery|returns?|refunds?|warranty|payments?|financing|pickup)( (and|n) (shipping|delivery|returns|refunds|payments?|warranty))?( (information|info|policy|policies|options|details))?",
];
/** Headings of the controls beside a list of results. */
const controlsHeading =
  /^(?:(?:sort|filter|refine|narrow)(?: (?:and|by|sort|filter|results|products|items|your|search|down|options))*|(?:all |product )?filters|shop by (?:price|brand|category|size|colou?r|type))$/;
const shopEndingHeading = new RegExp(`^(?:${shopPhrases.join("|")})$`);
const reviewsHeading =
  /^(?:(?:(?:customer|user|guest|product|verified|ratings and) )?reviews|ratings|what (?:our )?(?:customers|people|users) (?:say|are saying))$/;
const endingHeading = new RegExp(`^(?:${[...phrases, ...otherPhrases].join("|")})$`);

/** Tags of elements that look like a heading if their text is all there is in them. */
const labelTags = new Set(["p", "div", "strong", "b", "span"]);

/** A section that follows the content, what customers say, or the controls of a list of results. */
export type BoilerplateKind = "ending" | "reviews" | "controls";

/** The kind of section that a heading, or a line that looks like one, opens; undefined if it is about the page. */
export function classifyHeading(element: Element, isShop: boolean): BoilerplateKind | undefined {
  if (!headingTags.has(element.tag) && !isLabel(element)) return undefined;
  const text = collectText(element, maxHeadingChars);
  if (text.length >= maxHeadingChars) return undefined;
  const words = wordsOf(text);
  if (words === "" || words.length >= maxPhraseChars) return undefined;
  if (endingHeading.test(words) || (isShop && shopEndingHeading.test(words))) return "ending";
  if (reviewsHeading.test(words)) return "reviews";
  return controlsHeading.test(words) ? "controls" : undefined;
}

/** An element with one child: a short text, or an element that is not a heading. */
function isLabel({ tag, children }: Element): boolean {
  if (children.length !== 1 || !labelTags.has(tag)) return false;
  const child = children[0] ?? "";
  return typeof child === "string" ? child.length < maxHeadingChars : !headingTags.has(child.tag);
}
