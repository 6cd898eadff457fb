/** Finds which lines of a text were replaced: the shortest edits (Myers 1986), if they are few. */

/** Lines of the old text, and the lines of the new one that are in their place. */
export type LineEdit = {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/** Above this many changed lines, one edit from the first to the last of them is reported. */
const MAX_CHANGED_LINES = 400;

/** The edits in the order of the text. */
export function findLineEdits(old: readonly string[], changed: readonly string[]): LineEdit[] {
  const head = countEqual(old.length, changed.length, (index) => old[index] === changed[index]);
  const tail = countEqual(
    old.length - head,
    changed.length - head,
    (index) => old.at(-1 - index) === changed.at(-1 - index),
  );
  const [inner, other] = [old.slice(head, old.length - tail), changed.slice(head, changed.length - tail)];
  if (inner.length + other.length === 0) return [];
  const edits = findShortest(inner, other) ?? [
    { oldStart: 0, oldEnd: inner.length, newStart: 0, newEnd: other.length },
  ];
  return edits.map((edit) => ({
    oldStart: edit.oldStart + head,
    oldEnd: edit.oldEnd + head,
    newStart: edit.newStart + head,
    newEnd: edit.newEnd + head,
  }));
}

function countEqual(length: number, otherLength: number, isEqual: (index: number) => boolean): number {
  let count = 0;
  while (count < Math.min(length, otherLength) && isEqual(count)) count++;
  return count;
}

/** How far in the old text one comes on each diagonal; a diagonal is old minus new lines. */
type Reach = Map<number, number>;

function findShortest(old: readonly string[], changed: readonly string[]): LineEdit[] | undefined {
  const reach: Reach = new Map([[1, 0]]);
  const steps: Reach[] = [];
  for (let count = 0; count <= MAX_CHANGED_LINES; count++) {
    steps.push(new Map(reach));
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let { at } = startOn(reach, diagonal, count);
      while (at < old.length && at - diagonal < changed.length && old[at] === changed[at - diagonal]) at++;
      reach.set(diagonal, at);
      if (at >= old.length && at - diagonal >= changed.length) return traceBack(steps, old.length, changed.length);
    }
  }
  return undefined;
}

/** Where a diagonal starts: after a removed line from the left, or after an added one from above. */
function startOn(reach: Reach, diagonal: number, count: number): { readonly at: number; readonly isAdded: boolean } {
  const [left, above] = [reach.get(diagonal - 1) ?? -1, reach.get(diagonal + 1) ?? -1];
  const isAdded = diagonal === -count || (diagonal !== count && left < above);
  return { isAdded, at: isAdded ? above : left + 1 };
}

function traceBack(steps: readonly Reach[], oldLength: number, newLength: number): LineEdit[] {
  const edits: LineEdit[] = [];
  let [oldAt, newAt] = [oldLength, newLength];
  for (let count = steps.length - 1; count > 0; count--) {
    const diagonal = oldAt - newAt;
    const { at: oldEnd, isAdded } = startOn(steps[count] ?? new Map(), diagonal, count);
    const newEnd = oldEnd - diagonal;
    [oldAt, newAt] = isAdded ? [oldEnd, newEnd - 1] : [oldEnd - 1, newEnd];
    const next = edits[0];
    const joins = next?.oldStart === oldEnd && next.newStart === newEnd;
    const edit = { oldStart: oldAt, newStart: newAt, oldEnd, newEnd };
    if (joins) edits[0] = { ...edit, oldEnd: next.oldEnd, newEnd: next.newEnd };
    else edits.unshift(edit);
  }
  return edits;
}
