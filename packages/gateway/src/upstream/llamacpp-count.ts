import type { ChatMessage } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';
import { askServer } from './ask-server.ts';
import type { Upstream } from './upstream.ts';

/**
 * Counts a prompt as llama.cpp will: its own template, its own vocabulary. Images and tools are not in it, so a request with those is not
 * measured.
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
