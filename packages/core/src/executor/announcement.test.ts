import { describe, expect, it } from 'vitest';
import { announcesStep, asksOnly } from './announcement.ts';

describe('announcesStep', () => {
  it.each([
    'Let me now run the tests.',
    'The parser is fixed. Let me now run the tests.',
    "I'll start by reading the configuration.",
    "Next, I'll update the imports.",
    'Now I will add the missing case.',
    'Let me check the log:',
    'Now let me verify the fix…',
    "I'm going to rewrite the loader.",
    'I am now running the whole suite.',
    'Now that the types are right, I will run the build.',
    "The tests pass; now I'll update the docs.",
    'Before finishing, let me run the linter.',
    "Let's look at `src/app.ts` first.",
    'Let me check if the tests pass.',
    'Great! Let me fix the remaining two.',
    '**Now let me implement the second part.**',
    'Done with the first file.\n\nMoving on to the second one.',
    'Proceeding to the migration.',
    'Running the tests now.',
    'Now updating the documentation.',
    'I need to update the snapshot as well.',
    'Now I need to fix the two callers.',
    'I still have to run the integration tests.',
    'Let me see what the function returns.',
    'I’ll quickly verify that with a test.',
    "Here is the cause:\n\n```ts\nreturn 1;\n```\n\nI'll fix it.",
    "Two callers are left, so I'll change them.",
    'Let me go ahead and create the file.',
    "I'll continue with the next item. 🚀",
    "We'll now run the benchmark.",
    'Tests first. Then I will refactor the module.',
    'Continuing with the remaining items.',
    "I found the bug in `parse.ts`. I'm about to fix it.",
  ])('finds a step in %j', (answer) => {
    expect(announcesStep(answer)).toBe(true);
  });

  it.each([
    'Done.',
    '',
    'All tests pass.',
    'Let me know if you want anything else.',
    "Let me know if you'd like me to run the tests.",
    'Should I now run the tests?',
    'Shall I continue with the second part?',
    'I can run the tests too.',
    'You can run the tests with `npm test`.',
    'If you want, I will add a test.',
    "I'll run the tests if you install the database.",
    'Once CI is green, I will merge it.',
    'I will merge it once the review is done.',
    "I'll wait for your answer.",
    "I'll be glad to help.",
    'I will not change the schema.',
    "I'll keep that in mind.",
    'I ran the tests, and they pass.',
    'I had to update the snapshot.',
    'I would fix the loader first.',
    'Next steps: run the tests, and deploy.',
    'Next, run the migration.',
    'What remains:\n- Run the tests',
    "What remains:\n1. I'll run the tests",
    'The script prints:\n```\nLet me now run the tests.\n```',
    'The message is `I will run the tests.`',
    'The log says "Now I will restart."',
    '> Let me now run the tests.',
    'Let me now explain why it failed: the clock was wrong.',
    'The service is running now.',
    'Everything is working now.',
    'To check it, run the tests.',
    'The next step is to run the tests, which needs a key.',
    'I need you to review the change.',
    'Please run the tests, then I will fix the rest.',
    'From now on I will use tabs.',
    'I will do that later.',
    'We need to run the tests on Windows, too.',
    'The function will then read the file.',
    "Let me now run the tests. They pass, so I'm done.",
    'The tool will now check the input.',
    "I'll leave the other file as it is.",
    'I assumed that the port is 8080.',
    'To finish it, I need to see the log, so please attach it.',
    '```\nLet me run the tests.',
  ])('finds none in %j', (answer) => {
    expect(announcesStep(answer)).toBe(false);
  });

  it('reads a long answer in linear time', () => {
    const long = 'now i will not, and so '.repeat(40_000);
    expect(announcesStep(long)).toBe(false);
    expect(announcesStep('ich werde das, i should '.repeat(40_000))).toBe(false);
    expect(announcesStep('“'.repeat(400_000))).toBe(false);
    expect(announcesStep(`${'```\ncode\n'.repeat(40_001)}`)).toBe(false);
  });
});

it.each([
  ['Which port?', true],
  ['Which port? And which host?', true],
  ['The port is taken. Which one?', false],
  ['Done.', false],
  ['', false],
])('asksOnly(%j) is %j', (answer, expected) => {
  expect(asksOnly(answer)).toBe(expected);
});
