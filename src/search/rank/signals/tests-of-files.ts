/** The tests of a file: their titles and comments say in people's words what the file does. */
import { basename } from "node:path/posix";
import { stem } from "../../../retrieval/terms.ts";
import { fileRoles } from "../../index/file-roles.ts";
import { findPart, type IndexView } from "../../index/index-view.ts";
import { findWordRoot } from "../word-families.ts";

/** What a file is about, by its name alone, and whether it is a test of that. */
type Subject = { readonly name: string; readonly isTest: boolean };

/** For each file, how well its best test matches; less where several files share the name. Tests get nothing. */
export function scoreTests(files: readonly { readonly subject: Subject; readonly text: number }[]): number[] {
  const bestTests = new Map<string, number>();
  const owners = new Map<string, number>();
  for (const { subject, text } of files) {
    if (subject.isTest) bestTests.set(subject.name, Math.max(bestTests.get(subject.name) ?? 0, text));
    else owners.set(subject.name, (owners.get(subject.name) ?? 0) + 1);
  }
  return files.map(({ subject: { name, isTest } }) => {
    const best = isTest ? undefined : bestTests.get(name);
    return best === undefined ? 0 : best / (1 + Math.log(owners.get(name) ?? 1));
  });
}

/** The subjects found so far, by file. */
const subjectsByView = new WeakMap<IndexView, Map<number, Subject>>();

/** The subject of a file of the view: a file and its tests share the name. */
export function findSubject(view: IndexView, file: number): Subject {
  const subjects = subjectsByView.get(view) ?? new Map<number, Subject>();
  subjectsByView.set(view, subjects);
  const known = subjects.get(file) ?? readSubject(view, file);
  subjects.set(file, known);
  return known;
}

function readSubject(view: IndexView, file: number): Subject {
  const { segment, firstFile } = findPart(view, file);
  const isTest = ((segment.fileTraits[file - firstFile] ?? 0) & fileRoles.test) !== 0;
  return { name: nameSubject(segment.path(file - firstFile), isTest), isTest };
}

const testPrefix = /^(?:tests?|specs?)[._-]/i;
const testSuffix = /[._-](?:[Tt]ests?|[Ss]pecs?)$|(?<=[a-z\d])(?:Tests?|Specs?)$/;

/** The same for `cache.py`, `test_cache.py`, `caches_test.go`, `cache.spec.ts` and `CacheTests.cs`. */
export function nameSubject(path: string, isTest: boolean): string {
  const name = basename(path).replace(/(?<=.)\.[^.]*$/, "");
  const subject = isTest ? name.replace(testPrefix, "").replace(testSuffix, "") : name;
  return findWordRoot(stem(subject.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "")));
}
