/** Several servers as one: their tools and prompts under prefixes, their resources side by side. */
import type { Session } from "../../session/session.ts";
import { clip } from "../../system/safe-names.ts";
import { toLogText } from "../../system/terminal-text.ts";
import { version } from "../../version.ts";
import {
  isObject,
  type JsonObject,
  keyOf,
  parseMessage,
  type RequestId,
  readId,
  splitBatch,
  toList,
  toObject,
  toText,
  writeError,
  writeResult,
} from "./json-rpc.ts";
import { type ClientIdentity, learnClient, profileOf } from "./result-editor.ts";
import type { Link } from "./server-link.ts";
import { createReadTool, type ReadTool } from "./tools/read-tool.ts";

/** A server to merge. */
export type MergedServer = {
  readonly name: string;
  open(toClient: (line: string) => Promise<void>, readTool: ReadTool): Link;
};

export type MergeOptions = {
  readonly session: Session;
  readonly servers: readonly MergedServer[];
  /** Fits results to this client, not to the one that connects. */
  readonly client?: string | undefined;
  toClient(line: string): Promise<void>;
  log(sentence: string): void;
};

/** How long a server may take to greet or to list before the others are answered for. */
const SERVER_WAIT_MS = 30_000;

/** Pages of a list that are followed. */
const MAX_PAGES = 50;

/** Characters of one server's instructions that are passed on. */
const INSTRUCTION_CHARS = 2_000;

/** Opens a link to all servers. */
export function openMergedLink(options: MergeOptions): Link {
  return new MergedLink(options);
}

type Member = MergedServer & { readonly link: Link; hasEnded: boolean };

/** A response of a server, without its id. */
type Reply = { readonly result?: unknown; readonly error?: unknown };

/** Lists that are joined: by method, the field that holds them, and whether names get the prefix of their server. */
const LISTS: Readonly<Record<string, { readonly field: string; readonly isNamed: boolean }>> = {
  "tools/list": { field: "tools", isNamed: true },
  "prompts/list": { field: "prompts", isNamed: true },
  "resources/list": { field: "resources", isNamed: false },
  "resources/templates/list": { field: "resourceTemplates", isNamed: false },
};

class MergedLink implements Link {
  readonly ended: Promise<string>;
  readonly #options: MergeOptions;
  readonly #readTool: ReadTool;
  readonly #members: readonly Member[];
  /** Requests to servers, by our id. */
  readonly #waiting = new Map<string, { readonly member: Member; answer(reply: Reply): void }>();
  /** Our ids of the client's requests, for cancellation. */
  readonly #sent = new Map<string, { readonly member: Member; readonly id: string }>();
  /** Which server has a resource, as far as it was listed. */
  readonly #owners = new Map<string, Member>();
  #client: ClientIdentity = {};
  #count = 0;

  constructor(options: MergeOptions) {
    this.#options = options;
    this.#readTool = createReadTool(options.session);
    this.#client = { name: options.client };
    this.#members = options.servers.map((server) => this.#open(server));
    this.ended = Promise.all(this.#members.map(({ link }) => link.ended)).then((reasons) => reasons.join(" "));
  }

  #open(server: MergedServer): Member {
    const toClient = (line: string): Promise<void> => this.#fromServer(member, line);
    const member: Member = { ...server, link: server.open(toClient, this.#readTool), hasEnded: false };
    void member.link.ended.then(() => {
      member.hasEnded = true;
    });
    return member;
  }

  async fromClient(line: string): Promise<void> {
    const message = parseMessage(line);
    if (message === undefined) {
      for (const each of splitBatch(line) ?? []) await this.fromClient(each);
      return;
    }
    const { json } = message;
    const [id, method, params] = [readId(json), toText(json.method), toObject(json.params)];
    if (method === undefined) return this.#answerServer(json);
    if (id === undefined) return this.#notify(method, json, params);
    const { client: name } = this.#options;
    this.#client = { ...learnClient(this.#client, method, params), ...(name && { name }) };
    // Other messages, such as a cancellation, must not wait for the answer.
    void this.#answer(id, method, params)
      .catch((error: unknown) => writeError(id, -32603, error instanceof Error ? error.message : String(error)))
      .then((answer) => (answer === undefined ? undefined : this.#options.toClient(answer)));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#members.map(({ link }) => link.stop()));
  }

  async #answer(id: RequestId, method: string, params: JsonObject): Promise<string | undefined> {
    if (method === "ping") return writeResult(id, {});
    if (method === "initialize" || method === "server/discover") return write(id, await this.#greet(method, params));
    if (Object.hasOwn(LISTS, method)) return writeResult(id, await this.#list(method, params));
    if (method === "tools/call" && params.name === this.#readTool.name)
      return this.#readTool.answer(id, params, profileOf(this.#client));
    return write(id, await this.#route(id, method, params));
  }

  /** Sends a request to the server that it names or belongs to. */
  async #route(id: RequestId, method: string, params: JsonObject): Promise<Reply> {
    if (method === "tools/call" || method === "prompts/get") {
      const found = this.#resolve(params.name);
      if (found === undefined) return unknownName(method, params.name);
      return this.#ask(found.member, method, { ...params, name: found.name }, id);
    }
    if (method === "completion/complete") return this.#complete(id, params);
    if (method === "logging/setLevel") return (await this.#askAll(method, params)).find(isSuccess) ?? { result: {} };
    const owner = this.#owners.get(toText(params.uri) ?? "");
    return owner === undefined ? this.#askEach(id, method, params) : this.#ask(owner, method, params, id);
  }

  #complete(id: RequestId, params: JsonObject): Promise<Reply> {
    const ref = toObject(params.ref);
    const found = this.#resolve(ref.name);
    if (found === undefined) return this.#askEach(id, "completion/complete", params);
    return this.#ask(found.member, "completion/complete", { ...params, ref: { ...ref, name: found.name } }, id);
  }

  /** The server of a prefixed name; of two that match, the one with the longer prefix. */
  #resolve(prefixed: unknown): { readonly member: Member; readonly name: string } | undefined {
    const text = toText(prefixed) ?? "";
    const [member] = this.#members
      .filter(({ name }) => text.startsWith(`${name}_`))
      .toSorted((one, other) => other.name.length - one.name.length);
    return member && { member, name: text.slice(member.name.length + 1) };
  }

  #ask(member: Member, method: string, params: JsonObject, clientId?: RequestId): Promise<Reply> {
    const id = `merged-${++this.#count}`;
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#waiting.set(keyOf(id), { member, answer: resolve });
    if (clientId !== undefined) this.#sent.set(keyOf(clientId), { member, id });
    void member.link.fromClient(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return promise.finally(() => {
      this.#waiting.delete(keyOf(id));
      if (clientId !== undefined) this.#sent.delete(keyOf(clientId));
    });
  }

  /** Asks the servers one after another until one knows the answer. */
  async #askEach(id: RequestId, method: string, params: JsonObject): Promise<Reply> {
    let last: Reply = { error: { code: -32601, message: `No server knows ${clip(method)}.` } };
    for (const member of this.#running()) {
      last = await this.#ask(member, method, params, id);
      if (isSuccess(last)) return last;
    }
    return last;
  }

  #running = (): readonly Member[] => this.#members.filter(({ hasEnded }) => !hasEnded);

  /** Asks all servers at once. One that is silent for too long counts as failed. */
  #askAll(method: string, params: JsonObject): Promise<(Reply & { readonly member: Member })[]> {
    return Promise.all(
      this.#running().map(async (member) => ({ member, ...(await withTimeout(this.#ask(member, method, params))) })),
    );
  }

  async #greet(method: string, params: JsonObject): Promise<Reply> {
    const replies = await this.#askAll(method, params);
    const failed = replies.find((reply) => !isSuccess(reply));
    // A client that asks for the newer handshake falls back to the older one, which all servers know.
    if (method === "server/discover" && failed !== undefined) return { error: failed.error };
    for (const { member, ...reply } of replies)
      if (!isSuccess(reply)) this.#options.log(`${member.name} is left out: ${describeError(reply.error)}`);
    const greeted = replies.filter(isSuccess).map(({ member, result }) => ({ member, result: toObject(result) }));
    const [first] = greeted;
    if (first === undefined)
      return { error: failed?.error ?? { code: -32000, message: "No server could be started." } };
    const revisions = greeted.map(({ result }) => toText(result.protocolVersion)).filter((each) => each !== undefined);
    return {
      result: {
        ...first.result,
        ...(revisions.length > 0 && { protocolVersion: revisions.toSorted()[0] }),
        capabilities: greeted.reduce((all, { result }) => mergeObjects(all, toObject(result.capabilities)), {}),
        serverInfo: { name: "spillway-gateway", version },
        instructions: joinInstructions(greeted),
      },
    };
  }

  async #list(method: string, params: JsonObject): Promise<JsonObject> {
    const { field, isNamed } = LISTS[method] ?? { field: "", isNamed: false };
    const { cursor: _, ...rest } = params;
    const lists = await Promise.all(this.#running().map((member) => this.#listAll(member, method, rest, field)));
    const items = lists.flatMap(({ member, items: own }) =>
      own.map((item) => (isNamed ? { ...item, name: `${member.name}_${toText(item.name) ?? ""}` } : item)),
    );
    for (const { member, items: own } of lists)
      for (const { uri } of own) if (typeof uri === "string") this.#owners.set(uri, member);
    const others = lists.find(({ other }) => other !== undefined)?.other ?? {};
    return { ...others, [field]: method === "tools/list" ? [...items, this.#readTool.describe()] : items };
  }

  /** Every page of one server's list; a server without such a list has none. */
  async #listAll(member: Member, method: string, params: JsonObject, field: string) {
    const items: JsonObject[] = [];
    let other: JsonObject | undefined;
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { result } = await withTimeout(
        this.#ask(member, method, cursor === undefined ? params : { ...params, cursor }),
      );
      if (!isObject(result)) break;
      items.push(...toList(result[field]).filter(isObject));
      const { nextCursor, [field]: _, ...rest } = result;
      other = rest;
      cursor = nextCursor;
      if (cursor === undefined) break;
    }
    return { member, items, other };
  }

  async #notify(method: string, json: JsonObject, params: JsonObject): Promise<void> {
    if (method !== "notifications/cancelled") {
      for (const { link } of this.#running()) await link.fromClient(JSON.stringify(json));
      return;
    }
    const { requestId } = params;
    if (typeof requestId !== "string" && typeof requestId !== "number") return;
    this.#readTool.cancel(requestId);
    const sent = this.#sent.get(keyOf(requestId));
    await sent?.member.link.fromClient(JSON.stringify({ ...json, params: { ...params, requestId: sent.id } }));
  }

  /** A client's answer to a request of a server: our id says which. */
  async #answerServer(json: JsonObject): Promise<void> {
    const [, index, id] = /^(\d+)\/([\s\S]*)$/.exec(toText(json.id) ?? "") ?? [];
    if (index === undefined || id === undefined) return;
    await this.#members[Number(index)]?.link.fromClient(JSON.stringify({ ...json, id: JSON.parse(id) as unknown }));
  }

  async #fromServer(member: Member, line: string): Promise<void> {
    const json = parseMessage(line)?.json;
    if (json === undefined) return this.#options.log(`${member.name} sent a line that is not a message`);
    const id = readId(json);
    if (id === undefined) return this.#options.toClient(line);
    if (json.method === undefined) return this.#waiting.get(keyOf(id))?.answer(json);
    const ownId = `${this.#members.indexOf(member)}/${JSON.stringify(id)}`;
    await this.#options.toClient(JSON.stringify({ ...json, id: ownId }));
  }
}

const isSuccess = ({ error }: Reply): boolean => error === undefined;

const write = (id: RequestId, { result, error }: Reply): string =>
  JSON.stringify({ jsonrpc: "2.0", id, ...(error === undefined ? { result } : { error }) });

function unknownName(method: string, name: unknown): Reply {
  const thing = method === "tools/call" ? "tool" : "prompt";
  return {
    error: { code: -32602, message: `There is no ${thing} ${clip(String(name))}. List them to see their names.` },
  };
}

const describeError = (error: unknown): string => clip(toLogText(toText(toObject(error).message) ?? "it failed"));

/** An answer, or an error if it takes too long. */
async function withTimeout(reply: Promise<Reply>): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Reply>((resolve) => {
    const error = { code: -32000, message: `It did not answer within ${SERVER_WAIT_MS / 1_000} s.` };
    timer = setTimeout(() => resolve({ error }), SERVER_WAIT_MS);
  });
  try {
    return await Promise.race([reply, late]);
  } finally {
    clearTimeout(timer);
  }
}

function joinInstructions(greeted: readonly { readonly member: Member; readonly result: JsonObject }[]): string {
  const texts = greeted.flatMap(({ member, result }) => {
    const text = toText(result.instructions);
    return text === undefined ? [] : [`${member.name}: ${clip(text, INSTRUCTION_CHARS)}`];
  });
  return [`Tools of several servers; the beginning of a name says whose it is.`, ...texts].join("\n\n");
}

/** What any of the servers can do. */
function mergeObjects(one: JsonObject, other: JsonObject): JsonObject {
  const merged = Object.entries(other).map(([key, value]) => {
    const own = one[key];
    if (isObject(own) && isObject(value)) return [key, mergeObjects(own, value)];
    return [key, own === true ? true : value];
  });
  return { ...one, ...Object.fromEntries(merged) };
}
