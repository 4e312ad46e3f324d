/*
 * Aider's polyglot exercises: two tries for each. The agent never sees the tests; before its second try, it gets their output.
 *
 * node bench/agents/polyglot.ts --exercises FOLDER --model NAME --image NAME [--test LANGUAGE=COMMAND] [common flags] [-- flags of longhaul run]
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Adapter, COMMON_FLAGS, openAdapter, readLines, runAgent } from './adapter.ts';
import { type Exercise, findExercises, withoutSkips } from './exercises.ts';
import type { Room } from './rooms.ts';
import type { AgentResult } from './run/agent-run.ts';

const RESULTS = 'results.jsonl';
const TRIES = 2;
const WORK = '/work';
const TEST_TIMEOUT_SECONDS = 180;
/** Characters of the tests' output that the agent gets, from its end. */
const MAX_SHOWN_CHARS = 12_000;

/** Shell commands that run the tests of a language, in the folder of the exercise. */
const TESTS: Readonly<Record<string, string>> = {
  cpp: 'cmake -B build -DEXERCISM_RUN_ALL_TESTS=1 . && cmake --build build',
  go: 'go test ./...',
  java: './gradlew test --no-daemon',
  javascript: '[ -e node_modules ] || ln -s /npm-install/node_modules . ; npm test',
  python: 'python3 -m pytest -rA --tb=long',
  rust: 'cargo test -- --include-ignored',
};

export async function runPolyglot(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      ...COMMON_FLAGS,
      exercises: { type: 'string' },
      image: { type: 'string', default: 'aider-benchmark' },
      test: { type: 'string', multiple: true },
    },
  });
  if (values.exercises === undefined)
    throw new Error('--exercises is missing: a clone of polyglot-benchmark.');
  const adapter = openAdapter(values, positionals);
  const tests = { ...TESTS, ...Object.fromEntries((values.test ?? []).map(readTest)) };
  const done = adapter.done(RESULTS, 'exercise');
  const open = findExercises(values.exercises).filter(({ id }) => !done.has(id));
  await adapter.each(
    open,
    ({ id }) => id,
    (exercise) => solve(adapter, exercise, { image: values.image, test: commandFor(tests, exercise) }),
  );
  process.stdout.write(`${summary(readLines(join(adapter.out, RESULTS)))}\n`);
}

interface SolveOptions {
  image: string;
  test: string;
}

async function solve(adapter: Adapter, exercise: Exercise, { image, test }: SolveOptions): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), 'longhaul-polyglot-'));
  try {
    layOut(exercise, copy);
    const out = join(adapter.out, 'runs', exercise.language, exercise.name);
    mkdirSync(out, { recursive: true });
    await using room = await adapter.openRoom(image, { out, work: { from: copy, to: WORK } });
    const tries: { passed: boolean; result: AgentResult }[] = [];
    let task = firstTask(exercise);
    while (tries.length < TRIES && tries.at(-1)?.passed !== true) {
      const session = tries.at(-1)?.result.sessionId;
      const result = await runAgent(
        adapter,
        { room, out, name: `try-${tries.length + 1}` },
        { task, cwd: WORK, ...(session && { session }) },
      );
      const { passed, output } = await runTests(room, exercise, { copy, test });
      tries.push({ passed, result });
      writeFileSync(join(out, `tests-${tries.length}.txt`), output);
      task = secondTask(exercise, output);
    }
    adapter.append(RESULTS, {
      exercise: exercise.id,
      passed: tries.map((each) => each.passed),
      costUsd: sum(tries.map(({ result }) => result.costUsd)),
      tries: tries.map(({ result }) => result),
    });
    process.stdout.write(
      `${exercise.id}: ${tries.map(({ passed }) => (passed ? 'passed' : 'failed')).join(', ')}\n`,
    );
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Copies the exercise without its tests, its solution and its documents. */
function layOut({ folder, tests }: Exercise, copy: string): void {
  const hidden = new Set(['.meta', '.docs', '.git', ...tests].map((name) => join(folder, name)));
  cpSync(folder, copy, { recursive: true, filter: (path) => !hidden.has(path) });
}

/** Runs the original tests, and removes them again. */
async function runTests(
  room: Room,
  { folder, tests, language }: Exercise,
  { copy, test }: { copy: string; test: string },
): Promise<{ passed: boolean; output: string }> {
  for (const name of tests) {
    const path = join(copy, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withoutSkips(language, readFileSync(join(folder, name), 'utf8')));
  }
  const { code, stdout, stderr } = await room.run(['/bin/sh', '-c', test], {
    cwd: WORK,
    timeoutSeconds: TEST_TIMEOUT_SECONDS,
  });
  for (const name of tests) rmSync(join(copy, name), { force: true });
  const ending = code === null ? `\n[stopped after ${TEST_TIMEOUT_SECONDS} seconds]` : '';
  return { passed: code === 0, output: stdout + stderr + ending };
}

function firstTask({ instructions, solutions }: Exercise): string {
  return `${instructions}\n\nImplement this in ${solutions.join(', ')}. Keep the names of the given functions and classes: hidden tests use them. Use only the standard library.\n`;
}

function secondTask({ solutions }: Exercise, output: string): string {
  const shown = output.length > MAX_SHOWN_CHARS ? `[…]\n${output.slice(-MAX_SHOWN_CHARS)}` : output;
  return `The tests fail. They are correct. Fix ${solutions.join(', ')}.\n\n<test-output>\n${shown}\n</test-output>\n`;
}

function commandFor(tests: Readonly<Record<string, string>>, { language, id }: Exercise): string {
  const command = tests[language];
  if (command === undefined) throw new Error(`${id}: give its tests with --test ${language}=COMMAND.`);
  return command;
}

function readTest(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new Error(`--test ${text}: it must be LANGUAGE=COMMAND.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function summary(results: readonly Record<string, unknown>[]): string {
  const passed = results.map((each) => each['passed'] as boolean[]);
  const share = (tries: number) =>
    `${passed.filter((each) => each.slice(0, tries).includes(true)).length} of ${results.length}`;
  const cost = sum(results.map((each) => each['costUsd'] as number | null));
  return `Passed at the first try: ${share(1)}; after the second: ${share(TRIES)}. Cost: ${cost === null ? 'not known' : `$${cost.toFixed(2)}`}.`;
}

/** Null if one of them is not known. */
function sum(costs: readonly (number | null)[]): number | null {
  return costs.reduce<number | null>(
    (total, cost) => (total === null || cost === null ? null : total + cost),
    0,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runPolyglot(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
