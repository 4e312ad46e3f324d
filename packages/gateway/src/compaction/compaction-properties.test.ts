import type { ChatMessage } from '@longhaul/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contextWith, selectingModel, words } from '../../test/compaction-support.ts';
import type { StrictRoles } from './types.ts';

const WINDOW = 4_096;

/**
 * Pieces of a conversation: turns, steps with one or two calls, calls without results, results without calls, late
 * system texts.
 */
type Piece = 'user' | 'assistant' | 'step' | 'two calls' | 'open call' | 'lost result' | 'system';
const pieces = fc.array(
  fc.tuple(
    fc.constantFrom<Piece>(
      'user',
      'user',
      'assistant',
      'step',
      'step',
      'two calls',
      'open call',
      'lost result',
      'system',
    ),
    fc.integer({ min: 1, max: 1_200 }),
  ),
  { minLength: 10, maxLength: 80 },
);

function messagesOf(list: readonly (readonly [Piece, number])[]): ChatMessage[] {
  const call = (id: string) =>
    ({ id, type: 'function', function: { name: 'read', arguments: `{"path":"${id}.ts"}` } }) as const;
  const messages = list.flatMap(([piece, chars], index): ChatMessage[] => {
    const text = words(index, chars);
    const id = `c${index}`;
    const result = (of: string): ChatMessage => ({ role: 'tool', tool_call_id: of, content: text });
    switch (piece) {
      case 'user':
      case 'assistant':
        return [{ role: piece, content: text }];
      case 'system':
        return [{ role: 'system', content: text.slice(0, 40) }];
      case 'step':
        return [{ role: 'assistant', content: null, tool_calls: [call(id)] }, result(id)];
      case 'two calls':
        return [
          { role: 'assistant', content: 'Both.', tool_calls: [call(id), call(`${id}b`)] },
          result(`${id}b`),
          result(id),
        ];
      case 'open call':
        return [{ role: 'assistant', content: '', tool_calls: [call(id)] }];
      default:
        return [result(`lost${index}`)];
    }
  });
  const task = { role: 'user', content: 'The task.' } as const;
  return [{ role: 'system', content: 'Be brief.' }, task, ...messages, { role: 'user', content: 'And now?' }];
}

function areCallsPaired(messages: readonly ChatMessage[]): boolean {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) return false;
    } else if (open.size > 0) return false;
    for (const { id } of message.tool_calls ?? []) open.add(id);
  }
  return open.size === 0;
}

it('rewrites any conversation so that it fits, is well-formed, ends with the question, and repeats', async () => {
  await fc.assert(
    fc.asyncProperty(
      pieces,
      fc.constantFrom<StrictRoles | undefined>(undefined, 'alternate', 'no-system'),
      fc.boolean(),
      async (list, strictRoles, hasModel) => {
        const { context } = contextWith(hasModel ? { askModel: selectingModel().askModel } : {});
        const messages = messagesOf(list);
        const request = {
          model: 'm',
          windowTokens: WINDOW,
          messages,
          strictRoles,
        };
        const prepared = await context.prepare(request);
        if (!prepared.isRewritten) {
          expect(prepared.messages).toBe(messages);
          return;
        }
        expect(prepared.estimatedTokens + 512).toBeLessThanOrEqual(WINDOW);
        expect(areCallsPaired(prepared.messages)).toBe(true);
        expect(String(prepared.messages.at(-1)?.content)).toMatch(/And now\?$/);
        if (strictRoles !== undefined) {
          const roles = prepared.messages.map(({ role }) => role).join(' ');
          expect(roles).toMatch(strictRoles === 'alternate' ? /^system user/ : /^user/);
          expect(roles.slice(6)).not.toMatch(/system|user user|tool user/);
        }
        const text = JSON.stringify(prepared.messages);
        const again = await context.prepare({ ...request, messages: JSON.parse(JSON.stringify(messages)) });
        expect(JSON.stringify(again.messages)).toBe(text);
        const more: ChatMessage[] = [
          ...messages,
          { role: 'assistant', content: 'So.' },
          { role: 'user', content: 'Go on.' },
        ];
        const next = await context.prepare({ ...request, messages: more });
        if (next.compacted?.isFromCache === true)
          expect(JSON.stringify(next.messages.slice(0, prepared.messages.length))).toBe(text);
      },
    ),
    { numRuns: 60 },
  );
});
