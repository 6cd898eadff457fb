/** Reads answers of GitHub's API; those of Gitea have the same form. */
import { toFields, toLine, toList } from "../../system/json-values.ts";
import { type Fields, requireLine, toDay, toText } from "../site-document.ts";
import type { Reply, Thread } from "../threads/thread.ts";
import { formatChanges, type Release } from "./forge.ts";

export function toThread(issue: Fields, replies: readonly Reply[]): Thread {
  return {
    title: `${requireLine(issue.title)} #${issue.number}`,
    facts: {
      state: [toLine(issue.state), toLine(issue.state_reason)].filter(Boolean).join(", "),
      author: loginOf(issue.user),
      opened: toDay(issue.created_at),
      labels: toList(issue.labels)
        .map((label) => toLine(toFields(label).name))
        .join(", "),
    },
    body: toText(issue.body),
    replyName: "Comments",
    replies,
    missing: Math.max(0, Number(issue.comments ?? 0) - replies.length),
  };
}

/** What is known about a pull request beyond its issue. */
export const toPullFacts = (pull: Fields): Thread["facts"] => ({
  state:
    pull.merged === true
      ? "merged"
      : [toLine(pull.state), pull.draft === true ? "draft" : ""].filter(Boolean).join(", "),
  branches: `${toLine(toFields(pull.head).label)} into ${toLine(toFields(pull.base).ref)}`,
  changes: formatChanges(pull),
});

export const loginOf = (user: unknown): string => toLine(toFields(user).login) || "ghost";

export const toReply = (comment: Fields): Reply => ({
  author: loginOf(comment.user),
  about: [toDay(comment.created_at)],
  body: toText(comment.body),
});

/** A review that only collects notes has no words of its own. */
export function toReview(review: Fields): Reply[] {
  const state = toLine(review.state).toLowerCase().replaceAll("_", " ");
  const body = toText(review.body);
  if (body === "" && /^(comment(ed)?|pending|request review)$/.test(state)) return [];
  return [{ author: loginOf(review.user), about: [`review: ${state}`, toDay(review.submitted_at)], body }];
}

export const toRelease = (release: Fields): Release => ({
  name: toLine(release.name),
  tag: requireLine(release.tag_name),
  day: toDay(release.published_at),
  body: toText(release.body),
  files: toList(release.assets).map((asset) => toLine(toFields(asset).name)),
});
