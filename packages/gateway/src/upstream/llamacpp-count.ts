import type { ChatMessage } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';
import { askServer } from './ask-server.ts';
import type { Upstream } from './upstream.ts';

/**
 * Returns a function that counts a prompt at a llama.cpp server, with the server's own template and vocabulary. It
 * returns undefined if a message has content that is not a string or has tool calls, because the count would not
 * include images and tools.
 */
export function measureByServer(
  upstream: Upstream,
  { model, apiKey }: { model: string; apiKey: string | undefined },
) {
  return async (messages: readonly ChatMessage[], signal?: AbortSignal): Promise<number | undefined> => {
    const isText = messages.every(
      ({ content, tool_calls }) => typeof content === 'string' && tool_calls === undefined,
    );
    if (!isText) return undefined;
    const templated = await askServer(upstream, '/apply-template', {
      body: { model, messages },
      apiKey,
      signal,
    });
    const prompt = isRecord(templated) ? templated['prompt'] : undefined;
    if (typeof prompt !== 'string') return undefined;
    const counted = await askServer(upstream, '/tokenize', {
      body: { content: prompt, add_special: true },
      apiKey,
      signal,
    });
    const tokens = isRecord(counted) ? counted['tokens'] : undefined;
    return Array.isArray(tokens) ? tokens.length : undefined;
  };
}
