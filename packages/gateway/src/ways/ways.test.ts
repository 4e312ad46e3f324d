import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MESSAGES } from './messages.ts';
import { OLLAMA_CHAT } from './ollama-chat.ts';
import { RESPONSES } from './responses.ts';

const text = fc.constantFrom(
  '',
  'a',
  'user',
  'assistant',
  'tool',
  'text',
  'tool_use',
  'function_call',
  'x_output',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom(
        'type',
        'role',
        'content',
        'text',
        'call_id',
        'output',
        'input',
        'id',
        'tool_calls',
        'function',
      ),
      tie('any'),
      { maxKeys: 5 },
    ),
  ),
})).any;

it.each([RESPONSES, MESSAGES, OLLAMA_CHAT])(
  '$path reads any request, and writes all received messages back',
  (way) => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), value, value, (conversation, system, tools) => {
        const json = { [way.conversationField]: conversation, system, instructions: system, tools };
        const { messages, write } = way.read(json);
        const objects = conversation.filter(
          (item) => typeof item === 'object' && item !== null && !Array.isArray(item),
        );
        const written = write(messages);
        expect(Array.isArray(written)).toBe(true);
        // Neighbours of one role become one message in Anthropic's form.
        if (way !== MESSAGES) expect(written).toEqual(objects);
        expect(() => way.usageOf(json)).not.toThrow();
      }),
    );
  },
);
