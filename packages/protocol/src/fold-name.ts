/** Folds the spellings of a name into one: `readFile`, `read_file` and `Read-File` are equal. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]+/g, '');
}
