import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { writeTarball } from '../tarball.ts';
import { problemsOf } from './check-trajectory.ts';
import {
  call,
  callsSinceUser,
  has,
  MODEL,
  makeFolder,
  READ_ONLY_ROOT,
  startModel,
  whyNoRoom,
} from './support.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function runTrial(
  folder: string,
  { task, url, flags = '' }: { task: string; url: string; flags?: string },
) {
  for (const name of ['installed', 'opt', 'logs', 'app', 'root'])
    await mkdir(join(folder, name), { recursive: true });
  const tarball = join(folder, 'longhaul-agent.tar.gz');
  writeTarball(tarball);
  const env = {
    ...process.env,
    PYTHONPATH: [path('harbor-stub'), path('../harbor')].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const argv = [path('harbor-stub/run_trial.py'), folder, tarball, MODEL, url, flags];
  const child = spawn('python3', argv, { env: { ...env, OPENAI_API_KEY: 'sk-of-the-provider-1234567890' } });
  child.stdin.end(task);
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (out === '') throw new Error(errors);
  return JSON.parse(out);
}

const TASK = '--start a server\nthat answers "up", and fix @mention and $HOME';

it('runs a task of Terminal-Bench whole: installs, works, leaves a service, and reports usage and trajectory', async ({
  skip,
}) => {
  const reason = whyNoRoom();
  if (reason !== undefined) return lacks('bubblewrap', reason, skip);
  if (!has('python3')) return lacks('python', 'it is not installed', skip);
  const folder = await makeFolder();
  const url = await startModel(({ messages }) => {
    expect(JSON.stringify(messages)).toContain(JSON.stringify(TASK).slice(1, -1));
    switch (callsSinceUser(messages)) {
      case 0:
        return call('bash', {
          command:
            "env >/app/env.txt; command -v node; mkdir -p /app/www; echo up >/app/www/index.html; cd /app/www; setsid nohup python3 -c \"import http.server as h, os; s = h.HTTPServer(('127.0.0.1', 0), h.SimpleHTTPRequestHandler); open('/app/port', 'w').write(str(s.server_port)); open('/app/pid', 'w').write(str(os.getpid())); s.serve_forever()\" >/app/server.log 2>&1 & disown",
        });
      case 1:
        return call('bash', {
          command: 'until [ -s /app/pid ]; do sleep 0.1; done; curl -s 127.0.0.1:$(cat /app/port)',
        });
      case 2:
        return call('write', { path: '/root/answer.txt', content: 'done\n' });
      default:
        return 'The server runs.';
    }
  });
  const report = await runTrial(folder, { task: TASK, url });
  const pid = Number(readFileSync(join(folder, 'app', 'pid'), 'utf8'));
  try {
    const { version } = JSON.parse(readFileSync(path('../../../packages/cli/package.json'), 'utf8'));
    expect(report).toMatchObject({ agent: 'longhaul', version, failure: null, cost_usd: null });
    expect(report.metadata).toMatchObject({ status: 'completed', exit_code: 0, model_calls: 4, error: null });
    expect(report.n_input_tokens).toBeGreaterThan(report.n_output_tokens);
    expect(report.n_cache_tokens).toBeGreaterThan(0);
    // What the verifier does after the agent: the service still answers.
    const port = readFileSync(join(folder, 'app', 'port'), 'utf8');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('up\n');
  } finally {
    process.kill(pid, 'SIGKILL');
  }
  expect(readFileSync(join(folder, 'root', 'answer.txt'), 'utf8')).toBe('done\n');
  expect(readFileSync(join(folder, 'app', 'env.txt'), 'utf8')).not.toContain('sk-of-the-provider');
  const trajectory = JSON.parse(readFileSync(join(folder, 'logs', 'trajectory.json'), 'utf8'));
  expect(problemsOf(trajectory)).toEqual([]);
  expect(trajectory.steps.map(({ source }: { source: string }) => source)).toEqual([
    'user',
    ...Array(4).fill('agent'),
  ]);
  expect(trajectory.steps[2].observation.results[0].content).toContain('up\n');
});

it('reports a run that stopped at a limit, with its usage', async ({ skip }) => {
  const reason = whyNoRoom();
  if (reason !== undefined) return lacks('bubblewrap', reason, skip);
  if (!has('python3')) return lacks('python', 'it is not installed', skip);
  const folder = await makeFolder();
  const url = await startModel(({ number }) => call('bash', { command: `echo ${number}` }));
  const report = await runTrial(folder, { task: 'Go on.', url, flags: '--max-steps 3' });
  expect(report.failure).toContain('exit 3');
  // Three steps, and the answer that a limit asks for.
  expect(report.metadata).toMatchObject({ status: 'limit', exit_code: 3, model_calls: 4 });
  expect(report.n_output_tokens).toBeGreaterThan(0);
});

it('compiles the Python files', ({ skip }) => {
  if (!has('python3')) return lacks('python', 'it is not installed', skip);
  execFileSync('python3', [
    '-c',
    'import ast, sys; [ast.parse(open(name).read()) for name in sys.argv[1:]]',
    path('../harbor/longhaul_agent.py'),
    path('harbor-stub/run_trial.py'),
  ]);
});

it('refuses to install a tarball whose Node.js does not run', async ({ skip }) => {
  const reason = whyNoRoom();
  if (reason !== undefined) return lacks('bubblewrap', reason, skip);
  const folder = await makeFolder();
  await mkdir(join(folder, 'longhaul', 'bin'), { recursive: true });
  await writeFile(join(folder, 'longhaul', 'bin', 'longhaul'), 'not a program', { mode: 0o755 });
  const tarball = join(folder, 'broken.tar.gz');
  await copyFile(path('../harbor/install.sh'), join(folder, 'install.sh'));
  execFileSync('tar', ['-czf', tarball, '-C', folder, 'longhaul']);
  const argv = [...READ_ONLY_ROOT, '--ro-bind', folder, '/tmp'];
  expect(() =>
    execFileSync('bwrap', [...argv, 'sh', '/tmp/install.sh', '/tmp/broken.tar.gz'], {
      stdio: 'pipe',
    }),
  ).toThrow(/needs .* Linux with glibc/);
});
