import { answer, calls, playedDriver, testRun, testTool, text } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';

const RETURNED = `\u001b[31mred\u001b[0m ${'long '.repeat(2_000)}`;

async function resultOf(rawToolResults: boolean | undefined) {
  const look = testTool('look', () => text(RETURNED), { maxOutputChars: 1_000 });
  const driver = playedDriver([calls({ callId: 'a', name: 'look', input: {} }), answer('Done.')]);
  const test = await testRun(driver, [look], { rawToolResults });
  await test.run('go');
  return test.of('llm:tool-result')[0];
}

it('adds the result as the tool returned it, on request', async () => {
  const event = await resultOf(true);
  expect(event?.rawResult).toEqual([{ type: 'text', text: RETURNED }]);
  expect(JSON.stringify(event?.sanitized)).not.toContain('u001b');
  expect(event).toMatchObject({ truncated: true });
});

it('adds nothing otherwise', async () => {
  expect(await resultOf(undefined)).toMatchObject({ rawResult: undefined, truncated: true });
});
