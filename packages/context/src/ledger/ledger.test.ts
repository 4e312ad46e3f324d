import type { JsonObject } from '@longhaul/protocol';
import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  call,
  code,
  compactLog,
  expectCompacted,
  LogBuilder,
  withCompaction,
} from '../../test/log-fixtures.ts';
import type { ContextLog } from '../log.ts';
import { countByClasses } from '../tokens.ts';
import { buildLedger } from './ledger.ts';

function ledgerOf(builder: LogBuilder, maxTokens = 2_000, verbatim?: ReadonlySet<string>): string {
  return buildLedger(builder.messages, { maxTokens, count: countByClasses, verbatim });
}

function section(ledger: string, heading: string): string {
  const start = ledger.indexOf(`### ${heading}`);
  if (start === -1) return '';
  const end = ledger.indexOf('\n\n### ', start);
  return ledger.slice(start, end === -1 ? undefined : end);
}

function bash(command: string, exitCode: number, output = '') {
  return call('bash', {
    input: { command },
    output: `${output}\n[exit code ${exitCode}]`.trim(),
    state: exitCode === 0 ? 'completed' : 'error',
    metadata: { ended: 'exit', exitCode, outputChars: output.length, durationMs: 12 },
  });
}

function write(path: string, content: string, created = true) {
  return call('write', {
    input: { path, content },
    output: `${created ? 'Created' : 'Overwrote'} ${path} (3 lines, 40 bytes).`,
    metadata: { path, created, bytes: content.length },
  });
}

function edit(path: string, old: string, next: string, failure?: string) {
  return call('edit', {
    input: { path, old, new: next },
    output: failure ?? `Edited ${path}\n- \t${old}\n+ 3\t${next}`,
    ...(failure === undefined ? { metadata: { path, replacements: 1 } } : { state: 'error' }),
  });
}

function todo(...items: string[]) {
  return call('todo', {
    input: { items: items.map((item) => ({ text: item.slice(4), status: 'pending' })) },
    output: items.join('\n'),
  });
}

/** A few hours of work, as the agent's tools report it. */
function realSession(): LogBuilder {
  return new LogBuilder()
    .user('Build a flashcard app in this folder. Use Node 24, no dependencies. Never commit to main.')
    .step('I look around first.', call('list', { input: { path: '.' }, output: 'package.json\nsrc/\ntest/' }))
    .step(
      todo('[>] Design the schedule', '[ ] Store cards', '[ ] Command line'),
      call('read', {
        input: { path: 'package.json' },
        output: '1\t{ "name": "cards", "type": "module" }',
        metadata: { path: 'package.json', firstLine: 1, lines: 1 },
      }),
    )
    .step(
      write('src/sm2.js', 'export function nextInterval(card) {}\nexport function easinessAfter(grade) {}\n'),
    )
    .step(write('src/store.js', "import { DatabaseSync } from 'node:sqlite';\nexport class CardStore {}\n"))
    .step(bash('npm test', 1, 'not ok 1 - rounds up\nError: expected 6 to equal 7 at src/sm2.js:14'))
    .user('Please keep all dates in UTC. The API is at https://cards.example.com/v2 on port 8443.')
    .step(
      edit(
        'src/sm2.js',
        'Math.round(interval)',
        'Math.ceil(interval)',
        '`old` matches 2 times, at lines 14, 20.',
      ),
    )
    .step(edit('src/sm2.js', 'return Math.round(interval)', 'return Math.ceil(interval)'))
    .step(bash('npm test', 0, '# tests 12\n# pass 12'), bash('git checkout -b cards', 0))
    .step(
      call('bash', {
        input: { command: 'npm run soak' },
        output: '[timed out after 60000 ms and was killed]',
        state: 'error',
        metadata: { ended: 'timeout', durationMs: 60_000, outputChars: 0 },
      }),
    )
    .step(
      call('grep', {
        input: { pattern: 'nextInterval', path: 'src' },
        output: 'src/sm2.js:1: export function nextInterval',
      }),
      call('read', {
        input: { path: 'src/cli.js' },
        output: 'src/cli.js was not found. Near it: src/sm2.js',
        state: 'error',
      }),
    )
    .step(
      call('bash', {
        input: { command: 'cat data/deck.json' },
        output: '[…]\n[Output truncated - exceeded maximum length]\nFull output: recall({"handle":"m13.0"})',
        truncated: true,
        metadata: { ended: 'exit', exitCode: 0, outputChars: 90_000, durationMs: 3 },
      }),
    )
    .step(todo('[x] Design the schedule', '[x] Store cards', '[>] Command line'), 'Now the command line.');
}

describe('buildLedger', () => {
  it('shows the state of the work', () => {
    expect(ledgerOf(realSession())).toMatchInlineSnapshot(`
      "### Current request (verbatim)
      - (m7) Please keep all dates in UTC. The API is at https://cards.example.com/v2 on port 8443.

      ### State of the work
      - Done: 2 of 3 items of the todo list; \`git checkout -b cards\` (m10.1); sm2.js changed; before the request: store.js changed
      - Next: Command line
      - Broken: bash: npm run soak → [timed out after 60000 ms and was killed] (m11.0)
      - Last check: \`npm test\` → ok (m10.0)

      ### Todo list
      [x] Design the schedule
      [x] Store cards
      [>] Command line

      ### Files changed, newest first
      src/
        sm2.js (created; m9.0): nextInterval Math.ceil Math.round easinessAfter
        store.js (created; m5.0): CardStore node:sqlite DatabaseSync

      ### Commands that ran, newest first
      - \`npm run soak\` → timeout (m11.0)
      - \`git checkout -b cards\` → ok (m10.1)
      - \`npm test\` → ok, run 2 times (m10.0)

      ### Open errors, newest first
      - bash: npm run soak → [timed out after 60000 ms and was killed] (m11.0)

      ### Cut outputs (read with recall)
      - m13.0: bash: cat data/deck.json

      ### User instructions (verbatim)
      - (m1) Build a flashcard app in this folder. Use Node 24, no dependencies. Never commit to main.

      ### Index of names by file
      src/
        cli.js
      ./
        package.json
      data/
        deck.json

      ### Other names
      package.json"
    `);
  });

  it('shows hidden instructions word for word with their handles, but none that stay in the view', () => {
    const builder = realSession();
    const instructions = section(ledgerOf(builder), 'User instructions');
    expect(section(ledgerOf(builder), 'Current request')).toContain('- (m7) Please keep all dates in UTC.');
    expect(instructions).toContain(
      '- (m1) Build a flashcard app in this folder. Use Node 24, no dependencies. Never commit to main.',
    );
    const rest = section(ledgerOf(builder, 2_000, new Set(['id-00001'])), 'User instructions');
    expect(rest).toBe('');
    const task = ledgerOf(builder, 2_000, new Set(['id-00007']));
    expect(section(task, 'User instructions')).toContain('- (m1) Build a flashcard app in this folder.');
    expect(task).not.toContain('- (m7)');
  });

  it('finds visible instructions by their ids, also after an empty message', () => {
    const builder = new LogBuilder().user('  ').user('first').user('second');
    const ledger = ledgerOf(builder, 2_000, new Set(['id-00002']));
    expect(ledger).toContain('second');
    expect(ledger).not.toContain('first');
  });

  it('leaves out synthetic messages', () => {
    const builder = new LogBuilder()
      .user('task')
      .user('Go on where you stopped.', { synthetic: 'continue-length' });
    expect(ledgerOf(builder)).not.toContain('Go on');
  });

  it('never lists what another session sent as an instruction of the user', () => {
    const builder = new LogBuilder().user('task').user('Delete the tests.', { synthetic: 'sent' });
    expect(section(ledgerOf(builder), 'Current request')).toContain('task');
    expect(ledgerOf(builder)).not.toContain('Delete');
  });

  it('cuts a long task between two words, and keeps the newest instruction', () => {
    const builder = new LogBuilder()
      .user(`OLDEST ${'blah '.repeat(4_000)} END`)
      .step('ok')
      .user('NEWEST: use tabs');
    const instructions = section(ledgerOf(builder, 800), 'User instructions');
    expect(instructions).toMatch(/\(m1\) OLDEST (?:blah )+\[… \d+ characters cut here; .* handle m1 …\]/);
    expect(section(ledgerOf(builder, 800), 'Current request')).toContain('- (m3) NEWEST: use tabs');
  });

  it('keeps the task and the newest of too many instructions, in any script, and counts the others', () => {
    const builder = new LogBuilder();
    for (let index = 0; index < 300; index += 1)
      builder.user(`指示${index}：${'请保持所有日期为协调世界时'.repeat(5)}`);
    const instructions = section(ledgerOf(builder, 1_000), 'User instructions');
    expect(section(ledgerOf(builder, 1_000), 'Current request')).toContain('指示299：');
    expect(instructions).toContain('指示298：');
    expect(instructions).toContain('指示0：');
    expect(instructions).not.toContain('指示1：');
    expect(instructions).toMatch(
      /\(Instructions left out: \d+ \(m2 to m\d+\)\. recall reads them by handle\.\)$/,
    );
  });

  it('shows the newest todo list as its tool returned it', () => {
    expect(section(ledgerOf(realSession()), 'Todo list')).toBe(
      '### Todo list\n[x] Design the schedule\n[x] Store cards\n[>] Command line',
    );
  });

  it('leaves out done items of a todo list that is too long, but never open ones', () => {
    const items = Array.from(
      { length: 80 },
      (_, index) => `[${index < 70 ? 'x' : ' '}] Item ${index} with some more words`,
    );
    const list = section(ledgerOf(new LogBuilder().user('x').step(todo(...items)), 1_000), 'Todo list');
    expect(list).toContain('(70 items are done)');
    for (let index = 70; index < 80; index += 1) expect(list).toContain(`[ ] Item ${index} `);
  });

  it('lists changed files by folder, and the names of all files in an index', () => {
    expect(section(ledgerOf(realSession()), 'Files changed')).toContain('src/\n  sm2.js (created; m9.0): ');
    expect(section(ledgerOf(realSession()), 'Files changed')).toMatch(
      / {2}sm2\.js \(.*\): (?=.*easinessAfter).*nextInterval/,
    );
    expect(section(ledgerOf(realSession()), 'Index')).toContain('package.json');
  });

  it('puts names of a traceback into the index only if they occur elsewhere too', () => {
    const output = [
      'Traceback (most recent call last):',
      '  File "/usr/lib/python3/site-packages/pluggy/_hooks.py", line 493, in __call__',
      '    return self._hookexec(self.name, caller_kwargs)',
      '  File "/app/store/cards.py", line 14, in next_interval',
      '    raise IntervalError(card_id)',
      'store.errors.IntervalError: no_interval_for 7',
    ].join('\n');
    const builder = new LogBuilder().user('x').step(bash('python -m app.review', 1, output));
    const index = ledgerOf(builder);
    expect(index).toContain('no_interval_for');
    expect(section(index, 'Index') + section(index, 'Other')).not.toMatch(
      /caller_kwargs|pluggy|next_interval|card_id/,
    );
    builder.step(
      call('read', { input: { path: 'store/cards.py' }, output: 'def next_interval(card_id): ...' }),
    );
    expect(section(ledgerOf(builder), 'Index')).toMatch(
      /cards\.py: (?:next_interval card_id|card_id next_interval)/,
    );
  });

  it('keeps the index in its bounds, however many names there are', () => {
    const builder = new LogBuilder().user('x');
    for (let index = 0; index < 60; index += 1)
      builder.step(call('read', { input: { path: `src/f${index}.ts` }, output: code(300, index) }));
    const ledger = ledgerOf(builder, 30_000);
    expect(countByClasses(section(ledger, 'Index') + section(ledger, 'Other names'))).toBeLessThan(12_000);
  });

  it('lists all files before it adds names to them', () => {
    const builder = new LogBuilder().user('x');
    for (let index = 0; index < 15; index += 1)
      builder.step(call('read', { input: { path: `src/f${index}.ts` }, output: code(30, index) }));
    const files = section(ledgerOf(builder, 1_500), 'Index');
    for (let index = 0; index < 15; index += 1) expect(files).toContain(`  f${index}.ts`);
    expect(files).toContain('handler3_0');
  });

  it('lists a file once, however its path is written', () => {
    const builder = new LogBuilder()
      .user('x')
      .step(write('/workspace/src/a.js', ''), write('./src/a.js', '', false), write('src/a.js', '', false));
    expect(section(ledgerOf(builder), 'Files changed').match(/a\.js/g)).toHaveLength(1);
  });

  it('does not list a file as deleted that was created again', () => {
    const builder = new LogBuilder()
      .user('x')
      .step(bash('rm a.js', 0))
      .step(write('a.js', 'y'))
      .step(bash('rm b.js', 0));
    expect(section(ledgerOf(builder), 'Files changed')).toContain(
      './\n  a.js (created; m3.0)\n  b.js (deleted; m4.0)',
    );
  });

  it('lists no folder as a file, and each folder once', () => {
    const builder = new LogBuilder()
      .user('x')
      .step(call('read', { input: { path: '/w/app/src' }, output: '2 files' }))
      .step(call('read', { input: { path: '/w/app/src/cards.js' }, output: 'function dropCard() {}' }))
      .step(bash('sed -n 1,9p /w/app/src/decks.js', 0, 'function dropDeck() {} // see app/src/other.js'));
    expect(section(ledgerOf(builder), 'Index')).toBe(
      [
        '### Index of names by file',
        '/w/app/src/',
        '  cards.js: dropCard',
        '  decks.js: dropDeck',
        '  other.js',
      ].join('\n'),
    );
  });

  it('shows how each command ended last and how often it ran', () => {
    const commands = section(ledgerOf(realSession()), 'Commands');
    expect(commands).toContain('- `npm test` → ok, run 2 times (m10.0)');
    expect(commands).toContain('- `npm run soak` → timeout (m11.0)');
    expect(commands).toContain('- `git checkout -b cards` → ok (m10.1)');
  });

  it("takes a command's own exit code, not one in its output", () => {
    const builder = new LogBuilder().user('x').step(
      call('shell', {
        input: { cmd: 'make' },
        output: 'worker: exit code 3, retrying\nfine\nexited with code 0',
      }),
    );
    expect(section(ledgerOf(builder), 'Commands')).toContain('→ ok (');
  });

  it('lists open errors, and none that were resolved', () => {
    const errors = section(ledgerOf(realSession()), 'Open errors');
    expect(errors).toContain('- bash: npm run soak → [timed out');
    expect(errors).not.toMatch(/npm test|edit: src/);
  });

  it('does not count a failed attempt to look at something as an open error', () => {
    expect(section(ledgerOf(realSession()), 'Open errors')).not.toContain('src/cli.js');
    for (const line of ['ls nowhere', 'cat a | head', 'python3 -c "import nothing"', 'git show abc1234']) {
      const builder = new LogBuilder().user('x').step(bash(line, 2, 'error: failed'));
      expect(section(ledgerOf(builder), 'Open errors')).toBe('');
      expect(section(ledgerOf(builder), 'Commands')).toBe('');
    }
  });

  it('resolves a failure of a check when a wider run of it succeeds, and not by a narrower one', () => {
    const errorsAfter = (failed: string, passed: string) =>
      section(
        ledgerOf(
          new LogBuilder()
            .user('x')
            .step(bash(failed, 1, 'FAIL'))
            .step(bash(passed, 0)),
        ),
        'Open errors',
      );
    expect(errorsAfter('go test ./cards -run Sort', 'go test ./...')).toBe('');
    expect(errorsAfter('go test ./...', 'go test ./cards -run Sort')).toContain('go test ./...');
    expect(errorsAfter('npm test -- a.test.ts', 'npm test -- b.test.ts')).toContain('a.test.ts');
    expect(errorsAfter('pytest', '(source .venv/bin/activate && pytest)')).toBe('');
    expect(errorsAfter('npm test', 'npm run build')).toContain('npm test');
    expect(errorsAfter('git push', 'git push --force-with-lease')).toBe('');
  });

  it('does not count a search without results as an error', () => {
    const errorsOf = (command: string, exitCode: number) =>
      section(ledgerOf(new LogBuilder().user('x').step(bash(command, exitCode))), 'Open errors');
    for (const search of [
      'grep -rn foo src',
      'cat a.txt | grep foo',
      'cd src && rg foo',
      "grep -rn 'foo\\|bar; baz' src",
      'diff a b',
      'git grep foo',
      'test -f a.txt',
      'command -v node',
    ])
      expect(errorsOf(search, 1)).toBe('');
    expect(errorsOf('grep foo a.txt && npm test', 1)).toContain('bash: ');
  });

  it('does not take what another agent reports about a command for its output', () => {
    const report =
      'Command: /bin/zsh -lc make\nChunk ID: a45d41\nWall time: 0.5 seconds\nProcess exited with code 2\nOutput:\n';
    const shell = call('exec_command', { input: { cmd: 'make' }, output: `${report}make: *** no rule` });
    const ledger = ledgerOf(new LogBuilder().user('x').step(shell));
    expect(section(ledger, 'Open errors')).toContain('→ make: *** no rule');
    expect(ledger).not.toContain('a45d41');
  });

  it("reads an editor's command, a list of words and a command in a script", () => {
    const path = '/w/src/a.py';
    const builder = new LogBuilder()
      .user('x')
      .step(call('str_replace_editor', { input: { command: 'view', path }, output: 'import re' }))
      .step(call('str_replace_editor', { input: { command: 'create', path: '/w/b.py' }, output: 'ok' }))
      .step(call('shell', { input: { command: ['bash', '-lc', 'make all'] }, output: 'ok' }))
      .step(
        call('exec', { input: { input: 'await tools.exec_command({"cmd":"make \\"x\\""});' }, output: 'ok' }),
      );
    const ledger = ledgerOf(builder);
    expect(section(ledger, 'Commands').match(/`.*`/g)).toEqual(['`make "x"`', '`make all`']);
    expect(section(ledger, 'Files changed')).toContain('/w/\n  b.py (created; m3.0)');
    expect(section(ledger, 'Index')).toContain('a.py');
  });

  it('shows a finished todo list on one line, with the call that finished it', () => {
    const builder = new LogBuilder().user('x').step(todo('[x] Cards', '[x] Decks', '[-] Cloud'));
    expect(section(ledgerOf(builder), 'Todo list')).toBe(
      '### Todo list\nAll 2 items are done (m2.0): Cards; Decks',
    );
  });

  it('shows the newest messages of the user whole, also a short one', () => {
    const builder = new LogBuilder()
      .user('Build it.')
      .step('Done.')
      .user('Why is the list empty?')
      .step('A fault.');
    builder.user('go on').step('Mended.').user('thanks');
    const ledger = ledgerOf(builder);
    expect(section(ledger, 'Current request')).toContain('- (m3) Why is the list empty?\n- (m5) go on');
    expect(ledger).not.toContain('Instructions left out');
  });

  it('shows the state before a long request', () => {
    const { messages } = new LogBuilder().user('x').user(`See this log. ${'A line of it. '.repeat(90)}`);
    const ledger = buildLedger(messages, { maxTokens: 6_000, count: countByClasses });
    expect(ledger.indexOf('### State of the work')).toBeLessThan(ledger.indexOf('### Current request'));
  });

  it('leaves out commands whose last run the view shows, unless they failed or came last', () => {
    const { messages } = new LogBuilder()
      .user('x')
      .step(bash('npm run lint', 0))
      .step(bash('npm test', 0))
      .step(bash('make', 1))
      .step(bash('npm run build', 0), bash('npm run docs', 0));
    const options = { maxTokens: 2_000, count: countByClasses };
    const commands = section(buildLedger(messages, { ...options, visibleFrom: 4 }), 'Commands');
    expect(commands.match(/`.*`/g)).toEqual(['`npm run docs`', '`make`', '`npm test`', '`npm run lint`']);
    expect(section(buildLedger(messages, options), 'Commands')).toContain('`npm run build` → ok');
  });

  it('treats a failed edit as resolved when the file is written, but not when it is read', () => {
    const failed = () => new LogBuilder().user('x').step(edit('a.js', 'x', 'y', '`old` was not found.'));
    const read = call('read', { input: { path: 'a.js' }, output: '1\tz' });
    expect(ledgerOf(failed().step(read))).toContain('edit: a.js');
    expect(
      ledgerOf(
        failed()
          .step(read)
          .step(write('a.js', 'y', false)),
      ),
    ).not.toContain('edit: a.js');
  });

  it('does not report an open call as a failure', () => {
    const builder = new LogBuilder()
      .user('x')
      .step(call('bash', { input: { command: 'sleep 9' }, state: 'running' }));
    expect(ledgerOf(builder)).not.toContain('Errors');
  });

  it('keeps other exact names and the handles of cut outputs', () => {
    const ledger = ledgerOf(realSession());
    expect(ledger).toContain('https://cards.example.com/v2');
    expect(section(ledger, 'Cut outputs')).toContain('- m13.0: bash: cat data/deck.json');
  });

  it('is empty for an empty session and for no budget', () => {
    expect(ledgerOf(new LogBuilder())).toBe('');
    expect(ledgerOf(realSession(), 0)).toBe('');
    expect(ledgerOf(realSession(), -5)).toBe('');
  });

  it('drops the less useful sections first in a small budget', () => {
    expect(ledgerOf(realSession(), 350)).toMatch(/^### State of the work\n- Done: [^#]+### Todo list/);
    expect(ledgerOf(realSession(), 350)).not.toContain('Cut outputs');
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc
    .constantFrom('文', 'word ', 'src/some/file.ts ', 'retryAfter ', '\n', '[x] done\n')
    .chain((unit) => fc.nat(400).map((count) => unit.repeat(count))),
);

const anyMessage = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), text: anyText }),
  fc.record({
    kind: fc.constantFrom('bash', 'read', 'write', 'edit', 'todo', 'grep', 'mcp_search'),
    text: anyText,
    argument: anyText,
    state: fc.constantFrom(
      'completed' as const,
      'error' as const,
      'interrupted' as const,
      'running' as const,
    ),
    truncated: fc.boolean(),
  }),
);

type AnyMessage = typeof anyMessage extends fc.Arbitrary<infer Value> ? Value : never;

function sessionOf(messages: readonly AnyMessage[]): LogBuilder {
  return messages.reduce((builder, message) => {
    if (!('argument' in message)) return builder.user(message.text);
    const { kind, text, argument, state, truncated } = message;
    const input: JsonObject = kind === 'bash' ? { command: argument } : { path: argument, content: text };
    return builder.step(text, call(kind, { input, output: text, state, truncated }));
  }, new LogBuilder());
}

describe('buildLedger, for any session', () => {
  it('stays within its budget, and is deterministic', () => {
    fc.assert(
      fc.property(
        fc.array(anyMessage, { maxLength: 25 }),
        fc.integer({ min: 0, max: 3_000 }),
        (messages, maxTokens) => {
          const builder = sessionOf(messages);
          const ledger = ledgerOf(builder, maxTokens);
          expect(countByClasses(ledger)).toBeLessThanOrEqual(maxTokens);
          expect(ledgerOf(builder, maxTokens)).toBe(ledger);
        },
      ),
    );
  });

  it('is the same after several compactions as from the whole log', async () => {
    const builder = new LogBuilder().user('Build it').step(todo('[>] one', '[ ] two'));
    let log: ContextLog = builder.log;
    for (let round = 1; round <= 4; round += 1) {
      for (let step = 0; step < 8; step += 1)
        builder.step(call('read', { input: { path: `src/r${round}-${step}.ts` }, output: code(25, step) }));
      log = { messages: builder.messages, marks: log.marks };
      const outcome = expectCompacted(await compactLog(log, { windowTokens: 12_000 }));
      expect(outcome.compaction.round).toBe(round);
      expect(outcome.compaction.summary.ledger).toContain('[>] one\n[ ] two');
      const atOnce = expectCompacted(await compactLog({ ...log, marks: [] }, { windowTokens: 12_000 }));
      expect(outcome.compaction.summary.ledger).toBe(atOnce.compaction.summary.ledger);
      log = withCompaction(log, outcome);
    }
  });

  it('takes a number of steps that grows with the session, not with its square', async () => {
    const stepsOf = (count: number) => {
      const builder = new LogBuilder();
      for (let index = 0; index < count; index += 1) {
        builder.user(`instruction ${index}`);
        builder.step(
          bash(`run ${index}`, index % 2, `Error: number ${index}`),
          write(`src/f${index}.js`, 'let some_name = 1;'),
        );
      }
      return countSteps(() => ledgerOf(builder, 4_000));
    };
    expect(await stepsOf(5_000)).toBeLessThan(11 * (await stepsOf(500)));
  });
});
