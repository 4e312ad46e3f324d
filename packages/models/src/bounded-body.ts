/** No error needs more to be understood: a message quotes a few hundred characters. */
export const MAX_ERROR_BYTES = 64 << 10;
/** The largest are an event with an image, and the tokens of a prompt as llama.cpp lists them. */
const MAX_ANSWER_BYTES = 16 << 20;

type Body = ReadableStream<Uint8Array>;

/** Returns the first `maxBytes` of a body as text, and does not read the rest. Default 16 MiB. */
export async function readWhole({ body }: Response, maxBytes = MAX_ANSWER_BYTES): Promise<string> {
  return body === null ? '' : new Response(cutBody(body, maxBytes)).text();
}

/** Ends a body after `maxBytes`. Sizes are those after decompression. */
export function cutBody(body: Body, maxBytes: number): Body {
  let left = maxBytes;
  return passOn(body, (bytes) => {
    const kept = bytes.subarray(0, left);
    left -= kept.length;
    return { kept, isLast: left === 0 };
  });
}

/** Fails a stream of events if one of them has more than 16 MiB. */
export function limitEvents(body: Body, tooLarge: (maxBytes: number) => Error): Body {
  const openBytes = createEventMeter();
  return passOn(body, (bytes) => {
    if (openBytes(bytes) > MAX_ANSWER_BYTES) throw tooLarge(MAX_ANSWER_BYTES);
    return { kept: bytes, isLast: false };
  });
}

type Step = (bytes: Uint8Array) => { kept: Uint8Array; isLast: boolean };

function passOn(body: Body, step: Step): Body {
  const reader = body.getReader();
  // How the connection of an abandoned body ends does not matter.
  const abandon = () => void reader.cancel().catch(() => {});
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        try {
          const { kept, isLast } = step(value);
          controller.enqueue(kept);
          if (!isLast) return;
          controller.close();
          abandon();
        } catch (thrown) {
          abandon();
          throw thrown;
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const LF = 10;
const CR = 13;

/** Counts the bytes since the last empty line, which ends an event. A line ends in LF, CR or both. */
function createEventMeter(): (bytes: Uint8Array) => number {
  let openBytes = 0;
  let lineBytes = 0;
  let isAfterCr = false;
  return (bytes) => {
    for (const byte of bytes) {
      openBytes += 1;
      const isLineEnd = byte === CR || (byte === LF && !isAfterCr);
      if (isLineEnd && lineBytes === 0) openBytes = 0;
      if (isLineEnd) lineBytes = 0;
      else if (byte !== LF) lineBytes += 1;
      isAfterCr = byte === CR;
    }
    return openBytes;
  };
}
