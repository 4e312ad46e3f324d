import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openDockerRoom } from './rooms.ts';

/** Stands in for Docker: writes its arguments to a file, and runs what `exec` names on this machine. */
const DOCKER = `#!/bin/sh
echo "$@" >>"$DOCKER_LOG"
case $1 in
  run) echo c0ffee ;;
  exec) while [ "$1" != c0ffee ]; do shift; done; shift; exec "$@" ;;
esac
`;

it('runs programs in a container, with the key in no argument, and removes the container', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-rooms-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [bin, log] = [join(folder, 'bin'), join(folder, 'log')];
  mkdirSync(bin);
  writeFileSync(join(bin, 'docker'), DOCKER);
  chmodSync(join(bin, 'docker'), 0o755);
  vi.stubEnv('PATH', [bin, process.env['PATH']].join(delimiter));
  vi.stubEnv('DOCKER_LOG', log);
  onTestFinished(() => void vi.unstubAllEnvs());
  const env = { SOME_API_KEY: 'the key' };
  const options = { agent: '/agent', out: '/out', work: { from: '/from', to: '/work' }, env };
  {
    await using room = await openDockerRoom('image:tag', options);
    const shown = await room.run(['sh', '-c', 'cat; echo "$SOME_API_KEY"; echo bad >&2; exit 3'], {
      cwd: '/work',
      stdin: 'task, ',
      withEnv: true,
    });
    expect(shown).toEqual({ code: 3, stdout: 'task, the key\n', stderr: 'bad\n' });
    expect((await room.run(['sleep', '60'], { cwd: '/work', timeoutSeconds: 0.1 })).code).toBeNull();
  }
  const calls = readFileSync(log, 'utf8').trim().split('\n');
  expect(calls).toEqual([
    'run -d --rm --init -v /agent:/opt/longhaul:ro -v /out:/agent-out -v /from:/work --entrypoint sleep image:tag infinity',
    expect.stringMatching(/^exec -i -w \/work -e SOME_API_KEY c0ffee sh -c /),
    'exec -i -w /work c0ffee timeout --kill-after=5 0.1 sleep 60',
    'rm -f c0ffee',
  ]);
});
