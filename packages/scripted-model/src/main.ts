/**
 * Plays recorded answers of a provider: `npm run scripted-model -- --play FILE [--play FILE…] [--port N]`. It prints its
 * address, and the number and size of each request. It ends with Ctrl-C.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { toLonghaulError } from '@longhaul/protocol';
import { type AnswerFormat, readRecordedAnswers } from './recorded/recorded-answers.ts';
import { createRecordedServer } from './recorded/recorded-server.ts';

/** The kind of provider that sends requests in the format. */
const KINDS: Readonly<Record<AnswerFormat, string>> = {
  anthropic: 'anthropic',
  responses: 'openai',
  chat: 'openai-compatible',
  google: 'google',
};

const USAGE = 'Usage: npm run scripted-model -- --play FILE [--play FILE…] [--port N]';

try {
  await play();
} catch (thrown) {
  process.stderr.write(`${toLonghaulError(thrown).message}\n`);
  process.exitCode = 1;
}

async function play(): Promise<void> {
  const options = { play: { type: 'string', multiple: true }, port: { type: 'string' } } as const;
  const { values } = parseArgs({ options });
  const port = Number(values.port ?? 0);
  if (values.play === undefined || !Number.isInteger(port) || port < 0 || port > 65_535) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const files = await Promise.all(
    values.play.map(async (file) => readRecordedAnswers(await readFile(file, 'utf8'), file)),
  );
  const answers = files.flat();
  const server = await createRecordedServer({ answers, port });
  const format = answers[0]?.format ?? 'chat';
  const address = format === 'google' ? server.url.replace(/v1$/, 'v1beta') : server.url;
  process.stdout.write(
    `Playing ${answers.length} recorded ${answers.length === 1 ? 'answer' : 'answers'} (${format}) at ${address}
Write this line to recorded.yml:
providers: { recorded: { kind: ${KINDS[format]}, baseUrl: ${address}, apiKey: none, models: { answer: { window: 128000 } } } }
Then run: longhaul run --config recorded.yml --model recorded/answer "task"
`,
  );
  process.once('SIGINT', () => void server.close());
}
