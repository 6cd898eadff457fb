/** What is kept, for how long, in which database and objects, and which local files may be read. */
import { day, GiB, hour, MiB, minute, type SettingRow, second } from "./setting-row.ts";

export const storeRows = {
  "artifacts.source_bytes": {
    type: "bytes",
    default: 1 * GiB,
    min: 1,
    ceiling: 64 * GiB,
    scope: "user",
    about: "Largest source kept whole. A larger one is kept up to this size and marked source_truncated.",
  },
  "artifacts.copy_bytes": {
    type: "bytes",
    default: 64 * MiB,
    min: 0,
    ceiling: 64 * GiB,
    scope: "user",
    about: "Largest local file that is copied into the store. A larger one is read in place while it does not change.",
  },
  "artifacts.keep": {
    type: "duration",
    default: 14 * day,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "How long an artifact is kept after its last use.",
  },
  "artifacts.keep_per_run": {
    type: "integer",
    default: 1_000,
    min: 1,
    isRetention: true,
    scope: "user",
    about: "Artifacts kept per run; the least recently used expire first.",
  },
  "artifacts.keep_bytes": {
    type: "bytes",
    default: 2 * GiB,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "Bytes of artifacts kept per owner; the least recently used expire first.",
  },
  "artifacts.keep_tombstones": {
    type: "duration",
    default: 90 * day,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "How long an expired ref still says when it expired and how to fetch it again.",
  },
  "artifacts.sweep_every": {
    type: "duration",
    default: 1 * hour,
    min: 0,
    isRetention: true,
    scope: "user",
    about: "Minimum time between two automatic sweeps of the store.",
  },
  "store.catalogue": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about:
      "Where the rows of a store are that several servers share, as postgres://USER@HOST/DATABASE. Default: SQLite in the data " +
      "folder.",
  },
  "store.password": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "The password of the user in store.catalogue, unless the URL has it.",
  },
  "store.objects": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "Where the bytes of such a store are, as s3://BUCKET or s3://BUCKET/PREFIX. Default: files in the data folder.",
  },
  "store.endpoint": {
    type: "text",
    default: null,
    scope: "user",
    about:
      "Address of the S3-compatible service, such as https://minio.example.com. Default: that of AWS in store.region.",
  },
  "store.region": {
    type: "text",
    default: "us-east-1",
    scope: "user",
    about: "Region of the bucket.",
  },
  "store.addressing": {
    type: "choice",
    default: "auto",
    choices: ["auto", "path", "host"],
    scope: "user",
    about:
      "Whether the bucket is named in the path or in the host of a request. auto: in the host for AWS, else in the path.",
  },
  "store.access_key": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "Access key of the S3-compatible service. The variables and files of AWS tools are not read.",
  },
  "store.secret_key": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "Secret key that belongs to store.access_key.",
  },
  "store.session_token": {
    type: "text",
    default: null,
    isSecret: true,
    scope: "user",
    about: "Session token of temporary credentials.",
  },
  "store.timeout": {
    type: "duration",
    default: 10 * second,
    min: 100,
    ceiling: 10 * minute,
    scope: "user",
    about:
      "How long one call to the database or the object storage may take. After that the reply comes without a ref.",
  },
  "store.cache_bytes": {
    type: "bytes",
    default: 1 * GiB,
    min: 0,
    scope: "user",
    about: "Local copies of objects of a team store; the least recently used are deleted first.",
  },
  "files.allow": {
    type: "list",
    items: "path",
    default: [],
    scope: "user",
    about: "Folders whose files a model may read by path, besides the client's roots and the working directory.",
  },
} as const satisfies Record<string, SettingRow>;
