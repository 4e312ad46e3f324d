import type { JsonValue } from '@longhaul/protocol';
import { LonghaulError } from '@longhaul/protocol';
import { stopClock } from '@longhaul/testing/clock';
import { expect, test, vi } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createBashTool } from './bash.ts';

const bash = createBashTool();

test('returns the output and the exit code', async () => {
  await using fixture = await openToolFixture();
  const result = await fixture.call(bash, { command: 'echo hello; exit 3' });
  expect(textOf(result)).toBe('hello\n[exit code 3]');
  expect(result).toMatchObject({ isError: true, metadata: { exitCode: 3, ended: 'exit' } });
  expect(await fixture.text(bash, { command: 'true' })).toBe('[no output, exit code 0]');
  expect((await fixture.call(bash, { command: 'true' })).isError).toBe(false);
});

test('separates the two streams only if both have output', async () => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(bash, { command: 'echo out; echo err >&2' })).toBe(
    '[stdout]\nout\n[stderr]\nerr\n[exit code 0]',
  );
  expect(await fixture.text(bash, { command: 'echo err >&2' })).toBe('err\n[exit code 0]');
});

test('kills the command at its timeout, keeps the output and explains what to do', async () => {
  await using fixture = await openToolFixture();
  stopClock();
  const running = fixture.call(bash, { command: 'echo started; sleep 600', timeoutMs: '3000' });
  await expect.poll(() => fixture.progress).toContainEqual(expect.objectContaining({ title: 'started' }));
  vi.advanceTimersByTime(3_000);
  const result = await running;
  expect(textOf(result)).toMatch(
    /^started\n\[timed out after 3000 ms and was killed, with everything it started\..*at most 600000/,
  );
  expect(result).toMatchObject({ isError: true, metadata: { ended: 'timeout' } });
});

test('limits the timeout of a call to the configured maximum', async () => {
  await using fixture = await openToolFixture();
  const strict = createBashTool({ timeoutMs: 100, maxTimeoutMs: 200 });
  expect(await fixture.text(strict, { command: 'sleep 60', timeoutMs: 999_999 })).toMatch(
    /timed out after 200 ms.*split it into smaller pieces/,
  );
});

test('kills the command on abort, and reports this', async () => {
  await using fixture = await openToolFixture();
  const running = fixture.call(bash, { command: 'echo one; sleep 60' });
  await expect.poll(() => fixture.progress).toContainEqual({ title: 'one', metadata: { lines: ['one'] } });
  fixture.abort.abort();
  expect(textOf(await running)).toBe('one\n[cancelled: the command was killed]');
});

test('returns a result if the sandbox dies while the command runs', async () => {
  await using fixture = await openToolFixture({
    sandbox: {
      async exec(_command, { onOutput }) {
        await onOutput(Buffer.from('half\n'), 'stdout');
        throw new LonghaulError('sandbox_failed', 'The container stopped');
      },
    },
  });
  const result = await fixture.call(bash, { command: 'x' });
  expect(textOf(result)).toMatch(
    /^half\n\[the sandbox failed: The container stopped\. .*check before repeating/,
  );
  expect(result.isError).toBe(true);
});

test('throws if the sandbox cannot start', async () => {
  await using fixture = await openToolFixture({
    sandbox: { exec: () => Promise.reject(new LonghaulError('sandbox_unavailable', 'No Docker.')) },
  });
  await expect(fixture.call(bash, { command: 'x' })).rejects.toMatchObject({ code: 'sandbox_unavailable' });
});

test('cuts a long output to head and tail, and stores the whole as a blob', async () => {
  await using fixture = await openToolFixture();
  const small = createBashTool({ maxOutputChars: 1000 });
  const result = await fixture.call(small, { command: 'seq 1 5000; echo last words >&2' });
  const text = textOf(result);
  expect(text.length).toBeLessThan(small.maxOutputChars ?? 0);
  expect(text).toMatch(
    /^\[stdout\]\n1\n2\n[\s\S]*\[… [\d,]+ chars left out …\][\s\S]*\n5000\n\[stderr\]\nlast words\n\[exit code 0\]$/,
  );
  expect(result.fullOutput?.chars).toBe(23_893 + 'last words\n'.length);
  const whole = Buffer.from(await fixture.blobs.get(result.fullOutput?.blobId ?? '')).toString();
  expect(whole.replace('last words\n', '')).toBe(
    `${Array.from({ length: 5000 }, (_, i) => i + 1).join('\n')}\n`,
  );
});

test('processes 200 MB of output in bounded memory', { timeout: 120_000 }, async () => {
  await using fixture = await openToolFixture();
  const before = process.memoryUsage();
  let peak = 0;
  const sampler = setInterval(() => {
    const now = process.memoryUsage();
    peak = Math.max(peak, now.heapUsed + now.arrayBuffers - before.heapUsed - before.arrayBuffers);
  }, 20);
  const result = await fixture.call(bash, { command: 'yes "a line of output" | head -c 200000000' });
  clearInterval(sampler);
  expect(result.metadata).toMatchObject({ exitCode: 0, outputChars: 200_000_000 });
  expect(result.fullOutput?.chars).toBe(200_000_000);
  expect((await fixture.blobs.stat(result.fullOutput?.blobId ?? ''))?.size).toBe(200_000_000);
  expect(textOf(result).length).toBeLessThan(31_000);
  expect(fixture.blobs.largestPiece).toBeLessThan(1024 * 1024);
  expect(peak).toBeLessThan(100_000_000);
});

test('reports how much output beyond maxKeptBytes was dropped', async () => {
  await using fixture = await openToolFixture();
  const limited = createBashTool({ maxOutputChars: 1000, maxKeptBytes: 100_000 });
  const result = await fixture.call(limited, { command: 'yes 123456789 | head -c 1000000' });
  const kept = result.fullOutput?.chars ?? 0;
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(100_000);
  expect(textOf(result)).toContain(
    `[too much output: ${(1_000_000 - kept).toLocaleString('en-US')} chars at the end were not kept for recall]`,
  );
});

test.each([0, 50_000])('returns the result if the disk is full after %i bytes', async (failAfterBytes) => {
  await using fixture = await openToolFixture();
  fixture.blobs.failAfterBytes = failAfterBytes;
  const result = await fixture.call(bash, { command: 'seq 1 100000; exit 4' });
  expect(result.fullOutput).toBeUndefined();
  expect(textOf(result)).toMatch(
    /^1\n2\n[\s\S]*\n100000\n\[exit code 4\]\n\[the omitted output could not be kept: No space/,
  );
  expect(textOf(result)).toMatch(
    /\[Output truncated - exceeded maximum length\]\nThe full output \([\d,]+ chars\) was not kept\.$/,
  );
});

test('replaces binary output by a notice', async () => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(bash, { command: 'head -c 5000 /dev/zero' })).toBe(
    '[binary output: 5,000 bytes]\n[exit code 0]',
  );
  expect(
    await fixture.text(bash, { command: "printf '\\033[32mok\\033[0m a\\0b\\xff 10%%\\r100%%\\n'" }),
  ).toBe('100%\n[exit code 0]');
});

test('reports the last lines while the command runs', async () => {
  await using fixture = await openToolFixture();
  const running = fixture.call(bash, { command: 'echo compiling; until [ -e go ]; do sleep 0.02; done' });
  await expect
    .poll(() => fixture.progress)
    .toEqual([{ title: 'compiling', metadata: { lines: ['compiling'] } }]);
  await fixture.put('go', '');
  await running;
});

test.each([
  [{ timeout: 120 }, 120_000],
  [{ timeout: 5_000 }, 5_000],
  [{ timeout_ms: 90_000 }, 90_000],
  [{ timeout_seconds: 2_000 }, 600_000],
  [{ timeout: 0 }, 120_000],
  [{}, 120_000],
])('runs with the time limit that %j means', async (given, expected) => {
  let limit: number | undefined;
  await using fixture = await openToolFixture({
    sandbox: {
      async exec(_command, { timeoutMs }) {
        limit = timeoutMs;
        return { ended: 'exit', exitCode: 0, durationMs: 1 };
      },
    },
  });
  await fixture.call(bash, { command: 'true', ...given });
  expect(limit).toBe(expected);
});

test.each(['workdir', 'cwd', 'directory', 'dir_path'])('runs in the folder that %s names', async (name) => {
  const folders: (string | undefined)[] = [];
  await using fixture = await openToolFixture({
    sandbox: {
      async exec(_command, { cwd }) {
        folders.push(cwd);
        return { ended: 'exit', exitCode: 0, durationMs: 1 };
      },
    },
  });
  await fixture.put('sub/a', 'x');
  await fixture.call(bash, { command: 'ls', [name]: 'sub' });
  await fixture.call(bash, { command: 'ls', [name]: `${fixture.root}/sub` });
  await fixture.call(bash, { command: 'ls', [name]: '.' });
  expect(folders).toEqual(['sub', 'sub', undefined]);
  expect(await fixture.text(bash, { command: 'ls', [name]: 'sup' })).toMatch(
    /^`workdir`: sup does not exist/,
  );
  expect(await fixture.text(bash, { command: 'ls', [name]: 'sub/a' })).toContain('must be a folder');
  expect(await fixture.text(bash, { command: 'ls', [name]: '/etc' })).toContain('use cd in it');
  expect(folders).toHaveLength(3);
});

test('reports the last lines of a command that falls silent', async () => {
  await using fixture = await openToolFixture();
  const command = 'echo first; sleep 0.05; echo second; while [ ! -e go ]; do sleep 0.05; done';
  const running = fixture.call(bash, { command });
  await expect.poll(() => fixture.progress.at(-1)?.title).toBe('second');
  await fixture.put('go', '');
  await running;
});

test('runs a command that is an array', async () => {
  await using fixture = await openToolFixture();
  expect(await fixture.text(bash, { command: ['bash', '-lc', 'echo "a b" | cat'] })).toContain('a b\n[exit');
  expect(await fixture.text(bash, { cmd: ['printf', '%s-', 'a b', "it's", '$HOME'] })).toContain(
    "a b-it's-$HOME-",
  );
  expect(refusalOf(bash, { command: [1, 2] })).toContain('an array of texts');
});

test('refuses invalid input with the reason', async () => {
  await using fixture = await openToolFixture();
  expect(refusalOf(bash, {})).toBe('`command` must be a string, it is missing.');
  expect(refusalOf(bash, { command: 'x', timeoutMs: 'soon' })).toBe(
    '`timeoutMs` must be a whole number of at least 0, got string.',
  );
  expect(refusalOf(bash, { command: 'a\0b' })).toMatch(/NUL/);
  expect((await fixture.call(bash, { command: '  ' })).isError).toBe(true);
});

test.each<[JsonValue, string]>([
  [{ command: '["bash","-lc","echo a | cat"]' }, 'a\n[exit code 0]'],
  [{ command: '["echo", "a b"]' }, 'a b\n[exit code 0]'],
  [{ command: '[ -d . ] && echo yes' }, 'yes\n[exit code 0]'],
  [
    {
      action: {
        type: 'exec',
        command: ['bash', '-lc', 'pwd | tail -c 4'],
        workdir: 'sub',
        timeout_ms: 5_000,
      },
    },
    'sub\n[exit code 0]',
  ],
  [{ command: '["bash","-lc","echo a\necho b"]' }, 'a\nb\n[exit code 0]'],
  [{ action: { command: ['echo', 'x'], env: {} } }, 'x\n[exit code 0]'],
  [{ action: '{"command":["echo","x"]}' }, 'x\n[exit code 0]'],
  [
    { command: 'echo x', timeout: 1_200_000 },
    'x\n[exit code 0]\n[the time limit was 600000 ms, the longest possible, and not 1200000 ms]',
  ],
])('understands the call %j', async (input, expected) => {
  await using fixture = await openToolFixture();
  await fixture.put('sub/x', '');
  expect(await fixture.text(bash, input)).toBe(expected);
});

test.each([
  ['2s', 2_000],
  ['2m', 120_000],
  ['1.5 min', 90_000],
  ['1500ms', 1_500],
  ['1h', 3_600_000],
  ['90', 90_000],
  ['5000', 5_000],
])('reads the timeout %s as %d ms', (timeout, expected) => {
  expect(bash.parse({ command: 'x', timeout })).toMatchObject({ ok: true, input: { timeoutMs: expected } });
});
