/**
 * Splits the output of a program into texts. The bytes in `ends` are the ends of the texts in turn: with `[0, 0x0a]`, a
 * NUL ends the first text, a line feed the second, a NUL the third. Drops a text without its end. Reads and copies each
 * byte once, however many chunks a text has.
 */
export async function* splitOutput(
  output: AsyncIterable<Buffer>,
  ends: readonly [number, ...number[]],
): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let [end] = ends;
  let texts = 0;
  for await (const chunk of output) {
    let start = 0;
    for (let at = chunk.indexOf(end); at !== -1; at = chunk.indexOf(end, start)) {
      yield Buffer.concat([...pending, chunk.subarray(start, at)]).toString();
      pending = [];
      start = at + 1;
      texts += 1;
      end = ends[texts % ends.length] ?? ends[0];
    }
    pending.push(chunk.subarray(start));
  }
}
