import type { LonghaulEvent } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { ConversationView } from './conversation-view.ts';
import { Openables } from './openable.ts';

/** What is printed for an answer of which these pieces arrive. */
function printed(pieces: readonly string[], content: string): string {
  let text = '';
  const view = new ConversationView({
    paint: createPaint(false),
    colors: false,
    columns: () => 80,
    print: (more) => {
      text += more;
    },
    openables: new Openables(),
    compactionText: async () => '',
    showsReasoning: () => false,
  });
  const common = { sessionId: 's', at: 0 };
  const place = { messageId: 'm', partIndex: 0, offset: 0 };
  const events: LonghaulEvent[] = [
    ...pieces.map(
      (piece) => ({ ...common, ...place, type: 'llm:chunk', chunkType: 'text', content: piece }) as const,
    ),
    { ...common, type: 'llm:response', content, provider: 'p', model: 'm', finishReason: 'stop' },
    { ...common, type: 'context:usage', tokens: 1, windowTokens: 2, usableTokens: 2 } as LonghaulEvent,
  ];
  for (const event of events) view.show(event);
  return text.trim();
}

it.each([
  ['all pieces', ['One two ', 'three.']],
  ['the first pieces', ['One two ']],
  ['no piece', []],
])('prints an answer once and whole when it received %s', (_name, pieces) => {
  expect(printed(pieces, 'One two three.')).toBe('One two three.');
});

it('does not print an answer again if its pieces differ from it', () => {
  expect(printed(['Other text.'], 'One two three.')).toBe('Other text.');
});
