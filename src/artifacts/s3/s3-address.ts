/** Where a bucket is: reads the settings of an S3-compatible service. */
import type { Settings } from "../../config/settings.ts";
import { SpillwayError } from "../../errors.ts";
import type { Credentials } from "./sign-request.ts";

export type S3Address = {
  /** `https:` or `http:`. */
  readonly protocol: string;
  /** The host that is asked, with its port. */
  readonly host: string;
  /** What paths begin with: `/`, or `/bucket/` where the bucket is not part of the host. */
  readonly root: string;
  readonly bucket: string;
  /** What keys begin with: empty, or ending with `/`. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: Credentials;
};

export type S3Settings = Pick<
  Settings,
  | "store.objects"
  | "store.endpoint"
  | "store.region"
  | "store.addressing"
  | "store.access_key"
  | "store.secret_key"
  | "store.session_token"
>;

/** The address that the settings name. No other variable of the environment counts, and no file of a project. */
export function readS3Address(settings: S3Settings): S3Address {
  const { bucket, prefix } = parsePlace(settings["store.objects"] ?? "");
  const region = settings["store.region"];
  const endpoint = parseEndpoint(settings["store.endpoint"] ?? `https://s3.${region}.amazonaws.com`);
  const isInHost = isBucketInHost(settings, endpoint, bucket);
  return {
    protocol: endpoint.protocol,
    host: isInHost ? `${bucket}.${endpoint.host}` : endpoint.host,
    root: isInHost ? "/" : `/${bucket}/`,
    bucket,
    prefix,
    region,
    credentials: readCredentials(settings),
  };
}

/** The place without what is secret, for people. */
export const describePlace = ({ bucket, prefix, host }: S3Address): string =>
  `bucket ${bucket}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`} on ${host}`;

const placeForm = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/((?:[A-Za-z0-9_-][A-Za-z0-9_.-]*\/?)*))?$/;

function parsePlace(given: string) {
  const match = placeForm.exec(given);
  const [, bucket = "", folder = ""] = match ?? [];
  if (match === null || folder.includes(".."))
    throw invalidPlace("store.objects is not s3://BUCKET or s3://BUCKET/PREFIX");
  return { bucket, prefix: folder === "" ? "" : `${folder.replace(/\/$/, "")}/` };
}

function parseEndpoint(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain = url !== undefined && url.pathname === "/" && url.search === "" && url.username === "";
  if (isPlain && (url.protocol === "https:" || (url.protocol === "http:" && isPrivateName(url.hostname)))) return url;
  throw invalidPlace("store.endpoint is not https://HOST (http only for an address or a name without dots)");
}

/** Over plain HTTP everyone on the way sees the bytes, so it is for networks of one's own. */
const isPrivateName = (host: string): boolean =>
  !host.includes(".") || /^[\d.]+$/.test(host) || host.endsWith(".internal");

/** Bucket names with dots do not fit a certificate's wildcard, and an address has no names below it. */
function isBucketInHost({ "store.addressing": addressing }: S3Settings, endpoint: URL, bucket: string): boolean {
  if (addressing !== "auto") return addressing === "host";
  return endpoint.hostname.endsWith(".amazonaws.com") && !bucket.includes(".");
}

function readCredentials(settings: S3Settings): Credentials {
  const {
    "store.access_key": accessKey,
    "store.secret_key": secretKey,
    "store.session_token": sessionToken,
  } = settings;
  if (accessKey === null || secretKey === null) throw invalidPlace("its credentials are missing");
  return { accessKey, secretKey, ...(sessionToken === null ? {} : { sessionToken }) };
}

function invalidPlace(fact: string): SpillwayError {
  return new SpillwayError("config_invalid", `The objects of the team store cannot be used: ${fact}.`, {
    hint: "Set store.objects, store.endpoint and store.region in your own config file, and SPILLWAY_STORE_ACCESS_KEY and SPILLWAY_STORE_SECRET_KEY in the environment.",
  });
}
