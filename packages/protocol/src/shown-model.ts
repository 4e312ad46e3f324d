/** Returns the name of a model for people, as they write it: a model that runs inside Longhaul is `embedded:NAME`. */
export function shownModel(name: string): string {
  return name.replace(/^embedded\//, 'embedded:');
}
