import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Script, ScriptAnswer, ScriptRequest } from '@longhaul/scripted-model';
import { lastUserText, toolResults } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';
import { writeLongSession } from './long-session.ts';
import { lacksTmux } from './machine.ts';
import { TmuxWindow, type WindowOptions } from './tmux.ts';

/** An answer of many words that differ, so that a lost one is noticed. */
const WORDS = Array.from({ length: 600 }, (_, index) => `w${index}`).join(' ');

/** Answers by the last message of the person. */
const script: Script = (request) => {
  if (request.asksForSummary) return 'The summary of the old part.';
  // Messages that follow each other are one for the model.
  const said = lastUserText(request.messages).split('\n').at(-1) ?? '';
  const [, scenario] = Object.entries(SCENARIOS).find(([word]) => said.includes(word)) ?? [];
  return scenario?.(request) ?? `You said: ${said.slice(0, 60)}.`;
};

const SCENARIOS: Record<string, (request: ScriptRequest) => ScriptAnswer> = {
  stream: () => WORDS,
  hang: () => ({ text: 'Begun. '.repeat(20), fault: { kind: 'silence', afterChunks: 10 } }),
  ask: (request) => afterCall(request, { name: 'bash', arguments: { command: 'echo ran > ran.txt' } }),
  sleep: (request) => afterCall(request, { name: 'bash', arguments: { command: 'echo begun; sleep 600' } }),
  behind: (request) =>
    request.messages.at(-1)?.role === 'tool'
      ? { text: 'Begun. '.repeat(20), fault: { kind: 'silence', afterChunks: 10 } }
      : afterCall(request, { name: 'bash', arguments: { command: 'sleep 600', background: true } }),
  write: (request) =>
    afterCall(request, { name: 'write', arguments: { path: 'made.txt', content: 'made\n' } }),
  count: (request) => afterCall(request, { name: 'bash', arguments: { command: 'seq 1 300' } }),
  evil: () => ({ text: `${EVIL}\n\nThe end.` }),
};

/** A PNG of one pixel. */
const PIXEL = fileURLToPath(new URL('acp/pixel.png', import.meta.url));

/** The sign of work. */
const BUSY = /^[\u2800-\u28ff] /m;

const EVIL = '\u001b[2J\u001b]0;stolen\u0007\u001b]52;c;aGk=\u0007\u009b31m\u202e';

function afterCall(
  request: ScriptRequest,
  call: { name: string; arguments: Record<string, string | boolean> },
): ScriptAnswer {
  const results = toolResults(request.messages);
  return request.messages.at(-1)?.role === 'tool'
    ? `The call returned: ${results.at(-1)?.result.slice(0, 40) ?? ''}. Done.`
    : { text: 'I call a tool.', toolCalls: [call] };
}

interface Opening extends WindowOptions {
  args?: readonly string[];
  asks?: boolean;
  /** More of the user's configuration. */
  more?: string;
  /** What a person does as soon as the prompt is there. */
  early?: (window: TmuxWindow) => Promise<void>;
}

/** A bench with a model whose answers stream at 200 deltas a second, and a terminal with a chat. */
async function openBench() {
  const bench = await Bench.open();
  const released = Promise.withResolvers<string>();
  const { server, flags } = await bench.serve({
    script: (request) =>
      lastUserText(request.messages) === 'Please wait' ? released.promise : script(request),
    windowTokens: 200_000,
    chunkChars: 5,
    chunkDelayMs: 5,
  });
  const open = async ({ args = [], asks = false, more = '', early, ...options }: Opening = {}) => {
    await writeFile(
      bench.userFile,
      `approvals:\n  - { tool: "*", action: ${asks ? 'ask' : 'allow'} }\n${more}`,
    );
    const window = await TmuxWindow.open(bench, ['chat', '--sandbox', 'local', ...flags, ...args], options);
    await window.saw(/^›/m);
    await early?.(window);
    await window.lost('starting');
    return window;
  };
  const serve = async (port = '0') => {
    const yaml = `model: openai-compatible/scripted\nproviders: { openai-compatible: { baseUrl: "${server.url}" } }\n`;
    await writeFile(bench.userFile, `${yaml}sandbox: { driver: local }\n`);
    const running = bench.start(['serve', '--port', port, '--json']);
    await running.saw('"listening"');
    const { url }: { url: string } = JSON.parse(running.output().split('\n')[0] ?? '');
    const stop = async () => {
      running.child.kill('SIGTERM');
      await running.ended;
    };
    return { url, stop };
  };
  const attach = async (address: string, args: readonly string[] = []) => {
    const window = await TmuxWindow.open(bench, ['chat', '--attach', address, ...args]);
    await window.saw(/^›/m);
    await window.lost('starting');
    return window;
  };
  /** The bodies of the requests, as text. */
  const sent = () => server.requests.map(({ body }) => JSON.stringify(body)).join('\n');
  return {
    bench,
    server,
    flags,
    open,
    serve,
    attach,
    sent,
    /** Lets the model answer "Please wait". */
    release: () => released.resolve('Waited.'),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

describe.skipIf(lacksTmux !== undefined).each([
  [80, 24],
  [200, 50],
])('longhaul chat at %d×%d', (columns, rows) => {
  it('shows the answer whole while a message is typed, which arrives whole', async () => {
    await using place = await openBench();
    await using window = await place.open({ columns, rows });
    await window.enter('Please stream');
    await window.saw('w20');
    const typed = Array.from({ length: 30 }, (_, index) => `t${index}`).join(' ');
    for (const word of typed.split(/(?<= )/)) await window.type(word);
    await window.press('Enter');
    await window.saw(/▹ t0 t1/);
    await window.saw('You said: t0 t1');
    const text = (await window.history()).replace(/\s+/g, ' ');
    expect(text).toContain(WORDS);
    expect(text).toContain(`› ${typed}`);
    expect(place.sent()).toContain(typed);
  });

  it('keeps the answer whole when the terminal is resized in the middle', async () => {
    await using place = await openBench();
    await using window = await place.open({ columns, rows });
    await window.enter('Please stream');
    await window.saw('w20');
    await window.resize(50, 16);
    await window.saw('w150');
    await window.resize(110, 30);
    await window.saw('✓');
    expect((await window.history()).replace(/\s+/g, ' ')).toContain(WORDS);
  });
});

describe.skipIf(lacksTmux !== undefined)('longhaul chat', () => {
  it('sends a paste of 5,000 lines whole, and shows it as one word', async () => {
    await using place = await openBench();
    await using window = await place.open();
    const pasted = Array.from({ length: 5_000 }, (_, index) => `p${index}`).join('\n');
    await window.paste(pasted);
    await window.saw('[paste #1 +5000 lines]');
    await window.press('Enter');
    await window.saw('You said: p4999.');
    expect(place.sent()).toContain(JSON.stringify(pasted).slice(1, -1));
  });

  it('keeps a paste together in a terminal that does not mark pastes', async () => {
    await using place = await openBench();
    await using window = await place.open();
    const pasted = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n');
    await window.paste(pasted, { isMarked: false });
    await window.saw('[paste #1 +40 lines]');
    await window.press('Enter');
    await window.saw('You said: line 39.');
    expect(place.sent()).toContain(JSON.stringify(pasted).slice(1, -1));
  });

  it('shows waiting messages, lets the user take them back, and returns them at Esc', async () => {
    await using place = await openBench();
    await using window = await place.open();
    await window.enter('Please hang');
    await window.saw('Begun.');
    await window.enter('first waits');
    await window.saw('▹ first waits');
    await window.enter('second waits');
    await window.saw('▹ second waits');
    await window.press('M-Up');
    await window.lost('▹ second waits');
    await window.saw(/^› second waits/m);
    await window.press('C-c');
    await window.lost('second waits');
    await window.press('Escape');
    await window.saw('■ Stopped');
    await window.saw(/^› first waits/m);
    await window.press('Enter');
    await window.saw('You said: first waits.');
  });

  it('shows what runs in the background until the run ends', async () => {
    await using place = await openBench();
    await using window = await place.open();
    await window.enter('Please run it behind');
    await window.saw(/^background m2\.\d sleep 600$/m);
    await window.press('Escape');
    await window.saw('■ Stopped');
    await window.lost(/^background m2/m);
  });

  it('delivers at Ctrl-S what waits, instead of the rest of the step', async () => {
    await using place = await openBench();
    await using window = await place.open();
    await window.enter('Please hang');
    await window.saw('Begun.');
    await window.type('other words');
    await window.press('C-s');
    await window.saw('You said: other words.');
  });

  it('clears, stops or leaves at Ctrl-C in every state', async () => {
    await using place = await openBench();
    await using window = await place.open({ asks: true });
    await window.type('some text');
    await window.saw('› some text');
    await window.press('C-c');
    await window.lost('some text');
    await window.enter('/model');
    await window.saw('Choose a model');
    expect(await window.screen()).not.toContain('\\u001b');
    await window.press('C-c');
    await window.lost('Choose a model');
    await window.enter('Please hang');
    await window.saw('Begun.');
    await window.press('C-c');
    await window.saw('■ Stopped');
    await window.enter('Now ask me');
    await window.saw('? Allow bash');
    await window.press('C-c');
    await window.lost('? Allow bash');
    await window.lost('Press Ctrl-C again to leave');
    await window.press('C-c');
    await window.saw('Press Ctrl-C again to leave');
    await window.press('C-c');
    expect(await window.ended()).toBe(0);
    expect(await window.screen()).toMatch(/To resume: longhaul chat \S+/);
  });

  it('counts a key once if the terminal also reports that it is let go', async () => {
    await using place = await openBench();
    await using window = await place.open();
    await window.type('\u001b[99;5u\u001b[99;5:3u');
    await window.saw('Press Ctrl-C again to leave');
    await window.enter('hello');
    await window.saw('You said: hello.');
  });

  it('leaves at Ctrl-C before the chat is loaded', async () => {
    await using place = await openBench();
    await using window = await place.open({ args: ['--plain'] });
    await window.press('C-c', 'C-c');
    expect(await window.ended()).toBe(0);
  });

  it('has draft and session again after kill -9', async () => {
    await using place = await openBench();
    await using first = await place.open();
    await first.enter('Hello there');
    await first.saw('You said: Hello there.');
    await first.type('not sent yet');
    const folder = join(place.bench.home, '.local', 'state', 'longhaul', 'chat');
    const drafts = async () => (await readdir(folder)).filter((name) => name.endsWith('.draft'));
    const draft = async () => readFile(join(folder, (await drafts())[0] ?? ''), 'utf8');
    await expect.poll(() => draft().catch(() => '')).toBe('not sent yet');
    await first.kill();
    await using again = await place.open({ args: ['--continue'] });
    await again.saw('You said: Hello there.');
    await again.saw('› not sent yet');
    await again.press('C-c', 'Up');
    await again.saw('› not sent yet');
    await again.press('Up');
    await again.saw('› Hello there');
  });

  it('says how to deliver a message that waits since an earlier run', async () => {
    await using place = await openBench();
    await using first = await place.open();
    await first.enter('Hello there');
    await first.saw('You said: Hello there.');
    await first.press('C-d');
    expect(await first.ended()).toBe(0);
    await place.bench.call(['queue', 'last', 'add', 'one more thing']);
    await using again = await place.open({ args: ['--continue'] });
    await again.saw('queue 1 · Ctrl-S delivers it · Alt-Up takes the last one back');
    await again.press('C-s');
    await again.saw('You said: one more thing.');
  });

  it('refuses an agent that does not exist at once', async () => {
    await using place = await openBench();
    const { bench, flags } = place;
    await using window = await TmuxWindow.open(bench, ['chat', ...flags, '--agent', 'codr']);
    expect(await window.ended()).toBe(2);
    expect(await window.history()).toContain('There is no agent "codr". Did you mean "coder"?');
  });

  it('keeps the drafts of two chats in one folder apart', async () => {
    await using place = await openBench();
    await using first = await place.open();
    await first.type('of the first');
    const folder = join(place.bench.home, '.local', 'state', 'longhaul', 'chat');
    await expect.poll(() => readdir(folder).catch(() => [])).toHaveLength(1);
    await using second = await place.open();
    expect(await second.screen()).not.toContain('of the first');
    await first.kill();
    await using third = await place.open();
    await third.saw('› of the first');
  });

  it('continues a session whose chat was killed at work', async () => {
    await using place = await openBench();
    await using first = await place.open();
    await first.enter('Please hang');
    await first.saw('Begun.');
    await first.kill();
    await using again = await place.open({ args: ['--continue'] });
    await again.saw('Please hang');
    await again.enter('And now?');
    await again.saw('You said: And now?');
  });

  it('asks in place: once, always, no, and no with a reason', async () => {
    await using place = await openBench();
    await using window = await place.open({ asks: true });
    await window.enter('Now ask me');
    await window.saw('? Allow bash');
    await window.saw('echo ran > ran.txt');
    await window.press('y');
    await window.saw('Done.');
    expect(await readFile(join(place.bench.workspace, 'ran.txt'), 'utf8')).toBe('ran\n');
    await window.enter('Please ask again');
    await window.saw('? Allow bash');
    await window.press('n');
    await window.lost('? Allow bash');
    await window.enter('Please ask: reason');
    await window.saw('? Allow bash');
    await window.press('r');
    await window.saw('Type a reason for the agent');
    await window.enter('use make');
    await window.lost('Type a reason for the agent');
    await expect.poll(() => place.sent()).toContain('use make');
    await window.enter('Please ask: always');
    await window.saw('? Allow bash');
    await window.press('a');
    await window.lost('? Allow bash');
    await window.enter('/permissions');
    await window.saw(/always +bash/);
    await window.saw(/Rules from \S*\/longhaul.yml\s\(user\)[\s\S]*ask +\*/);
  });

  it('writes a rule when the user agrees, and adds and removes rules', async () => {
    await using place = await openBench();
    const rule = '{ tool: bash, command: "echo ran > ran.txt", action: allow }';
    await using window = await place.open({ asks: true });
    await window.enter('Now ask me');
    await window.saw('w  always, in every folder: writes { tool: bash');
    await window.press('w');
    await window.saw('longhaul.yml now has:');
    await window.saw('Done.');
    await window.enter('/new');
    await window.saw('new conversation');
    await window.enter('Please ask again');
    await window.saw('Done.');
    expect(await window.screen()).not.toContain('? Allow');
    await window.enter('/permissions deny read secret/**');
    await window.saw('Write this rule into');
    await window.press('Enter');
    await window.saw('is written');
    const file = await readFile(place.bench.userFile, 'utf8');
    expect(file).toContain('- { tool: "*", action: ask }');
    expect(file).toContain(rule.replaceAll('"', ''));
    expect(file).toContain('- { tool: read, path: secret/**, action: deny }');
    await window.enter('/permissions remove');
    await window.saw('Remove which rule');
    await window.type('secret');
    await window.press('Enter');
    await window.saw('is removed');
    expect(await readFile(place.bench.userFile, 'utf8')).not.toContain('secret');
  });

  it('lets the user finish a text before a question takes keys', async () => {
    await using place = await openBench();
    await using window = await place.open({ asks: true });
    await window.enter('Please wait');
    // Until the model has it, the run could take the next message together with this one.
    await expect.poll(() => place.sent()).toContain('Please wait');
    await window.enter('Please ask: held');
    // Keys of two lines that a busy chat reads at once count as a paste.
    await window.saw('▹ Please ask: held');
    await window.type('yes, later');
    await window.saw('› yes, later');
    place.release();
    await window.saw('Send or clear your text');
    expect(await window.screen()).toContain('yes, later');
    await window.press('Enter');
    // What they write next is a text too.
    await window.saw('Press Enter to answer it');
    await window.type('any');
    await window.saw('Send or clear your text');
    expect(await window.screen()).toContain('› any');
    await window.press('C-c');
    await window.saw('Press Enter to answer it');
    await window.press('Enter');
    await window.saw('? Allow bash');
    await window.press('n');
    await window.lost('? Allow bash');
    await expect.poll(() => place.sent()).toContain('yes, later');
  });

  it('previews a compaction, does it, shows its line, and takes it back', async () => {
    await using place = await openBench();
    await using window = await place.open();
    for (const words of ['one', 'two', 'three']) {
      await window.enter(`stream ${words}`);
      // The run has the message: a later one is not combined with it.
      await expect.poll(() => place.sent()).toContain(`stream ${words}`);
      await window.lost(BUSY);
      await window.enter(`after ${words}`);
      await window.saw(`You said: after ${words}.`);
    }
    await window.enter('/compact');
    await window.saw('Compact now');
    await window.press('Enter');
    await window.saw('◆ compacted');
    await window.saw('/undo undoes it');
    await window.enter('/undo');
    await window.saw('Compaction 1 is undone');
  });

  it('restores the state before a message, with its files', async () => {
    await using place = await openBench();
    await using window = await place.open({ env: { PAGER: 'less -R' } });
    await window.enter('Please write it');
    await window.saw('Done.');
    expect(await readdir(place.bench.workspace)).toContain('made.txt');
    await window.enter('/revert');
    await window.saw('Restore the state before which message?');
    await window.saw('1 file, +1 −0');
    await window.saw('+made');
    await window.press('Tab');
    await window.saw('(END)');
    await window.press('q');
    await window.saw('Restore the state before which message?');
    await window.press('Enter');
    await window.saw('Files and conversation');
    await window.press('Up', 'Enter');
    await window.saw(/deleted file mode[\s\S]*^-made/m);
    await window.press('q');
    await window.saw('Files and conversation');
    await window.press('Enter');
    await window.saw('To take this back: /unrevert');
    await window.saw(/^› Please write it/m);
    expect(await readdir(place.bench.workspace)).not.toContain('made.txt');

    const path = join(place.bench.workspace, 'made.txt');
    await writeFile(path, 'by hand');
    await window.press('C-u');
    await window.enter('/unrevert');
    await window.saw('Take the revert back anyway?');
    await window.press('Down', 'Down', 'Enter');
    await window.saw('Changed by somebody else, overwritten or deleted');
    expect(await readFile(path, 'utf8')).not.toBe('by hand');
  });

  it('opens what was shortened in the pager', async () => {
    await using place = await openBench();
    await using window = await place.open({ env: { PAGER: 'less -R' } });
    await window.enter('Please count');
    await window.saw('Done.');
    await window.press('C-o');
    await window.saw('Open in the pager');
    await window.press('Enter');
    await window.lost('Open in the pager');
    await window.saw(/^\s*20$/m);
    await window.press('q');
    await window.saw(/^›/m);
  });

  it('takes the text from the editor', async () => {
    await using place = await openBench();
    const editor = join(place.bench.root, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nprintf "%s, edited" "$(cat "$1")" > "$1.new"; mv "$1.new" "$1"\n', {
      mode: 0o700,
    });
    const edit = async (window: TmuxWindow) => {
      await window.type('my text');
      await window.press('C-g');
    };
    await using window = await place.open({ env: { EDITOR: editor } });
    await edit(window);
    await window.saw('› my text, edited');
    await window.press('Enter');
    await window.saw('You said: my text, edited.');
    // Keys that are pressed before the chat is loaded take effect when it is.
    await using again = await place.open({ env: { EDITOR: editor }, early: edit });
    await again.saw('› my text, edited');
  });

  it('runs a command of the person, attaches files, and sends own commands', async () => {
    await using place = await openBench();
    const { workspace } = place.bench;
    await writeFile(join(workspace, 'note.txt'), 'the content of the note');
    await mkdir(join(workspace, '.longhaul', 'commands'), { recursive: true });
    await writeFile(join(workspace, '.longhaul', 'commands', 'own.md'), 'Mine: $ARGUMENTS');
    await using window = await place.open({ args: ['--trust'] });
    await window.enter('!echo from-the-$((1+1))-shell');
    await window.saw('You said: from-the-2-shell.');
    await window.type('Read @not');
    await window.saw('note.txt');
    await window.press('Tab');
    await window.saw('› Read @note.txt');
    await window.press('Enter');
    await window.saw('You said: the content of the note.');
    expect(place.sent()).toContain('the content of the note');
    await window.enter('/own words here');
    await window.saw('You said: Mine: words here.');
    await window.enter('/nothing');
    await window.saw('There is no command /nothing.');
  });

  it('offers no command of an untrusted workspace, and explains why it cannot be used', async () => {
    await using place = await openBench();
    const { workspace } = place.bench;
    await mkdir(join(workspace, '.longhaul', 'commands'), { recursive: true });
    await writeFile(join(workspace, '.longhaul', 'commands', 'own.md'), 'Not mine: $ARGUMENTS');
    const refuse = async (window: TmuxWindow) => {
      await window.saw('Trust it?');
      await window.enter('n');
    };
    await using window = await place.open({ early: refuse });
    await window.enter('/own words');
    await window.saw('/own cannot be used:');
    await window.enter('/help');
    await window.saw('/skills');
    expect(await window.history()).not.toMatch(/^ *\/own/m);
    expect(place.sent()).not.toContain('Not mine');
  });

  it('attaches an image from the clipboard, and an image dropped into the terminal', async () => {
    await using place = await openBench();
    const { root } = place.bench;
    const image = await readFile(PIXEL);
    const [bin, dropped] = [join(root, 'bin'), join(root, 'my shot.png')];
    await mkdir(bin);
    await writeFile(dropped, image);
    await writeFile(join(bin, 'wl-paste'), `#!/bin/sh\nexec cat '${PIXEL}'\n`, { mode: 0o700 });
    const env = { PATH: `${bin}:${process.env['PATH']}`, WAYLAND_DISPLAY: 'wayland-0' };
    const more = 'providers: { openai-compatible: { accepts: { images: true } } }\n';
    await using window = await place.open({ env, more });
    await window.type('Look at ');
    await window.press('C-v');
    await window.saw(`› Look at [image 1, ${image.length} B]`);
    await window.paste(dropped.replaceAll(' ', '\\ '));
    await window.saw('[image 2, ');
    await window.press('Enter');
    await window.saw('You said: Look at');
    expect(place.sent().split(image.toString('base64'))).toHaveLength(3);
    expect(place.sent()).not.toContain('my shot');
  });

  it('reports what is missing to read the clipboard, and pastes other paths as text', async () => {
    await using place = await openBench();
    await using window = await place.open({ env: { DISPLAY: '', WAYLAND_DISPLAY: '' } });
    await window.press('C-v');
    await window.saw('This machine has no clipboard');
    await window.paste('/no/such/file.png');
    await window.saw('› /no/such/file.png');
  });

  it('helps to choose a model if none is configured', async () => {
    await using bench = await Bench.open();
    await using window = await TmuxWindow.open(bench, ['chat', '--sandbox', 'local']);
    await window.saw('Longhaul needs a model');
    await window.saw('Which model do you want?');
    await window.press('Down', 'Enter');
    await window.saw('API key of openai (https://platform.openai.com/api-keys).');
    await window.saw('It is not shown:');
    await window.type('sk-hidden-1');
    await window.paste('23456789');
    await window.press('Enter');
    await window.saw('The model is openai/');
    await window.enter('/logout openai');
    await window.saw('The stored key of openai is removed.');
    await window.saw('no model: /model');
    expect(await window.history()).not.toMatch(/sk-|23456789/);
    await window.enter('/login anthropic sk-typed');
    await window.saw('Leave the key out');
    await window.enter('/exit');
    expect(await window.ended()).toBe(0);
  });

  it('shows what the project’s file wants, and lets the user trust or distrust it', async () => {
    await using place = await openBench();
    await writeFile(join(place.bench.workspace, 'longhaul.yml'), 'sandbox: { env: [HOME] }\n');
    await using window = await TmuxWindow.open(place.bench, ['chat', '--sandbox', 'local', ...place.flags]);
    await window.saw('Trust it?');
    expect(await window.screen()).not.toContain('\\u001b');
    await window.enter('n');
    await window.saw(/^›/m);
    for (const [label, answer] of [
      ['Trust it', 'It is trusted'],
      ['Withdraw trust', 'It is no longer trusted'],
    ] as const) {
      await window.enter('/trust');
      await window.saw('sandbox.env');
      await window.saw('Leave it as it is');
      await window.type(label.slice(0, 5));
      await window.press('Enter');
      await window.saw(answer);
    }
  });

  it('escapes control sequences of models, messages and files', async () => {
    await using place = await openBench();
    await writeFile(join(place.bench.workspace, 'bad\u001b[2Jname.txt'), '');
    await using window = await place.open();
    await window.enter('Please evil');
    await window.saw('The end.');
    expect(await window.screen()).toContain('› Please evil');
    await window.paste('pasted \u001b]0;stolen\u0007 text');
    await window.press('Enter');
    await window.saw('You said: pasted');
    await window.enter('!ls; printf "\\033]0;stolen\\007"');
    await window.saw('bad\\u001b[2Jname.txt');
    await window.saw('✓');
    expect(await window.title()).not.toContain('stolen');
  });

  it('works in a terminal of 20 columns and 5 rows', async () => {
    await using place = await openBench();
    await using window = await place.open({ columns: 20, rows: 5 });
    await window.enter('Please stream');
    await window.saw('✓');
    await window.enter('hello');
    await expect.poll(() => window.history()).toContain('You said: hello.');
    const text = (await window.history()).replace(/\s+/g, ' ');
    expect(text).toContain(WORDS);
  });

  it('opens a session of 20,000 messages', async () => {
    await using place = await openBench();
    await writeLongSession(place.bench, { count: 20_000, model: 'openai-compatible/scripted' });
    await using window = await place.open({ args: ['--continue'] });
    await window.saw('text 20000');
    await window.enter('Hello');
    await window.saw('You said: Hello.');
  });

  it('talks to a server, and continues when that was started again', async () => {
    await using place = await openBench();
    const server = await place.serve();
    await using window = await place.attach(server.url);
    await window.enter('Hello server');
    await window.saw('You said: Hello server.');
    await server.stop();
    const again = await place.serve(new URL(server.url).port);
    await window.enter('Hello again');
    await window.saw('› Hello again');
    await window.saw('You said: Hello again.');
    await window.press('C-d');
    expect(await window.ended()).toBe(0);
    expect(await window.screen()).toContain('--attach');
    await again.stop();
  });

  it('shows both chats of one session what the other says', async () => {
    await using place = await openBench();
    const server = await place.serve();
    await using one = await place.attach(server.url);
    await one.enter('From one');
    await one.saw('You said: From one.');
    await using two = await place.attach(server.url, ['--continue']);
    await two.saw('From one');
    await two.enter('From two');
    await one.saw('› From two');
    await one.saw('You said: From two.');
    await server.stop();
  });

  it('interrupts the run when the user leaves, and continues it later', async () => {
    await using place = await openBench();
    await using window = await place.open();
    await window.enter('Please sleep');
    await window.saw('begun');
    await window.press('C-c');
    await window.saw('■ Stopped');
    await window.enter('sleep again');
    await window.saw(/begun[\s\S]*begun/);
    await window.type('');
    await window.press('C-d');
    expect(await window.ended()).toBe(0);
    const [, id = ''] = /longhaul chat (\S+)/.exec(await window.screen()) ?? [];
    await using again = await place.open({ args: [id] });
    await again.saw('sleep again');
    await again.enter('Hello');
    await again.saw('You said: Hello.');
  });

  it.each([
    ['#ffffff', [], '34'],
    ['#000000', [], '36'],
    ['#000000', ['--theme', 'light'], '34'],
  ])('chooses colours for a terminal with the background %s and %j', async (background, args, color) => {
    await using place = await openBench();
    await using window = await place.open({ background, args });
    await window.enter('hello');
    await window.saw('You said: hello.');
    // tmux writes colours with the other parameters of a cell.
    expect(await window.styledScreen()).toMatch(new RegExp(`\\u001b\\[(?:\\d+;)*${color}m› `));
  });

  it('prints plain lines in a dumb terminal', async () => {
    await using place = await openBench();
    await using window = await place.open({ env: { TERM: 'dumb' } });
    await window.enter('Please stream');
    await window.saw(/w599[\s\S]*^›/m);
    await window.enter('/model');
    await window.saw('Type a number, or only Enter to cancel:');
    await window.press('Enter');
    await window.enter('hello');
    await window.saw('You said: hello.');
    await window.paste('first line\nsecond line\n', { isMarked: false });
    await window.saw('2 lines were pasted. Press Enter to send them');
    await window.press('Enter');
    await window.saw('You said: second line.');
    expect(place.sent()).toContain('first line\\nsecond line');
    await window.press('C-d');
    expect(await window.ended()).toBe(0);
  });

  it('works in the locale C, and reports that the disk for drafts is full', async () => {
    await using place = await openBench();
    await writeFile(join(place.bench.root, 'file'), '');
    const env = { LC_ALL: 'C', XDG_STATE_HOME: join(place.bench.root, 'file') };
    await using window = await place.open({ env });
    await window.saw('Drafts and earlier messages cannot be kept');
    await window.enter('hello');
    await window.saw('You said: hello.');
  });
});

describe('without a terminal', () => {
  it('prints help and ends with 2', async () => {
    await using bench = await Bench.open();
    expect(await bench.run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('Commands') });
  });

  it('refuses a chat, and names what works in a pipe', async () => {
    await using bench = await Bench.open();
    const { code, stderr } = await bench.run(['chat']);
    expect(code).toBe(2);
    expect(stderr).toContain('A chat needs a terminal. In a script or a pipe: longhaul run "task".');
  });
});
