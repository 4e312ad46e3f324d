/** What the APIs of models accept as the name of a tool. */
const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns whether every API of a model accepts the name of a tool: 1 to 64 letters, digits, `_` and `-`, all ASCII. */
export function isToolName(name: string): boolean {
  return ACCEPTED.test(name);
}
