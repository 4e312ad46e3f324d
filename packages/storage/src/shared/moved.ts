/**
 * Returns the list with one item at another position, counted from 1, or at the end if the list is shorter. Undefined:
 * there is no such item.
 */
export function moved<Item>(
  items: readonly Item[],
  isMeant: (item: Item) => boolean,
  position: number,
): Item[] | undefined {
  const item = items.find(isMeant);
  if (item === undefined) return undefined;
  const others = items.filter((each) => each !== item);
  return others.toSpliced(position - 1, 0, item);
}
