export const COPY_ENDING = / \(copy(?: (\d+))?\)$/;

/** Returns the title of a copy. Two sessions with one title could not be told apart. */
export function copyTitle(title: string): string {
  if (title === '') return title;
  const copy = COPY_ENDING.exec(title);
  if (copy === null) return `${title} (copy)`;
  return `${title.slice(0, copy.index)} (copy ${Number(copy[1] ?? 1) + 1})`;
}
