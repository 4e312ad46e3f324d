import type { ChatMessage } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import { countMessages } from './count-messages.ts';
import type { TokenFamily } from './token-family.ts';
import type { Tokenizer } from './tokenizer.ts';

/** One token for each character, so that sums can be checked by eye. */
function byCharacter(family: TokenFamily): Tokenizer {
  return { family, exact: true, count: (text) => text.length };
}

const GPT = byCharacter('o200k');
const ONE_PIXEL_PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('countMessages', () => {
  it('adds 4 for each message and 3 for the reply', () => {
    expect(countMessages([], GPT)).toBe(3);
    const messages: ChatMessage[] = [
      { role: 'system', content: 'abc' },
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
    ];
    expect(countMessages(messages, GPT)).toBe(4 + 3 + 4 + 5 + 3);
  });

  it.each(['mistral', 'tekken'] as const)('adds 5 for each message of %s', (family) => {
    expect(countMessages([{ role: 'user', content: 'abc' }], byCharacter(family))).toBe(5 + 3 + 3);
  });

  it('counts names, reasoning, tool calls and tools', () => {
    const call: ChatMessage = {
      role: 'assistant',
      content: null,
      reasoning_content: 'hmm',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"a":1}' } }],
    };
    expect(countMessages([call], GPT)).toBe(4 + 3 + (4 + 4 + 7) + 3);
    expect(countMessages([{ role: 'user', name: 'ann', content: 'x' }], GPT)).toBe(4 + 1 + (3 + 1) + 3);
    const tools = [{ type: 'function' as const, function: { name: 'read' } }];
    expect(countMessages([], GPT, { tools })).toBe(3 + JSON.stringify(tools).length);
  });

  it('counts images by the model, and by their size if it can be read', () => {
    const image = (url: string, detail?: string): ChatMessage[] => [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url, detail } }],
      },
    ];
    expect(countMessages(image(ONE_PIXEL_PNG), GPT, { model: 'gpt-4o' })).toBe(4 + 255 + 3);
    expect(countMessages(image(ONE_PIXEL_PNG), GPT, { model: 'claude-opus-4-5' })).toBe(4 + 1 + 3);
    expect(countMessages(image(ONE_PIXEL_PNG), GPT, { model: 'gemini-2.5-flash' })).toBe(4 + 258 + 3);
    expect(countMessages(image('https://example.com/a.png'), GPT, { model: 'gpt-4o' })).toBe(4 + 765 + 3);
    expect(countMessages(image('https://example.com/a.png', 'low'), GPT, { model: 'gpt-4o' })).toBe(
      4 + 85 + 3,
    );
  });

  it('counts files by kind and size, and unknown content as JSON', () => {
    const data = (mediaType: string) => `data:${mediaType};base64,${Buffer.alloc(300).toString('base64')}`;
    const file = (mediaType: string): ChatMessage[] => [
      { role: 'user', content: [{ type: 'file', file: { file_data: data(mediaType) } }] },
    ];
    expect(countMessages(file('text/csv'), GPT)).toBe(4 + 100 + 3);
    expect(countMessages(file('application/pdf'), GPT, { model: 'gemini-2.5-pro' })).toBe(4 + 258 + 3);
    const odd: ChatMessage[] = [{ role: 'user', content: [{ type: 'odd' }] }];
    expect(countMessages(odd, GPT)).toBe(4 + '{"type":"odd"}'.length + 3);
  });
});
