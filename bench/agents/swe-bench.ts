/*
 * SWE-bench Verified: gives each issue to the agent in its repository, and writes the change as a prediction for the official evaluation.
 *
 * node bench/agents/swe-bench.ts --dataset FILE.jsonl --model NAME [--repos FOLDER] [--image TEMPLATE] [common flags] [-- flags of longhaul run]
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Adapter, COMMON_FLAGS, openAdapter, readLines, runAgent } from './adapter.ts';
import type { Room } from './rooms.ts';

const PREDICTIONS = 'predictions.jsonl';
const RESULTS = 'results.jsonl';
/** Where the images of SWE-bench have the repository. */
const REPOSITORY = '/testbed';
/** The public images. Their names cannot contain two underscores. */
const IMAGE = 'swebench/sweb.eval.x86_64.ID:latest';

/** The images have the repository's Python in an environment of conda. */
const IN_TESTBED = [
  ...[
    'bash',
    '-c',
    '[ ! -f /opt/miniconda3/bin/activate ] || . /opt/miniconda3/bin/activate testbed; exec "$@"',
  ],
  'bash',
];

interface Instance {
  instance_id: string;
  base_commit: string;
  problem_statement: string;
}

export async function runSweBench(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      ...COMMON_FLAGS,
      dataset: { type: 'string' },
      image: { type: 'string', default: IMAGE },
      repos: { type: 'string' },
    },
  });
  if (values.dataset === undefined)
    throw new Error('--dataset is missing: a file with one instance per line.');
  const adapter = openAdapter(values, positionals);
  const instances = readLines(values.dataset).map(readInstance);
  const done = adapter.done(PREDICTIONS, 'instance_id');
  const open = instances.filter(({ instance_id }) => !done.has(instance_id));
  await adapter.each(
    open,
    ({ instance_id }) => instance_id,
    (instance) => solve(adapter, instance, { image: imageOf(values.image, instance), repos: values.repos }),
  );
}

async function solve(
  adapter: Adapter,
  instance: Instance,
  { image, repos }: { image: string; repos: string | undefined },
): Promise<void> {
  const { instance_id } = instance;
  const copy = repos === undefined ? undefined : mkdtempSync(join(tmpdir(), 'longhaul-swe-'));
  try {
    if (copy !== undefined && repos !== undefined)
      cpSync(join(repos, instance_id), copy, { recursive: true, verbatimSymlinks: true });
    const out = join(adapter.out, 'runs', instance_id);
    mkdirSync(out, { recursive: true });
    const work = copy === undefined ? {} : { work: { from: copy, to: REPOSITORY } };
    await using room = await adapter.openRoom(image, { out, ...work });
    const result = await runAgent(
      adapter,
      { room, out, name: 'agent' },
      { task: taskOf(instance), cwd: REPOSITORY, within: IN_TESTBED },
    );
    const patch = await changeOf(room, instance);
    adapter.append(RESULTS, { instance_id, ...result });
    adapter.append(PREDICTIONS, {
      instance_id,
      model_name_or_path: `longhaul (${adapter.model})`,
      model_patch: patch,
    });
    process.stdout.write(`${instance_id}: ${result.status}, ${patch.split('\n').length - 1} lines\n`);
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true });
  }
}

function taskOf({ problem_statement }: Instance): string {
  return `The repository in the current folder has the following issue. Fix it in the source code, so that hidden tests for it pass and all others still do. Do not commit.\n\n<issue>\n${problem_statement}\n</issue>\n`;
}

/** The change against the commit that the issue was filed for, with new files, and also if the agent has committed. */
async function changeOf(room: Room, { base_commit }: Instance): Promise<string> {
  const git = ['git', '-c', 'safe.directory=*', '-c', 'core.quotePath=false'];
  const marked = await room.run([...git, 'add', '--intent-to-add', '.'], { cwd: REPOSITORY });
  if (marked.code !== 0) throw new Error(`git add failed: ${marked.stderr}`);
  const diff = await room.run([...git, 'diff', '--no-color', '--no-ext-diff', '--binary', base_commit], {
    cwd: REPOSITORY,
  });
  if (diff.code !== 0) throw new Error(`git diff failed: ${diff.stderr}`);
  return diff.stdout;
}

function imageOf(template: string, { instance_id }: Instance): string {
  return template.replace('ID', instance_id.toLowerCase().replaceAll('__', '_1776_'));
}

function readInstance(line: Record<string, unknown>): Instance {
  const { instance_id, base_commit, problem_statement } = line;
  if (
    typeof instance_id !== 'string' ||
    typeof base_commit !== 'string' ||
    typeof problem_statement !== 'string'
  ) {
    throw new Error(
      `An instance needs instance_id, base_commit and problem_statement: ${JSON.stringify(line).slice(0, 200)}`,
    );
  }
  // The id becomes the name of a folder.
  if (!/^[\w.-]+$/.test(instance_id)) throw new Error(`${instance_id} cannot be the id of an instance.`);
  return { instance_id, base_commit, problem_statement };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runSweBench(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
