/** Removes from addresses what only says where a reader came from: parameters, and ways through a service that counts clicks. */

/** The address that a link leads to, without parameters that track readers. */
export function withoutTracking(url: URL): URL {
  if (url.search === "") return url;
  const target = findTarget(url) ?? url;
  const tracking = [...target.searchParams.keys()].filter((name) => trackingParameter.test(name));
  for (const name of tracking) target.searchParams.delete(name);
  return target;
}

const trackingParameter = new RegExp(
  [
    "utm_\\w+|mc_[ce]id|(?:fb|g|dc|ms|tw|tt|y|wb|gb)(?:clid|clkid|raid)|gclsrc|igshid|_hs(?:enc|mi)|hsctatracking|hubs_\\w[\\w-]*",
    "mkt_tok|ref_(?:src|url)?|s_cid|cmpid|ncid|vero_id|oly_(?:anon|enc)_id|_ga|_gl|li_fat_id|wt\\.mc_id|trk|trkinfo",
    "srsltid|gs_lp|gs_lcrp|sprefix|linkcode|linkid|ascsubtag|hv\\w{3,8}|click_(?:key|sum)|snr|xcust|sref|spm",
  ]
    .join("|")
    .replace(/^/, "^(?:")
    .replace(/$/, ")$"),
  "i",
);

/** The names that services give to the address they lead to. */
const targetNames = ["url", "u", "q", "murl", "ued", "dest", "destination", "target"];
/** Words in the host or the path of such services. */
const redirectWord =
  /(?:^|[./_-])(?:redirect|redirectingat|redir|out|away|click|clk|go|link|l|url|deeplink|cread)(?=[./_-]|$)/i;

/** The complete address in the query of a redirect; undefined if the link is not one. */
function findTarget({ host, pathname, searchParams }: URL): URL | undefined {
  if (!redirectWord.test(`${host}${pathname}`)) return undefined;
  for (const name of targetNames) {
    const value = searchParams.get(name) ?? "";
    const target = /^https?:\/\//i.test(value) ? URL.parse(value) : null;
    if (target !== null && target.host !== host) return target;
  }
  return undefined;
}
