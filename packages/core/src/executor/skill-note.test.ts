import type { Message } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import type { SessionWriter } from '../session/session-writer.ts';
import { SkillNote } from './skill-note.ts';

it('knows a skill that was read before the process stopped, and before its name was saved', async () => {
  const call = { type: 'tool', state: 'completed', metadata: { skill: 'paint' } };
  const messages = [{ id: 'm1', parts: [call] } as unknown as Message];
  const unloaded = new Set<string>();
  const appended: unknown[] = [];
  const writer = {
    log: { messages },
    unloaded,
    appendMessage: async (draft: { parts: unknown }) => void appended.push(draft.parts),
  } as unknown as SessionWriter;
  const note = new SkillNote(writer, {
    source: { skills: [], read: async (name) => ({ text: `How to ${name}.` }) },
    used: [],
    save: async () => {},
    maxChars: 1_000,
  });
  await note.appendIfDue();
  expect(appended).toEqual([]);
  unloaded.add('m1');
  note.afterCompaction();
  await note.appendIfDue();
  expect(JSON.stringify(appended)).toContain('How to paint.');
});
