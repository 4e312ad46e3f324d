import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AFTER_RESULTS_TEXT, toStrictRoles } from './roles.ts';
import type { ViewAssistantPart, ViewMessage } from './view-message.ts';

const word = fc.string({ minLength: 1, maxLength: 6 });

const userMessages = fc
  .array(
    fc.oneof(
      word.map((text) => ({ type: 'text' as const, text })),
      word.map((data) => ({ type: 'image' as const, data })),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((content): ViewMessage => ({ role: 'user', content }));

const assistantParts: fc.Arbitrary<ViewAssistantPart> = fc.oneof(
  word.map((text) => ({ type: 'text' as const, text })),
  fc.record({
    type: fc.constant('tool' as const),
    callId: word,
    name: word,
    input: fc.constant({}),
    output: fc.array(
      word.map((text) => ({ type: 'text' as const, text })),
      { minLength: 1, maxLength: 2 },
    ),
    isError: fc.boolean(),
  }),
);

const assistantMessages = fc
  .array(assistantParts, { minLength: 1, maxLength: 3 })
  .map((content): ViewMessage => ({ role: 'assistant', content }));

const views = fc.array(fc.oneof(userMessages, assistantMessages), { maxLength: 12 });

/** The roles as a wire format has them: results are separate messages. */
function wireRoles(messages: readonly ViewMessage[]): string[] {
  return messages.flatMap((message) =>
    message.content.some((part) => part.type === 'tool') ? ['assistant', 'tool'] : [message.role],
  );
}

/** All content in order, with texts as one string, without the texts that strict roles add. */
function contentOf(messages: readonly ViewMessage[], added: readonly string[] = []): string[] {
  return messages.flatMap((message) =>
    message.content.flatMap((part): string[] => {
      if (part.type !== 'text') return [JSON.stringify(part)];
      return part.text.split('\n\n').filter((text) => !added.includes(text));
    }),
  );
}

describe('toStrictRoles', () => {
  it('starts with a user, alternates, and puts only an assistant after a result', () => {
    fc.assert(
      fc.property(views, (view) => {
        const roles = wireRoles(toStrictRoles(view));
        if (view.length > 0) expect(roles[0]).toBe('user');
        for (const [index, role] of roles.entries()) {
          const next = roles[index + 1];
          if (next === undefined) continue;
          if (role === 'user' || role === 'tool') expect(next).toBe('assistant');
          else expect(['user', 'tool']).toContain(next);
        }
      }),
    );
  });

  it('keeps every text, image and call with its result, in order', () => {
    fc.assert(
      fc.property(views, (view) => {
        const added = [AFTER_RESULTS_TEXT, 'Continue.'];
        const kept = contentOf(toStrictRoles(view), added);
        expect(kept).toEqual(contentOf(view, added));
      }),
    );
  });

  it('changes nothing the second time, and returns unchanged messages as they are', () => {
    fc.assert(
      fc.property(views, (view) => {
        const once = toStrictRoles(view);
        const twice = toStrictRoles(once);
        expect(twice).toHaveLength(once.length);
        for (const [index, message] of twice.entries()) expect(message).toBe(once[index]);
      }),
    );
  });

  it('puts the system text at the beginning of the first user message', () => {
    fc.assert(
      fc.property(views, (view) => {
        const strict = toStrictRoles(view, { system: 'Be brief.' });
        const first = strict[0]?.content[0];
        expect(strict[0]?.role).toBe('user');
        expect(first?.type === 'text' && first.text.startsWith('Be brief.')).toBe(true);
        expect(wireRoles(strict).slice(1)).toEqual(wireRoles(toStrictRoles(view)).slice(1));
      }),
    );
  });

  it('joins neighbouring user texts, and keeps images between them in place', () => {
    const strict = toStrictRoles([
      { role: 'user', content: [{ type: 'text', text: 'one' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'two' },
          { type: 'image', data: 'x' },
          { type: 'text', text: 'three' },
        ],
      },
    ]);
    expect(strict).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one\n\ntwo' },
          { type: 'image', data: 'x' },
          { type: 'text', text: 'three' },
        ],
      },
    ]);
  });
});
