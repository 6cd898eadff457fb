/** Finds the part of a request that an error names, and what that part holds. */

export type NamedPart = {
  readonly path: string;
  /** Content can be removed; a wrong setting (a name, an id, the tools) stays wrong in a smaller request. */
  readonly holds: "content" | "attachment" | "output" | "setting";
};

/** `messages.120.content.0.image`, `input[0].content`, `contents[3].parts[1].inline_data`. */
const pathPattern = /(?<![\w.])[A-Za-z_]\w*(?:\[\d+\]|\.\d+|\.[A-Za-z_]\w*)+/g;

/** The part a message or its `param` field points at. */
export function findNamedPart(text: string, params: readonly string[]): NamedPart | undefined {
  const invalid = /\binvalid(?: value for)? ['"`]([\w.[\]]+)['"`]/i.exec(text)?.[1];
  const inText = [...text.matchAll(pathPattern)]
    .map(([path]) => path)
    .find((path) => requestRoot.test(path) && !programName.test(path));
  const path = invalid ?? inText ?? params.find((param) => /^[\w.[\]]+$/.test(param) && /[.[]/.test(param));
  return path === undefined ? undefined : { path, holds: holdsOf(path) };
}

const requestRoot =
  /^(messages|input|contents|content|prompt|tools|system|instructions|metadata|generation_?config|request)\b/i;

/** `System.ArgumentException` and `request.h` are names in a program, not parts of a request. */
const programName = /(?:Exception|Error)$|\.(?:py|hp?p?|cc|cpp|cu|go|rs|[jt]s|java|rb|kt|cs|php)$/;

/** Names of parts that may be long. Everything else, such as a name, an id or an unknown key, is a setting. */
const contentName =
  /^(?:messages?|contents?|parts|text|inputs?|outputs?|prompts?|instructions|arguments|query|history|stdout|stderr)$|_(?:prompt|text|messages)$/i;
const attachmentName =
  /^(?:image|image_url|document|pdf|file|inline_?data|file_?data|media|audio|video|input_image|input_file|input_audio)$/i;

function holdsOf(path: string): NamedPart["holds"] {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const names = steps.filter((step) => !/^\d+$/.test(step));
  const last = names.at(-1) ?? "";
  if (/^max_?\w*tokens$/i.test(last)) return "output";
  if (names.some((name) => attachmentName.test(name))) return "attachment";
  if (/^(tools|metadata|generation_?config)$/i.test(names[0] ?? "")) return "setting";
  // `messages.2.content.0.tool_result`: the type of a block may follow its index.
  const isBlock = /^\d+$/.test(steps.at(-2) ?? "") && /_result$/.test(last);
  return isBlock || contentName.test(last) ? "content" : "setting";
}
