/**
 * Reads a call between tags. A value can contain the closing tag, so of several closers the first one counts that makes
 * the call whole and has another call or nothing after it, or else the last one that makes the call whole.
 *
 * @param closer Matches a closing tag. Must be global.
 * @param read Returns the call in the text before a closer, or undefined if it is not whole.
 * @param next Matches the text that can follow a call.
 */
export function readWholeCall<Call>(
  text: string,
  {
    from,
    closer,
    read,
    next,
  }: { from: number; closer: RegExp; read: (body: string) => Call | undefined; next: RegExp },
): { call: Call; end: number } | undefined {
  let last: { call: Call; end: number } | undefined;
  for (const found of text.slice(from).matchAll(closer)) {
    const at = from + found.index;
    const call = read(text.slice(from, at));
    if (call === undefined) continue;
    last = { call, end: at + found[0].length };
    if (next.test(text.slice(last.end))) return last;
  }
  return last;
}
