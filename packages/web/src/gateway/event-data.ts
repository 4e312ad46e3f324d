/**
 * Reads the data of server-sent events with one line of data each. Comments are skipped.
 *
 * @yields The data of each complete event.
 */
export async function* eventData(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const events = (rest + value).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) yield data.slice('data: '.length);
      }
    }
  } finally {
    await reader.cancel();
  }
}
