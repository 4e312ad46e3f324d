import type { ChatMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { contextWith, selectingModel, textsOf, user } from '../../test/compaction-support.ts';
import type { CompactionAsk } from './types.ts';

const FILES = 60;
/** About 2,000 tokens: the instructions and tools of a small coding agent. */
const INSTRUCTIONS: ChatMessage = { role: 'system', content: 'You are a coding agent. '.repeat(330) };
const STARTS = ['zor', 'vel', 'mik', 'tam', 'bru', 'kel'];
const ENDS = ['quil', 'dane', 'fost', 'wick', 'plum', 'gram', 'hest', 'noll', 'rind', 'sark'];
const word = (file: number) => `${STARTS[file % 6]}${ENDS[Math.floor(file / 6)]}`;
const WORDS = Array.from({ length: FILES }, (_, file) => word(file));
const wordsIn = (text: string) => WORDS.filter((planted) => new RegExp(`\\b${planted}\\b`).test(text));

/** A step that reads a file of about 650 tokens, with a word in its middle. */
function step(file: number): ChatMessage[] {
  const id = `c${file}`;
  const text = (part: number) =>
    Array.from({ length: 60 }, (_, line) => `row ${part + line} of the file ${file}`).join('\n');
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id, type: 'function', function: { name: 'read', arguments: `{"path":"f${file}.txt"}` } },
      ],
    },
    { role: 'tool', tool_call_id: id, content: `${text(0)}\nThe code word is ${word(file)}.\n${text(60)}` },
  ];
}

/** Summaries with all words that the model has seen, in good and in bad forms. */
type Form = (words: readonly string[]) => string;

const FORMS: Readonly<Record<string, Form>> = {
  good: (words) => json(`Code words so far: ${words.join(', ')}. Next: the next file.`),
  prose: (words) => `Code words so far: ${words.join(', ')}. Next: the next file.`,
  broken: (words) =>
    json(`Code words\nso far: ${words.join(', ')}. Next: the next file.`)
      .replaceAll('\\n', '\n')
      .slice(0, -20),
  long(words) {
    const groups = Array.from({ length: Math.ceil(words.length / 5) }, (_, at) =>
      words.slice(at * 5, at * 5 + 5),
    );
    const sentences = groups.map((group) => `The next words are ${group.join(', ')}.`);
    return json(
      `${sentences.join(' ')} ${'Nothing else happened, and the work goes on as planned. '.repeat(40)}`,
    );
  },
};

/** One sentence for each word: five times as long as requested. */
const verbose: Form = (seen) =>
  json(seen.map((planted) => `The code word of the next file is ${planted}, as its text says.`).join(' '));

function json(summary: string): string {
  return JSON.stringify({ keep: [], condense: [], summary });
}

it.each([
  ...Object.entries(FORMS).map(([name, form]) => ({ windowTokens: 16_384, name, form, least: FILES })),
  ...Object.entries(FORMS).map(([name, form]) => ({ windowTokens: 8_192, name, form, least: 45 })),
  { windowTokens: 8_192, name: 'verbose', form: verbose, least: 45 },
])(
  'keeps $least of 60 words visible in a window of $windowTokens with $name summaries',
  async ({ windowTokens, form, least }) => {
    const write = ({ messages }: CompactionAsk) => form(wordsIn(textsOf(messages)));
    const model = selectingModel((ask) => ({ status: 'ok', text: write(ask), finishedBy: 'stop' }));
    const { context } = contextWith({ askModel: model.askModel });
    const messages: ChatMessage[] = [INSTRUCTIONS, user('Read all files, and note the code word of each.')];
    let visible = 0;
    for (let file = 0; file < FILES; file += 1) {
      messages.push(...step(file));
      const prepared = await context.prepare({ model: 'm', windowTokens, messages: [...messages] });
      expect(prepared.estimatedTokens).toBeLessThan(windowTokens - 1_000);
      visible = wordsIn(textsOf(prepared.messages)).length;
    }
    expect(model.asks.length).toBeGreaterThan(2);
    expect(visible).toBeGreaterThanOrEqual(least);
  },
);
