import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ApprovalRule, createJudge } from './approval-rules.ts';

const ALLOWED = ['echo', 'true', ':', 'cat', 'test', 'printf'];
const RULES: ApprovalRule[] = [
  { tool: 'bash', action: 'ask' },
  ...ALLOWED.map((name): ApprovalRule => ({ tool: 'bash', command: `${name} *`, action: 'allow' })),
];
const judge = createJudge(RULES);
const SHELLS = ['/bin/bash', '/bin/sh'].filter((shell) => existsSync(shell));

/** Whether an allowed line does more in a real shell than its rules allow: whether it leaves a file. */
async function isBypass(command: string): Promise<boolean> {
  const call = { toolName: 'bash', input: { command }, workspacePath: '/workspace' };
  if ((await judge(call, 'ask')).action !== 'allow') return false;
  return SHELLS.some((shell) => leavesFile(shell, command));
}

function leavesFile(shell: string, command: string): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-line-'));
  try {
    const { error } = spawnSync(shell, ['-c', `${command}\nwait`], {
      cwd: folder,
      stdio: 'ignore',
      timeout: 60_000,
      env: { PATH: '/usr/bin:/bin', HOME: folder },
    });
    // A shell that was killed shows nothing.
    if (error !== undefined) throw error;
    return readdirSync(folder).length > 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const dollar = '$';

it.each([
  // Expansions whose text the shell evaluates, or that hide a substitution.
  `echo ${dollar}{u-<(touch x)}`,
  `echo ${dollar}{u:-<(touch x)}`,
  `echo ${dollar}{HOME:+<(touch x)}`,
  `echo ${dollar}{HOME##<(touch x)}`,
  `for u in '$(touch x)'; do echo ${dollar}\\\n{u@P}; done`,
  `for u in '$(touch x)'; do echo "${dollar}\\\n{u@P}"; done`,
  "for u in 'a[$(touch x)]'; do echo $\\\n((u)); done",
  "for u in 'a[$(touch x)]'; do echo $\\\n[u]; done",
  `echo "${dollar}{u:-\`touch x\`}"`,
  // Ends of substitutions.
  'echo "$(echo a #)\ntouch x\n)"',
  'echo "$(true #)\ntouch x #"\n)"',
  'echo $(echo a #)\ntouch x\n)',
  'cat <(echo "$(#)\ntouch x\n)")',
  'echo <(echo a #) ; touch x\n)',
  'echo "$(# \')\ntouch x\n#\' \n)"',
  'echo $(echo "$(echo \')\')" ; touch x)',
  'echo "$(echo "\')" ; touch x; echo "\')")"',
  'echo $((echo a) ; touch x)',
  // Backquotes.
  'echo "`echo \\"\'\\" ; touch x ; \\"\'\\"`"',
  'echo `echo \\`touch x\\``',
  'echo "`echo \'\\`touch x\\`\'`"',
  'echo `echo a #` ; touch x\n`',
  "echo `echo '`; touch x; echo `'`",
  // Redirections before the program, and those that write or assign.
  '<<<echo touch x',
  '<<< echo touch x',
  '</dev/null touch x',
  '2>&1 touch x',
  '>&2 touch x',
  'echo a <>x',
  'echo {PATH}>/dev/null >x',
  'echo a 2>&1>x',
  'echo a >&"x"',
  'echo a >\\\nx',
  'echo a &>x',
  // Reserved words and grammar.
  'for u do touch x; done',
  '! touch x',
  'time -p -- touch x',
  'echo a\\\n;touch x',
  'echo a #\\\ntouch x',
  'echo & touch x',
  'echo(){ touch x; }; echo',
  // Words that become others.
  "test {-v,'a[$(touch x)]'}",
  "printf {-v,'a[$(touch x)]'} y",
  "echo $'\\'' ; touch x ; echo '",
])('never allows what a shell reads differently: %j', async (line) => {
  expect(await isBypass(line)).toBe(false);
});

it.each([
  'echo "$(cat a | cat)" && echo `cat a`',
  `echo ${dollar}{HOME:-none} ${dollar}{u%.ts} $? "$1" $((1 + 2))`,
  'cat <(echo a) < file 2>&1 | cat > /dev/null',
  'echo a \\\n  b && \\\n  echo c',
  'for f in *.ts; do cat "$f"; done',
  '(echo a; echo b) | { cat; }',
  'echo "price: 5$" über',
])('still allows the usual forms: %j', async (command) => {
  const call = { toolName: 'bash', input: { command }, workspacePath: '/workspace' };
  expect((await judge(call, 'ask')).action).toBe('allow');
});

it('judges no program by a name with a blank, which could be a path', async () => {
  for (const command of ['"echo /../evil"', 'echo\\ a/../evil', "'echo\t'/../evil"]) {
    const call = { toolName: 'bash', input: { command }, workspacePath: '/workspace' };
    expect((await judge(call, 'ask')).action, command).toBe('ask');
  }
});

it('opens no network connection as the input of an allowed command', async () => {
  for (const command of ['cat < /dev/tcp/127.0.0.1/1', 'for a in tcp; do cat < /dev/$a/127.0.0.1/1; done']) {
    const call = { toolName: 'bash', input: { command }, workspacePath: '/workspace' };
    expect((await judge(call, 'ask')).action, command).toBe('ask');
  }
});

const PIECES = [
  ...['echo ', 'echo a', ': ', 'touch x', 'touch x', 'touch x', 'a', '1', ' ', '\t', '\n', '\r', '\\\n'],
  ...['"', "'", '`', '\\', '\\"', '\\`', '\\$', '""', "''", '#', '# ', '\n#', "$'"],
  ...['$', '$(', '"$(', ')', '(', '((', '$((', '))', '$((1))', '$[', ']', '<(', '>(', `${dollar}u`],
  ...['{', '}', ...['u-', 'u:-', 'u#', '#u}', 'u%', 'u@P}', '!u}'].map((rest) => `${dollar}{${rest}`)],
  ...[
    ';',
    '&',
    '|',
    '&&',
    '||',
    '>/dev/null',
    '2>&1',
    '>',
    '<',
    '<<<',
    '>&',
    '{f}>',
    '-',
    '=',
    '!',
    '*',
    '~',
  ],
  ...['if ', 'then ', 'fi', 'for i in a', 'for i ', 'do ', 'done', 'in ', 'time ', '()'],
];

/** Lines around a command that must not run. `LONGHAUL_FUZZ_LINES` makes more of them. */
it('allows no generated line that runs another command in a real shell', async () => {
  const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 2, maxLength: 9 });
  const line = fc.tuple(pieces, pieces).map(([before, after]) => {
    return `echo ${before.join('')}touch x${after.join('')}`;
  });
  await fc.assert(
    fc.asyncProperty(line, async (command) => {
      expect(await isBypass(command), command).toBe(false);
    }),
    { numRuns: Number(process.env['LONGHAUL_FUZZ_LINES'] ?? 2_000) },
  );
});
