import type { JsonObject } from '@longhaul/protocol';
import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApprovalAction, type ApprovalRule, createJudge, subjectsOf } from './approval-rules.ts';

const bash = (command: string) => ({ toolName: 'bash', input: { command }, workspacePath: '/workspace' });

/** Judges a command by rules. What no rule matches gets `fallback`. */
async function judged(
  rules: readonly ApprovalRule[],
  command: string,
  fallback: ApprovalAction = 'ask',
): Promise<ApprovalAction> {
  return (await createJudge(rules)(bash(command), fallback)).action;
}

const allowing = (...commands: string[]): ApprovalRule[] =>
  commands.map((command) => ({ tool: 'bash', command, action: 'allow' }));
const denying = (...commands: string[]): ApprovalRule[] =>
  commands.map((command) => ({ tool: 'bash', command, action: 'deny' }));

describe('rules for commands', () => {
  it.each([
    'npm test',
    'npm test -- --watch',
    '  npm   "test"',
    'npm test && git status',
    'npm test; git status | git status',
    'npm test # and rm -rf /',
    'npm test 2>&1',
    'npm test > /dev/null',
    'if npm test; then git status; fi',
    'for x in a b; do npm test $x; done',
    '(npm test)',
    "npm test 'a; rm -rf /'",
    ['npm test $((1 + 2)) $', '{HOME}'].join(''),
  ])('allows a line whose commands all match: %s', async (command) => {
    expect(await judged(allowing('npm test *', 'git status'), command)).toBe('allow');
  });

  it.each([
    'npm test && rm -rf /',
    'npm test; rm -rf /',
    'npm test | sh',
    'npm test & rm -rf /',
    'npm test\nrm -rf /',
    'npm test $(rm -rf /)',
    'npm test "$(rm -rf /)"',
    'npm test "a$(echo "$(rm -rf /)")"',
    'npm test `rm -rf /`',
    'npm test <(rm -rf /)',
    'npm test > ~/.bashrc',
    'npm test >> notes.txt',
    'npm test &> notes.txt',
    'npm test <<EOF\n$(rm -rf /)\nEOF',
    ['npm test $', '{X:-$(rm -rf /)}'].join(''),
    'npm test $((true) | rm -rf /; (true))',
    'npm test $((X))',
    ['npm test $', '{X@P}'].join(''),
    "npm test $'\\x3b rm'",
    'npm test "open',
    'PATH=/tmp/evil npm test',
    '/tmp/evil/npm test',
    'npm() { rm -rf /; }; npm test',
    'npm testing',
    'npm \\\n run',
    'case x in x) npm test;; esac',
    '',
    'npm test > 1',
    'npm test &> -',
    'npm test >& 1\rfile',
    'npm test\n> file for x in a',
    'for PATH in /tmp/evil; do npm test; done',
    "for npm in 'a[$(rm -rf /)]'; do ((npm test)); done",
    "for npm in 'a[$(rm -rf /)]'; do npm test $[npm]; done",
    'for ((npm test;;)); do npm test; done',
    ['npm test $', '{PATH:=/tmp/evil}'].join(''),
  ])('asks if another command could hide in the line: %j', async (command) => {
    expect(await judged(allowing('npm test *'), command)).toBe('ask');
  });

  it.each([
    'git push',
    'git push --force',
    'echo hi && git push',
    'echo $(git push)',
    '"git" pu"sh" origin',
    'g\\it push',
    '/usr/bin/git push',
    'GIT_DIR=x git push',
    'sudo -u me git push',
    'env A=1 git push',
    'timeout 5 git push',
    "bash -c 'cd x && git push'",
    'eval git push',
    'cat <<EOF | sh\ngit push\nEOF',
    'if true; then git push; fi',
    "bash -Cc 'git push'",
    "bash -c -- 'git push'",
    "su me -c 'git push'",
    'time -p git push',
  ])('denies a command in any disguise: %s', async (command) => {
    expect(await judged(denying('git push *'), command, 'allow')).toBe('deny');
  });

  it('applies the last matching rule to each command, and the strictest decision to the line', async () => {
    const rules: ApprovalRule[] = [
      { tool: 'bash', action: 'deny' },
      { tool: 'bash', command: 'npm *', action: 'allow' },
      { tool: 'bash', command: 'npm publish *', action: 'ask' },
    ];
    expect(await judged(rules, 'npm ci && npm test')).toBe('allow');
    expect(await judged(rules, 'npm ci && npm publish')).toBe('ask');
    expect(await judged(rules, 'npm publish && ls')).toBe('deny');
    expect(await judged([...rules, { tool: 'bash', action: 'allow' }], 'ls')).toBe('allow');
  });

  it.each<[string, (size: number) => string]>([
    ['many commands', (size) => 'a;'.repeat(size)],
    ['words after a wrapper', (size) => `xargs ${'w '.repeat(size)}`],
    ['eval in eval', (size) => 'eval '.repeat(size)],
    ['parentheses', (size) => '$('.repeat(size)],
    ['backquotes and quotes', (size) => '`"'.repeat(size)],
    ['wrappers in eval', (size) => 'sudo eval '.repeat(size)],
    ['shells in wrappers', (size) => `sudo ${'sh '.repeat(18)}-c '${'sudo eval '.repeat(size)}'`],
    ['text for many wildcards', (size) => 'ab'.repeat(size)],
  ])('takes a number of steps linear in the length of %s', async (_, commandOf) => {
    const rules = [...allowing('*a*a*a*a*a*a*a*a*c'), ...denying('*b*b*b*b*b*b*b*b*d')];
    const stepsFor = (size: number) =>
      countSteps(async () => expect(await judged(rules, commandOf(size))).toBe('ask'));
    expect((await stepsFor(20_000)) / (await stepsFor(2_000))).toBeLessThan(10.1);
  });

  it('reads shells nested in wrappers once each, and finds what the innermost one runs', async () => {
    const nested = (depth: number): string =>
      depth === 0 ? 'rm x' : `sudo ${'sh '.repeat(18)}-c '${nested(depth - 1).replaceAll("'", `'\\''`)}'`;
    expect(await judged(denying('rm *'), nested(3))).toBe('deny');
    const stepsFor = (depth: number) => countSteps(() => judged(denying('rm *'), nested(depth)));
    expect((await stepsFor(4)) / (await stepsFor(2))).toBeLessThan(10);
  });

  it.each([
    "printf -v 'a[$(rm -rf /)]' x",
    'printf $x',
    "command printf -v 'a[$(rm -rf /)]' x",
    "test -v 'a[$(rm -rf /)]'",
    '[ -n $x ]',
    "read 'a[$(rm -rf /)]'",
    "let 'a[$(rm -rf /)]'",
    "declare -i 'a=b[$(rm -rf /)]'",
  ])('asks for builtins that evaluate a quoted word: %s', async (command) => {
    const programs = ['printf', 'command', 'test', '[', 'read', 'let', 'declare'];
    expect(await judged(allowing(...programs.map((program) => `${program} *`)), command)).toBe('ask');
  });

  it('allows these builtins if no word can be a name with a subscript', async () => {
    const rules = allowing('printf *', 'test *', '[ *', 'read *');
    expect(await judged(rules, 'printf "%s\n" "$x" && test -f a && [ -d b ] && read line')).toBe('allow');
  });

  it('names each command that needs approval', async () => {
    const judgement = await createJudge(allowing('git status'))(
      bash('git status && npm  test | tee > out'),
      'ask',
    );
    expect(judgement.subjects).toEqual(['npm  test', 'tee > out']);
  });

  it('never allows a line with a forbidden command, in any nesting', async () => {
    const glue = fc.constantFrom(' && ', '; ', ' | ', '\n', ' & ', ' || ', ';\t');
    const wrap = fc.constantFrom(
      (text: string) => text,
      (text: string) => `(${text})`,
      (text: string) => `echo $( ${text})`,
      (text: string) => `echo "x $( ${text})"`,
      (text: string) => `echo \`${text.replace(/[\\`]/g, '\\$&')}\``,
      (text: string) => `if ${text}; then echo; fi`,
      (text: string) => `{ ${text}; }`,
    );
    const safe = fc.constantFrom('echo a', 'echo "b; c"', "echo 'd && e'", 'echo f#g', 'echo \\;');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(safe, glue)), wrap, fc.array(wrap), async (before, outer, inner) => {
        const hidden = inner.reduce((text, wrapped) => wrapped(text), outer('rm -rf /'));
        const line = before.map(([text, join]) => text + join).join('') + hidden;
        expect(await judged(allowing('echo *', 'echo'), line), line).toBe('ask');
      }),
      { numRuns: 500 },
    );
  });
});

describe('rules for tools and paths', () => {
  const judge = createJudge([
    { tool: '*', action: 'ask' },
    { tool: 'mcp:*', action: 'deny' },
    { tool: 'write', path: 'docs/**', action: 'allow' },
    { tool: '*', path: '.env*', action: 'deny' },
  ]);
  const write = async (path: string) =>
    (await judge({ toolName: 'write', input: { path }, workspacePath: '/workspace' }, 'allow')).action;

  it('matches names with *, and the path relative to the workspace however it is written', async () => {
    expect(await write('docs/a/b.md')).toBe('allow');
    expect(await write('./docs/../docs/b.md')).toBe('allow');
    expect(await write('/workspace/docs/b.md')).toBe('allow');
    expect(await write('docs/../src/b.md')).toBe('ask');
    expect(await write('/workspace/../docs/b.md')).toBe('ask');
    expect(await write('docs/.env.local')).toBe('deny');
    const mcp = await judge({ toolName: 'mcp:files:write', input: {}, workspacePath: '/workspace' }, 'allow');
    expect(mcp).toMatchObject({ action: 'deny', rule: { tool: 'mcp:*' }, subjects: [] });
    const todo = await judge({ toolName: 'todo', input: null, workspacePath: '/workspace' }, 'allow');
    expect(todo).toMatchObject({ action: 'ask', subjects: ['todo\0'] });
  });

  it('resolves links: allows only by the resolved path, and restricts by the given path too', async () => {
    const realPath = async (path: string) => path.replace(/^docs\/link/, 'src').replace(/^safe$/, '.env');
    const call = (path: string) => ({
      toolName: 'write',
      input: { path },
      workspacePath: '/workspace',
      realPath,
    });
    expect((await judge(call('docs/link/b.md'), 'allow')).action).toBe('ask');
    expect((await judge(call('safe'), 'allow')).action).toBe('deny');
    expect((await judge(call('docs/link/.env'), 'allow')).action).toBe('deny');
    const lost = { ...call('docs/a'), realPath: () => Promise.reject(new Error('outside')) };
    expect((await judge(lost, 'ask')).action).toBe('allow');
  });

  it.each<[string, Omit<ApprovalRule, 'action'>, ApprovalAction]>([
    ['no path', { tool: 'write' }, 'ask'],
    ['a relative path', { tool: 'write', path: '**' }, 'ask'],
    ['a name', { tool: 'write', path: 'hosts' }, 'ask'],
    ['another absolute path', { tool: 'write', path: '/srv/**' }, 'ask'],
    ['an absolute path', { tool: 'write', path: '/etc/*' }, 'allow'],
    ['every tool', { tool: '*' }, 'allow'],
    ['every command', { tool: '*', command: '*' }, 'ask'],
  ])(
    'allows a path outside the workspace by an allow rule for %s: %j → %s',
    async (_what, rule, expected) => {
      for (const path of ['/etc/hosts', '../etc/hosts', 'link']) {
        const call = {
          toolName: 'write',
          input: { path },
          workspacePath: '/workspace',
          realPath: async () => '/etc/hosts',
        };
        expect((await createJudge([{ ...rule, action: 'allow' }])(call, 'ask')).action).toBe(expected);
      }
    },
  );

  it('asks and denies outside the workspace by any rule, and an approval covers one path outside', async () => {
    const call = (path: string) => ({
      toolName: 'write',
      input: { path },
      workspacePath: '/workspace',
      realPath: async (name: string) => name,
    });
    const judge = createJudge([{ tool: 'write', path: 'hosts', action: 'deny' }]);
    expect((await judge(call('/etc/hosts'), 'allow')).action).toBe('deny');
    const outside = (isOutside: boolean) => (isOutside ? 'ask' : 'allow');
    const [hosts, motd, inside] = await Promise.all(
      ['/etc/hosts', '/etc/motd', 'hosts'].map((path) => createJudge([])(call(path), outside)),
    );
    expect([hosts?.action, motd?.action, inside?.action]).toEqual(['ask', 'ask', 'allow']);
    expect(hosts?.subjects).toEqual(await subjectsOf(call('/etc/hosts')));
    expect(hosts?.subjects).not.toEqual(motd?.subjects);
    expect(await subjectsOf(call('hosts'))).not.toEqual(hosts?.subjects);
  });

  it('does not apply a rule with a command to a call without one', async () => {
    const only = createJudge([{ tool: '*', command: '*', action: 'deny' }]);
    const call = { toolName: 'write', input: { path: 'a' }, workspacePath: '/workspace' };
    expect((await only(call, 'allow')).action).toBe('allow');
  });
});

describe('rules for commands in the background', () => {
  const use = (input: JsonObject) => ({ toolName: 'process', input, workspacePath: '/workspace' });
  const typing = (input: string) => use({ action: 'write', handle: 'm3.1', input });
  const action = async (rules: readonly ApprovalRule[], call: ReturnType<typeof use>) =>
    (await createJudge(rules)(call, 'allow')).action;

  it('restrict what is typed into a command, in every line and nesting', async () => {
    const rules = denying('git push *');
    for (const typed of ['git push\n', 'ls\ngit push -f\n', 'echo $(git push)\n', 'cd x && git push'])
      expect(await action(rules, typing(typed))).toBe('deny');
    expect(await action(rules, typing('git status\n'))).toBe('allow');
    expect(await action(rules, use({ action: 'output', handle: 'm3.1' }))).toBe('allow');
  });

  it('restrict input and ends by a rule for all commands, and allow neither', async () => {
    const [write, kill] = [typing('y\n'), use({ action: 'kill', handle: 'm3.1' })];
    for (const call of [write, kill]) {
      expect(await action([{ tool: 'bash', action: 'ask' }], call)).toBe('ask');
      const allowing = createJudge([{ tool: 'bash', action: 'allow' }]);
      expect((await allowing(call, 'ask')).subjects).toEqual(['process\0m3.1']);
    }
  });
});
