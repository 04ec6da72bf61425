/** Shares one call of a network among the items of several requests: a run over few rows takes nearly as long as one over many. */

/** The result of every item, in lists as long as the given ones. */
export async function inOneCall<Item, Result>(
  lists: readonly (readonly Item[])[],
  call: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Result[][]> {
  const results = await call(lists.flat());
  let end = 0;
  return lists.map(({ length }) => {
    end += length;
    return results.slice(end - length, end);
  });
}
