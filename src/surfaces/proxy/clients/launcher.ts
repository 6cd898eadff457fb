/** The contract of a launcher: what a client needs so that its requests go through the proxy. */

/** The base URLs of the proxy, as each provider's own clients write them. */
export type ProxyUrls = {
  /** With `/v1`, as OpenAI's clients expect it. */
  readonly openai: string;
  readonly anthropic: string;
  readonly gemini: string;
  /** For Codex with a ChatGPT login. */
  readonly chatgpt: string;
};

/** What a launcher may use. */
export type LaunchContext = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A folder for temporary configs. It is deleted when the client has ended. */
  readonly folder: string;
};

/** What is added to the client's environment, and put before its arguments. */
export type Launch = { readonly env: Readonly<Record<string, string>>; readonly args: readonly string[] };

/** One client. The user's own files are never changed. */
export type Launcher = {
  /** The command that starts it, and its name for `spillway with`. */
  readonly name: string;
  readonly title: string;
  /** Where the client documents this. */
  readonly source: string;
  prepare(urls: ProxyUrls, context: LaunchContext): Promise<Launch>;
  /** What to write into the client's own config, for clients that take no address from outside. */
  readonly configLine?: (urls: ProxyUrls) => string;
};
