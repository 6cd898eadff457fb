/** Removes from addresses what only tracks readers, so that the same page has the same address. */

/** Parameters that identify a visit or a campaign and never the page. */
const trackingNames = new Set([
  "gclid",
  "gclsrc",
  "dclid",
  "wbraid",
  "gbraid",
  "fbclid",
  "msclkid",
  "yclid",
  "twclid",
  "ttclid",
  "igshid",
  "mc_cid",
  "mc_eid",
  "_hsenc",
  "_hsmi",
  "mkt_tok",
  "srsltid",
  "ref_src",
  "ref_url",
  "oly_anon_id",
  "oly_enc_id",
  "vero_id",
  "_ga",
  "_gl",
  "spm",
  "scm",
]);
const trackingPrefixes = /^(utm|pk|piwik|mtm|matomo|hsa|ga|ns)_/i;

/** The address without tracking parameters and text fragments. What is no address stays as it is. */
export function cleanUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return address;
  const names = [...url.searchParams.keys()].filter((name) => trackingNames.has(name) || trackingPrefixes.test(name));
  for (const name of names) url.searchParams.delete(name);
  url.hash = url.hash.replace(/:~:.*$/, "");
  return names.length === 0 && !address.includes(":~:") ? address : url.href.replace(/#$/, "");
}

/** The same for two addresses of one page: without scheme, `www.`, trailing slash and fragment. */
export function makePageKey(address: string): string {
  const url = URL.parse(cleanUrl(address));
  if (url === null) return address;
  url.searchParams.sort();
  return `${url.host.replace(/^www\./, "")}${url.pathname.replace(/\/+$/, "")}${url.search}`;
}
