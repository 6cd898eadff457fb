/** A post and what others replied, as Markdown: the post first, then the replies in order with author and depth. */
import { joinParts, writeFacts } from "../site-document.ts";

export type Reply = {
  readonly author: string;
  readonly body: string;
  /** What else is said about it in a few words: date, score, accepted. */
  readonly about?: readonly string[];
  /** Replies to this reply. */
  readonly replies?: readonly Reply[];
};

export type Thread = {
  readonly title: string;
  readonly facts: Readonly<Record<string, string | number | undefined>>;
  readonly body: string;
  /** Between the post and the replies, such as a diff. */
  readonly extra?: string;
  /** What the replies are called. */
  readonly replyName: "Comments" | "Answers";
  readonly replies: readonly Reply[];
  /** Replies that are not here. */
  readonly missing: number;
};

type FlatReply = { readonly id: unknown; readonly parent: unknown; readonly reply: Reply };

/** Replies that name what they reply to, as a tree. One whose parent is not here is on the first level. */
export function nestReplies(replies: readonly FlatReply[]): Reply[] {
  const ids = new Set<unknown>(replies.flatMap(({ id }) => (id === undefined ? [] : [id])));
  const byParent = Map.groupBy(replies, ({ parent }) => (ids.has(parent) ? parent : undefined));
  // A reply that names itself, or a circle of them, is never reached.
  const nest = (parent: unknown): Reply[] =>
    (byParent.get(parent) ?? []).map(({ id, reply }) => ({ ...reply, replies: ids.has(id) ? nest(id) : [] }));
  return nest(undefined);
}

export function writeThread(thread: Thread): string {
  const { title, facts, body, extra = "", replyName, replies, missing } = thread;
  const left = missing > 0 ? `${missing} more ${missing === 1 ? "reply is" : "replies are"} not shown here.` : "";
  return joinParts(`# ${title}`, writeFacts(facts), body, extra, writeReplies(replyName, replies), left);
}

/** Replies under a heading; empty if there are none. */
export const writeReplies = (name: Thread["replyName"], replies: readonly Reply[]): string =>
  replies.length === 0 ? "" : joinParts(`## ${name}`, ...replies.map(writeReply));

/** A reply is a section, the replies to it are nested lists. */
function writeReply({ author, about = [], body, replies = [] }: Reply): string {
  return joinParts(`### ${describe(author, about)}`, body, replies.map((reply) => writeNested(reply, 0)).join("\n"));
}

/** Deeper replies are not indented further: the indentation would be more than the words. */
const MAX_INDENTED_DEPTH = 8;

function writeNested({ author, about = [], body, replies = [] }: Reply, depth: number): string {
  const indent = "  ".repeat(Math.min(depth, MAX_INDENTED_DEPTH));
  const lines = body.trim().split("\n");
  const text = lines.map((line, index) => (index === 0 || line === "" ? line : `${indent}  ${line}`)).join("\n");
  return [
    `${indent}- **${describe(author, about)}**: ${text}`,
    ...replies.map((reply) => writeNested(reply, depth + 1)),
  ].join("\n");
}

const describe = (author: string, about: readonly string[]): string => {
  const shown = about.filter((each) => each !== "");
  return shown.length === 0 ? author : `${author} (${shown.join(", ")})`;
};
