import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { createTodoTool } from '@longhaul/tools';
import { describe, expect, it } from 'vitest';

const look = testTool('look', () => text('some words of a file\n'.repeat(150)));
const reads = (steps: number) =>
  Array.from({ length: steps }, (_, index) => calls({ name: 'look', callId: `look${index}` }));

async function runIn(windowTokens: number, { steps = 90, isOn = true } = {}) {
  const keep = calls({ name: 'todo', callId: 'plan', input: { items: ['next'], keep: ['one', 'two'] } });
  const driver = playedDriver([keep, ...reads(steps), answer('Done.')], {
    windowTokens,
    maxOutputTokens: 4_000,
  });
  const test = await testRun(driver, [look, createTodoTool()], { askOpenItems: false, budgetNotes: isOn });
  await test.run('go');
  const messages = await test.messages();
  const notes = messages.flatMap(({ metadata, parts }) =>
    metadata?.synthetic === 'budget'
      ? parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      : [],
  );
  return { test, driver, notes };
}

describe('the note about a full context', () => {
  it('comes once at each level between two compactions', async () => {
    const { test, notes } = await runIn(32_000);
    const rounds = test.of('context:compressed').length;
    expect(rounds).toBeGreaterThan(1);
    expect(notes.length).toBeGreaterThanOrEqual(2 * rounds);
    expect(notes.length).toBeLessThanOrEqual(2 * rounds + 2);
    const [first, second] = notes;
    expect(first).toMatch(
      /^A note from the program: the context is 7\d % full\. After about \d,\d00 more tokens, a summary replaces older messages, except the todo list, 2 kept facts and the last steps\. Put other facts/,
    );
    expect(second).toMatch(/the context is 8\d % full.*the last steps\.$/);
  });

  it('only appends to the request before it', async () => {
    const { driver } = await runIn(32_000, { steps: 45 });
    let appended = 0;
    for (const [index, { messages }] of driver.requests.entries()) {
      const before = driver.requests[index - 1]?.messages ?? [];
      if (JSON.stringify(messages).includes('a summary replaces') && messages.length > before.length) {
        appended += 1;
        expect(messages.slice(0, before.length)).toEqual(before);
      }
    }
    expect(appended).toBeGreaterThan(0);
  });

  it('is not repeated by the next run', async () => {
    const driver = playedDriver([...reads(11), answer('Done.'), answer('Yes.')], {
      windowTokens: 16_000,
      maxOutputTokens: 4_000,
    });
    const test = await testRun(driver, [look]);
    const count = async () =>
      (await test.messages()).filter(({ metadata }) => metadata?.synthetic === 'budget').length;
    await test.run('go');
    const before = await count();
    expect(before).toBeGreaterThan(0);
    await test.run('Is it done?');
    expect(test.of('context:compressed')).toEqual([]);
    expect(await count()).toBe(before);
  });

  it('takes at most a fiftieth of the room for messages, so that a small window has none', async () => {
    for (const windowTokens of [4_000, 8_000, 16_000, 32_000]) {
      const { test, notes } = await runIn(windowTokens, { steps: 90 });
      const rounds = test.of('context:compressed').length;
      expect(rounds).toBeGreaterThan(0);
      if (windowTokens === 4_000) expect(notes).toEqual([]);
      const room = (windowTokens * 3) / 4;
      const chars = notes.join('').length / (rounds + 1);
      expect(chars / 4).toBeLessThan(room / 50);
    }
  });

  it('gives no advice to an agent without the tool', async () => {
    const driver = playedDriver([...reads(40), answer('Done.')], {
      windowTokens: 32_000,
      maxOutputTokens: 4_000,
    });
    const test = await testRun(driver, [look]);
    await test.run('go');
    const note = (await test.messages()).find(({ metadata }) => metadata?.synthetic === 'budget');
    expect(note?.parts).toMatchObject([
      { text: expect.stringMatching(/older messages, except the last steps\.$/) },
    ]);
  });

  it('is off with the setting', async () => {
    expect((await runIn(32_000, { isOn: false })).notes).toEqual([]);
  });
});
