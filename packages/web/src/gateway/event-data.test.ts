import { expect, it } from 'vitest';
import { eventData } from './event-data.ts';

it('reads events whose bytes arrive in any pieces, and skips comments', async () => {
  const bytes = new TextEncoder().encode(
    'event: state\ndata: {"a":"é"}\n\n: still here\n\nevent: state\ndata: 2\n\ndata: cut',
  );
  for (const size of [1, 2, 7, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.slice(index * size, (index + 1) * size),
    );
    expect(await Array.fromAsync(eventData(streamOf(pieces)))).toEqual(['{"a":"é"}', '2']);
  }
});

function streamOf(pieces: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}
