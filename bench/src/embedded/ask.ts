export interface Timings {
  /** Tokens of the prompt that were kept from before. */
  cache_n: number;
  prompt_n: number;
  prompt_ms: number;
  predicted_n: number;
  predicted_ms: number;
}

export interface Asked {
  timings: Timings;
  ms: number;
  text: string;
}

export interface Chat {
  messages: { role: string; content: string }[];
}

/** Sends a conversation, and resolves with the answer and its times. */
export type Ask = (chat: Chat) => Promise<Asked>;

/** The server of a model reports the times of llama.cpp's server. */
export function askAt(origin: string, fetch: typeof globalThis.fetch): Ask {
  return async (chat) => {
    const started = performance.now();
    const response = await fetch(`${origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...chat, temperature: 0 }),
    });
    const answer: { timings: Timings; choices: { message: { content: string } }[] } = JSON.parse(
      await response.text(),
    );
    const text = answer.choices[0]?.message.content ?? '';
    return { timings: answer.timings, ms: performance.now() - started, text };
  };
}
