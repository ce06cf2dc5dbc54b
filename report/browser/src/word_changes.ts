/** Which words two texts share: the longest common subsequence of their words. */

export interface Change {
  kind: "same" | "added" | "removed";
  text: string;
}

const MOST_PAIRS = 4_000_000;

export function wordChanges(before: string, after: string): Change[] {
  const [a, b] = [before.match(/\s+|[^\s]+/g) ?? [], after.match(/\s+|[^\s]+/g) ?? []];
  if (a.length * b.length > MOST_PAIRS) return [{ kind: "removed", text: before }, { kind: "added", text: after }];
  const lengths = common(a, b);
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) add(changes, "same", a[(j++, i++)]!);
    else if (j === b.length || (i < a.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) add(changes, "removed", a[i++]!);
    else add(changes, "added", b[j++]!);
  }
  return joined(changes);
}

/** Joins changed words that only spaces part: "a b" → "c d" reads better than a → c, b → d. */
function joined(changes: Change[]): Change[] {
  const result: Change[] = [];
  let [removed, added] = ["", ""];
  const flush = (): void => {
    if (removed) result.push({ kind: "removed", text: removed });
    if (added) result.push({ kind: "added", text: added });
    [removed, added] = ["", ""];
  };
  changes.forEach(({ kind, text }, at) => {
    const isGap = kind === "same" && !text.trim() && removed + added && changes[at + 1];
    if (kind === "removed" || isGap) removed += text;
    if (kind === "added" || isGap) added += text;
    if (kind !== "same" || isGap) return;
    flush();
    result.push({ kind, text });
  });
  flush();
  return result;
}

function common(a: string[], b: string[]): Uint16Array[] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}

function add(changes: Change[], kind: Change["kind"], text: string): void {
  const last = changes.at(-1);
  if (last?.kind === kind) last.text += text;
  else changes.push({ kind, text });
}
