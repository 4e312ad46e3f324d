import { lastUserText, type Script, type ScriptReply } from '@longhaul/scripted-model';

/**
 * The project of the pictures. `check.sh` waits for a file of its parent folder, so that a picture can be taken in the
 * meantime.
 */
export const PROJECT: Readonly<Record<string, string>> = {
  'README.md': '# Flashcards\n\nAsks the cards that are due, and plans when to ask them again.\n',
  'src/schedule.js': `const DAY_MS = 24 * 3600 * 1000;

/** Returns when a card is asked again. */
export function nextDue(card, now) {
  const days = card.isKnown ? card.days * 2 : 1;
  return card.due + days * DAY_MS;
}
`,
  'data/cards.csv': cardLines(),
  'check.sh': `for name in "asks a new card at once" "doubles the days of a known card" "asks a forgotten card tomorrow"; do
  echo "✔ $name"
done
sleep 0.2
[ -e ../go ] || echo "… plans a card that was answered late"
until [ -e ../go ]; do sleep 0.05; done
grep -q "now + days" src/schedule.js && echo "✔ plans a card that was answered late" && exit 0
echo "✖ plans a card that was answered late"
echo "  expected 2026-03-11, received 2026-03-04"
exit 1
`,
};

function cardLines(): string {
  const days = Array.from({ length: 240 }, (_, index) => 1 + ((index * 7) % 30));
  return days.map((count, index) => `card-${index},${count},known,answered late\n`).join('');
}

export const TASK = 'Cards that are answered late come back too early. Find out why, and fix it.';

const TODO = [
  'Find where the next date is computed',
  'Reproduce it with the tests',
  'Fix it',
  'Run all tests',
];

/** The todo list when as many items are done. */
function todo(done: number): ScriptReply {
  const statusOf = (index: number) => (index < done ? 'done' : index === done ? 'in_progress' : 'pending');
  const items = TODO.map((text, index) => ({ text, status: statusOf(index) }));
  return { toolCalls: [{ name: 'todo', arguments: { items } }] };
}

/** One reply for each step of the task. */
const STEPS: readonly ScriptReply[] = [
  {
    reasoning:
      'The next date of a card is probably computed from the date at which it was due, and not from the date at which it was answered. I look at the code first.',
    ...todo(0),
  },
  { toolCalls: [{ name: 'read', arguments: { path: 'src/schedule.js' } }] },
  { toolCalls: [{ name: 'read', arguments: { path: 'data/cards.csv' } }] },
  {
    text: '`nextDue` adds the days to `card.due`. A card that is answered a week late is then planned **a week too early**. The tests should show it:',
    toolCalls: [{ name: 'bash', arguments: { command: 'sh check.sh' } }],
  },
  todo(2),
  {
    text: 'The last test fails as expected. The days must count from the answer:',
    toolCalls: [
      {
        name: 'edit',
        arguments: {
          path: 'src/schedule.js',
          old: '  return card.due + days * DAY_MS;',
          new: '  // A late answer must not shorten the pause.\n  return now + days * DAY_MS;',
        },
      },
    ],
  },
  { toolCalls: [{ name: 'bash', arguments: { command: 'sh check.sh | tail -n 2' } }] },
  todo(4),
];

const ANSWER = `Cards now keep their whole pause, **however late** they are answered:

\`\`\`js
// src/schedule.js
export function nextDue(card, now) {
  const days = card.isKnown ? card.days * 2 : 1;
  return now + days * DAY_MS; // was: card.due
}
\`\`\`

1. The tests pass, including the one for late answers.
2. The README says nothing about late answers, so nothing changes there.
`;

/** Answers the task of the pictures, and then each message in a sentence. */
export const chatScript: Script = ({ messages, asksForSummary }) => {
  if (asksForSummary)
    return 'The cause was `nextDue`: it added the days to the date at which the card was due. It now adds them to the date of the answer.';
  if (lastUserText(messages).includes('leap')) return 'Yes: it adds days of 24 hours in UTC.';
  const steps = messages.filter(({ role }) => role === 'assistant').length;
  return STEPS[steps] ?? ANSWER;
};
