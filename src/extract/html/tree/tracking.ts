/** Removes from addresses what only says where a reader came from: parameters, and ways through a service that counts clicks. */

/** The address that a link leads to, without parameters that track readers. */
export function withoutTracking(url: URL): URL {
  const target = shortenWork(followRedirects(url));
  // What a browser would highlight on the page.
  if (target.hash.includes(":~:")) target.hash = target.hash.replace(/^#?(.*?):~:.*$/s, "$1");
  if (target.pathname.length > MIN_SHORTENED_CHARS) shortenPath(target);
  if (target.search === "") return target;
  if (imagePath.test(target.pathname) && sizeQuery.test(target.search)) target.search = "";
  const parameters = target.search.slice(1).split("&");
  const others = parameters.filter(
    (parameter) => !isTracking(parameter.replace(/=.*/s, ""), target) && !sessionParameter.test(parameter),
  );
  // Only if there is something to remove: writing a query again may change its form.
  if (others.length < parameters.length) target.search = others.join("&");
  return target;
}

const imagePath = /\.(?:jpe?g|png|gif|webp|avif)$/i;
/** Nothing but the size and form of an image, for services that make them on request; others may sign their addresses. */
const sizeQuery = /^\?(?:(?:w|h|width|height|quality|auto|fit|resize|fm|format|dpr|ssl|strip|ixlib)=[^&]*(?:&|$))+$/i;

/** A shorter path has no name beside a number. */
const MIN_SHORTENED_CHARS = 12;

/** Addresses of scientific works in the forms that their services have documented as the same. */
function shortenWork(url: URL): URL {
  if (url.hostname === "dx.doi.org") url.hostname = "doi.org";
  if (url.hostname !== "www.ncbi.nlm.nih.gov" || !url.pathname.startsWith("/entrez/query.fcgi")) return url;
  const id = url.searchParams.get("db")?.toLowerCase() === "pubmed" ? (url.searchParams.get("list_uids") ?? "") : "";
  return /^\d+$/.test(id) ? new URL(`https://pubmed.ncbi.nlm.nih.gov/${id}/`) : url;
}

/** Removes the session of a reader, and what repeats the name of a page that is found by its number. */
function shortenPath(url: URL): void {
  if (url.pathname.includes(";")) url.pathname = url.pathname.replace(/;jsessionid=[^/;]*/i, "");
  const site = numberedPages.find(({ host, path }) => host.test(url.hostname) && path.test(url.pathname));
  if (site !== undefined) url.pathname = url.pathname.replace(site.path, site.short);
}
/** The shops alone: others of its hosts, such as that of its cloud, have pages of another kind. */
const amazonHost = /^(?:www\.|smile\.|m\.)?amazon\.(?:com?\.)?[a-z]{2,3}$/;

/** Sites that find a page by its number; the words beside it repeat its name, and Amazon's `ref=` says how a reader came. */
const numberedPages: readonly { readonly host: RegExp; readonly path: RegExp; readonly short: string }[] = [
  { host: amazonHost, path: /^.*?(\/dp\/[\dA-Z]{10})(?:\/.*)?$/, short: "$1" },
  { host: amazonHost, path: /\/ref=.*$/, short: "" },
  { host: /(?:^|\.)reddit\.com$/, path: /\/comments\/(\w+)\/[^/.]+\/?$/, short: "/comments/$1" },
  {
    host: /^(?!api\.)(?:[\w-]+\.)?(?:stackexchange|stackoverflow|superuser|serverfault|askubuntu)\.com$/,
    path: /^\/questions\/(\d+)\/(?!\d+$)[^/]+$/,
    short: "/questions/$1",
  },
];

function isTracking(name: string, { hostname, pathname }: URL): boolean {
  return (
    campaignParameter.test(name) ||
    clickParameter.test(name) ||
    siteParameters.some(
      ({ host, path, name: names }) => host.test(hostname) && names.test(name) && path?.test(pathname) !== false,
    )
  );
}

/** Parameters of campaigns and newsletters; their names mean the same on every site. */
const campaignParameter =
  /^(?:utm_\w+|mc_[ce]id|mkt_tok|_hs(?:enc|mi)|hsctatracking|s_cid|vero_id|oly_(?:anon|enc)_id|wt\.mc_id|hslang)$/i;
/** Parameters that advertisements and analytics add to every address. */
const clickParameter = /^(?:(?:fb|g|dc|ms|tw|tt|y|wb|gb)(?:clid|clkid|raid)|gclsrc|srsltid|igshid|_ga|_gl|li_fat_id)$/i;

/** The session of one reader: a name and a long number, as `sid=2` may name a page. */
const sessionParameter = /^(?:(?:php)?sess(?:ion)?_?id|sid)=[\da-f]{26,}$/i;

/** Names that track readers on one site, or on some of its pages; elsewhere they may name the page. */
const siteParameters: readonly { readonly host: RegExp; readonly path?: RegExp; readonly name: RegExp }[] = [
  {
    host: amazonHost,
    name: /^(?:ref_|tag|linkcode|linkid|ascsubtag|hv\w{3,8}|sprefix|crid|qid|sr|dib(?:_tag)?|cv_ct_cx|p[df]_rd_\w+|content-id|sp_csd|spla|mcid)$/i,
  },
  { host: amazonHost, path: /\/(?:dp|gp\/product)\//, name: /^keywords$/i },
  { host: /(?:^|\.)(?:aliexpress\.(?:com|us)|(?:taobao|tmall|alibaba|1688)\.com)$/, name: /^spm$/i },
  { host: /(?:^|\.)(?:steampowered|steamcommunity)\.com$/, name: /^snr$/i },
  { host: /(?:^|\.)linkedin\.com$/, name: /^trk(?:info)?$/i },
  { host: /(?:^|\.)(?:twitter|x)\.com$/, name: /^ref_(?:src|url)$/i },
  { host: /(?:^|\.)imdb\.com$/, name: /^ref_$/i },
  { host: /(?:^|\.)youtu(?:be\.com|\.be)$/, name: /^(?:si|feature|pp|ab_channel)$/ },
  { host: /(?:^|\.)etsy\.com$/, name: /^click_(?:key|sum)$/i },
  { host: /(?:^|\.)hubspot\.com$/, name: /^hubs_\w[\w-]*$/i },
  { host: /(?:^|\.)google\.(?:com?\.)?[a-z]{2,3}$/, name: /^gs_l(?:crp|p)$/i },
];

/** A service that leads on to the address in a parameter, or in the rest of its path. */
type Redirect = { readonly host: RegExp; readonly path: RegExp; readonly parameters: readonly string[] };

/** Only known services: elsewhere an address in a query may be what is searched for, checked or saved. */
const redirects: readonly Redirect[] = [
  { host: /^(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}$/, path: /^\/url$/, parameters: ["q", "url"] },
  { host: /^(?:www\.|m\.)?youtube\.com$/, path: /^\/redirect$/, parameters: ["q"] },
  { host: /^(?:lm?|www|m)\.(?:facebook|messenger)\.com$/, path: /^\/l\.php$/, parameters: ["u"] },
  { host: /^l\.(?:instagram\.com|threads\.(?:com|net))$/, path: /^\/$/, parameters: ["u"] },
  {
    host: /^(?:www\.)?linkedin\.com$/,
    path: /^\/(?:redir\/(?:general-malware-page|redirect)|safety\/go)\/?$/,
    parameters: ["url"],
  },
  { host: /^out\.reddit\.com$/, path: /^\//, parameters: ["url"] },
  { host: /^t\.umblr\.com$/, path: /^\/redirect$/, parameters: ["z"] },
  { host: /^(?:www\.)?steamcommunity\.com$/, path: /^\/linkfilter\/?$/, parameters: ["u", "url"] },
  { host: /^(?:m\.)?vk\.com$/, path: /^\/away\.php$/, parameters: ["to"] },
  { host: /^link\.(?:zhihu\.com|juejin\.cn)$/, path: /^\/$/, parameters: ["target"] },
  { host: /^(?:www\.)?duckduckgo\.com$/, path: /^\/l\/$/, parameters: ["uddg"] },
  { host: /^slack-redir\.net$/, path: /^\/link$/, parameters: ["url"] },
  { host: /\.safelinks\.protection\.outlook\.com$/, path: /^\//, parameters: ["url"] },
  { host: /^outgoing\.prod\.(?:webservices\.mozgcp|mozaws)\.net$/, path: /^\/v1\/[\da-f]+\/(.+)$/, parameters: [] },
  { host: /^go\.(?:redirectingat|skimresources)\.com$/, path: /^\//, parameters: ["url"] },
  { host: /^redirect\.viglink\.com$/, path: /^\//, parameters: ["u"] },
  { host: /^click\.linksynergy\.com$/, path: /^\/deeplink$/, parameters: ["murl"] },
  { host: /^(?:www\.)?awin1\.com$/, path: /^\/cread\.php$/, parameters: ["ued", "p"] },
  // A network that has a host for each of its shops; the numbers are those of partner, advertisement and campaign.
  { host: /./, path: /^\/c\/\d{4,}\/\d{4,}\/\d{4,}$/, parameters: ["u"] },
  { host: /(?:^|\.)rockporch\.com$/, path: /^\/mlink\/\d+$/, parameters: ["redirectUrl"] },
  {
    host: /^www\.(?:jdoqocy|dpbolvw|anrdoezrs|tkqlhce|kqzyfj)\.com$/,
    path: /^\/click-\d+-\d+$/,
    parameters: ["url"],
  },
  { host: /^www\.avantlink\.com$/, path: /^\/click\.php$/, parameters: ["url"] },
  { host: /^c212\.net$/, path: /^\/c\/link\/$/, parameters: ["u"] },
];

/** News are passed on from one service that counts clicks to the next. */
const MAX_REDIRECTS = 5;

function followRedirects(url: URL): URL {
  let target = url;
  for (let count = 0; count < MAX_REDIRECTS; count += 1) {
    const next = findTarget(target);
    if (next === undefined) break;
    target = next;
  }
  return target;
}

/** The complete address that a redirect leads to; undefined if the link is not one. */
function findTarget(url: URL): URL | undefined {
  const { hostname, pathname, search } = url;
  const mayLeadOn = ({ parameters }: Redirect) => search !== "" || parameters.length === 0;
  const redirect = redirects.find((each) => mayLeadOn(each) && each.host.test(hostname) && each.path.test(pathname));
  if (redirect === undefined) return undefined;
  const inPath = decode(redirect.path.exec(pathname)?.[1] ?? "");
  for (const value of [inPath, ...redirect.parameters.map((name) => url.searchParams.get(name) ?? "")]) {
    // Some pages encode the address twice.
    const address = /^https?%3A/i.test(value) ? decode(value) : value;
    const target = /^https?:\/\//i.test(address) ? URL.parse(address) : null;
    if (target !== null) return target;
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address that is encoded in another way stays behind its redirect.
    return "";
  }
}
