/** Shares one call of a network among the items of several requests: a run over few rows takes nearly as long as one over many. */

/** Calls once with the items of all lists, and returns a list of results for each list. */
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
