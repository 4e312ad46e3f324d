import type { RawAnswer } from './chat-server.ts';
import { chunk, startStream } from './chat-server.ts';

export type { RawAnswer };

export const DONE = 'data: [DONE]\n\n';

export function usage(prompt: number, completion = 5): string {
  const total = prompt + completion;
  return chunk({}, null, { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total });
}

/** Plays answers in order and repeats the last one. */
export function inTurn(answers: readonly RawAnswer[]): RawAnswer {
  let next = 0;
  return (response) => {
    answers[Math.min(next, answers.length - 1)]?.(response);
    next += 1;
  };
}

/** Streams a text as a correct server does. */
export function says(words: string, promptTokens?: number, finish = 'stop'): RawAnswer {
  return (response) => {
    startStream(response);
    const counted = promptTokens === undefined ? '' : usage(promptTokens);
    response.end(chunk({ content: words }) + chunk({}, finish) + counted + DONE);
  };
}

export function calls(
  ...wanted: { id: string; arguments: string; name?: string; promptTokens?: number }[]
): RawAnswer {
  return (response) => {
    startStream(response);
    const made = wanted.map(({ id, name = 'look', arguments: args }, index) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] }),
    );
    const counted = wanted.map(({ promptTokens }) => (promptTokens === undefined ? '' : usage(promptTokens)));
    response.end(made.join('') + chunk({}, 'tool_calls') + counted.join('') + DONE);
  };
}

export function refuses(status: number, message: string, headers: Record<string, string> = {}): RawAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message } }));
  };
}

export function sends(head: [number, Record<string, string>], body: string | Buffer): RawAnswer {
  return (response) => {
    response.writeHead(...head);
    response.end(body);
  };
}

/** Streams pieces until the client hangs up. */
export function forever(piece: () => string): RawAnswer {
  return (response) => {
    startStream(response);
    const more = () => {
      if (response.destroyed) return;
      while (response.write(piece()));
      response.once('drain', more);
    };
    more();
  };
}
