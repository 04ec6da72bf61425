/**
 * JSON written as differently as servers write it: names in another order, spaces, escapes, a name that is there
 * twice. The value is the same, but for the last.
 */
import fc from "fast-check";

export type Spelling = {
  /** Names that an object's others go before. */
  turned: number;
  gap: "" | " ";
  escapes: "needed" | "values" | "all";
  /** Written once more with this value, before or behind the true one. */
  twice: { name: string; value: string; where: "before" | "behind" } | undefined;
};

export const plain: Spelling = { turned: 0, gap: "", escapes: "needed", twice: undefined };

export const spellings = (names: readonly string[]): fc.Arbitrary<Spelling> =>
  fc.record({
    turned: fc.nat(3),
    gap: fc.constantFrom("", " "),
    escapes: fc.constantFrom("needed", "values", "all"),
    twice: fc.option(
      fc.record({
        name: fc.constantFrom(...names),
        value: fc.constantFrom("", "a", '"'),
        where: fc.constantFrom("before", "behind"),
      }),
      { nil: undefined },
    ),
  });

export function spell(value: unknown, spelling: Spelling): string {
  const { gap, escapes } = spelling;
  if (typeof value === "string") return spellString(value, escapes !== "needed");
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => spell(item, spelling)).join(`,${gap}`)}]`;
  const members = turn(Object.entries(value), spelling.turned)
    .flatMap((member) => repeat(member, spelling.twice))
    .map(([name, item]) => `${spellString(name, escapes === "all")}:${gap}${spell(item, spelling)}`);
  return `{${members.join(`,${gap}`)}}`;
}

function spellString(text: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(text);
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

function turn<Item>(items: readonly Item[], count: number): Item[] {
  const at = items.length === 0 ? 0 : count % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
}

function repeat(member: [string, unknown], twice: Spelling["twice"]): [string, unknown][] {
  if (twice?.name !== member[0]) return [member];
  const other: [string, unknown] = [twice.name, twice.value];
  return twice.where === "before" ? [other, member] : [member, other];
}
