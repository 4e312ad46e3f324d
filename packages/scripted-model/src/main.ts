/**
 * Plays recorded answers of a provider: `npm run scripted-model -- --play FILE [--play FILE…] [--port N]`. It prints
 * its address, and the number and size of each request. It ends with Ctrl-C.
 */
import { parseArgs } from 'node:util';
import { ERROR_TRAITS, LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { readRecording } from './recorded/read-recording.ts';
import { type AnswerFormat, type RecordedAnswer, readRecordedAnswers } from './recorded/recorded-answers.ts';
import { createRecordedServer, type RecordedServer } from './recorded/recorded-server.ts';

/** The kind of provider that sends requests in the format. */
const KINDS: Readonly<Record<AnswerFormat, string>> = {
  anthropic: 'anthropic',
  responses: 'openai',
  chat: 'openai-compatible',
  google: 'google',
};

const HELP = `Plays recorded answers of a provider to the agent.

Usage: npm run scripted-model -- --play FILE [--play FILE…] [--port N]

      --play FILE   a stream of events as it was received, or one event as JSON on each line. Each request gets the next
                    answer; the last one is repeated
      --port N      port on 127.0.0.1. Default: a free one
  -h, --help        prints this help
`;

try {
  await play(parse());
} catch (thrown) {
  const error = toLonghaulError(thrown);
  process.stderr.write(`${error.message}\n`);
  process.exitCode = ERROR_TRAITS[error.code].exitCode;
}

/** Without a file to play, the command prints its help. */
function parse(): { files: string[]; port: number } | undefined {
  const options = {
    play: { type: 'string', multiple: true },
    port: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ options }));
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
  if (values.help === true) return undefined;
  if (values.play === undefined) throw usage('No file to play is named.');
  const port = Number(values.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usage(`--port needs a number from 0 to 65535, not "${values.port}".`);
  return { files: values.play, port };
}

function usage(problem: string): LonghaulError {
  return new LonghaulError('usage', `${problem}\nSee: npm run scripted-model -- --help`);
}

async function play(asked: { files: string[]; port: number } | undefined): Promise<void> {
  if (asked === undefined) {
    process.stdout.write(HELP);
    return;
  }
  const files = await Promise.all(
    asked.files.map(async (file) => readRecordedAnswers(await readRecording(file), file)),
  );
  const answers = files.flat();
  const server = await serve(answers, asked.port);
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

async function serve(answers: readonly RecordedAnswer[], port: number): Promise<RecordedServer> {
  try {
    return await createRecordedServer({ answers: [...answers], port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw usage(`Port ${port} is in use. Name another one, or leave --port out for a free one.`);
    if (code === 'EACCES') throw usage(`This user may not listen on port ${port}. Name one above 1023.`);
    throw error;
  }
}
