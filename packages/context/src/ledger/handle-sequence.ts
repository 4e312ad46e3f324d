/** Returns the sequence of the message that a handle such as `m12` or `m12.3` names. */
export function sequenceOf(handle: string): number {
  return Number.parseInt(handle.slice(1), 10);
}
