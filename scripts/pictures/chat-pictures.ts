import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import { chatScript, PROJECT, TASK } from './chat-script.ts';
import { DARK, LIGHT, type Look, type Span } from './screen.ts';
import { terminalSvg } from './terminal-svg.ts';
import { TmuxScreen } from './tmux-screen.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONGHAUL = join(ROOT, 'packages/cli/bin/longhaul.js');
const IMAGES = join(ROOT, 'docs/images');
const MODEL = 'qwen3-coder-30b';
const WIDE = { columns: 100, rows: 26 };
const SETTLE_MS = 400;
const NARROW = { columns: 80, rows: 24 };

/** A home with a project. Its path is always the same, because it is part of the prompt, whose tokens are shown. */
interface Place {
  home: string;
  project: string;
  url: string;
}

/** Makes the pictures of the chat from the screens of the real program. It needs tmux. */
export async function makeChatPictures(): Promise<void> {
  const home = join(tmpdir(), 'longhaul-pictures');
  await mkdir(home);
  try {
    const project = join(home, 'flashcards');
    await mkdir(join(project, 'src'), { recursive: true });
    await mkdir(join(project, 'data'));
    for (const [path, text] of Object.entries(PROJECT)) await writeFile(join(project, path), text);
    await using server = await createScriptedModelServer({
      script: chatScript,
      model: MODEL,
      windowTokens: 16_384,
    });
    const place = { home, project, url: server.url };
    await pictureTask(place);
    await picturePlain(place);
    await pictureLight(place);
  } finally {
    await rm(home, { recursive: true });
  }
}

/** One session from its start to its compaction. */
async function pictureTask(place: Place): Promise<void> {
  await writeApprovals(place);
  await using screen = await openChat(place, WIDE);
  await screen.saw('/ commands');
  await screen.type('/re');
  await screen.saw('/revert');
  await keep(screen, { name: 'chat-start', title: 'The start of a chat, with completed commands', ...WIDE });
  await screen.press('C-c');
  await screen.saw(/^› *$/m);
  await screen.enter(TASK);
  await screen.saw('… plans a card');
  await keep(screen, { name: 'chat-command', title: 'A command while it runs', ...WIDE });
  await screen.enter('Look also whether the README mentions it.');
  await screen.saw('▹ Look also');
  await screen.type('And run all tests at the en');
  await screen.saw('at the en');
  await keep(screen, { name: 'chat-queue', title: 'A message that waits while the agent works', ...WIDE });
  await screen.press('C-u');
  await writeFile(join(place.home, 'go'), '');
  await screen.saw('? Allow edit');
  await keep(screen, { name: 'chat-approval', title: 'The approval of a change', ...WIDE });
  await screen.press('y');
  await screen.saw('nothing changes there');
  await screen.saw('/ commands');
  await keep(screen, { name: 'chat-answer', title: 'A change and an answer', ...WIDE });
  await screen.enter('/context');
  await screen.saw('message frames');
  await keep(screen, { name: 'chat-context', title: 'The page of /context', ...WIDE });
  await pictureCompaction(screen);
  await screen.enter('/revert');
  await screen.saw('Restore the state before which message?');
  await screen.saw(/file, \+/);
  await keep(screen, { name: 'chat-revert', title: 'The picker of /revert', ...WIDE });
}

async function pictureCompaction(screen: TmuxScreen): Promise<void> {
  await screen.enter('/compact the cause of the defect');
  await screen.saw('Compact now');
  await screen.press('Enter');
  await screen.saw('/undo undoes it');
  await screen.press('C-o');
  await screen.saw('Open in the pager');
  await screen.press('Enter');
  await screen.saw(/^:|\(END\)/m);
  await keep(screen, { name: 'chat-compaction', title: 'A compaction, opened in the pager', ...WIDE });
  await screen.press('q');
  await screen.saw('/ commands');
}

/** The same task as plain lines. */
async function picturePlain(place: Place): Promise<void> {
  await using screen = await openChat(place, NARROW, ['--plain']);
  await screen.saw('›');
  await screen.enter('Does nextDue work in a leap year?');
  await screen.saw('in UTC');
  await screen.saw(/^›$/m);
  await keep(screen, { name: 'chat-plain', title: 'A chat with plain lines', ...NARROW });
}

/** The start on a light background, which the terminal reports. */
async function pictureLight(place: Place): Promise<void> {
  await using screen = await openChat(place, { ...NARROW, look: LIGHT }, ['--continue']);
  await screen.saw('in UTC');
  await screen.saw('until compaction');
  await screen.enter('/model');
  await screen.saw('Choose a model');
  await keep(screen, { name: 'chat-light', title: 'The models to choose from', ...NARROW, look: LIGHT });
}

async function writeApprovals({ home }: Place): Promise<void> {
  const file = join(home, '.config', 'longhaul', 'longhaul.yml');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'approvals:\n  - { tool: "*", action: allow }\n  - { tool: edit, action: ask }\n');
}

async function openChat(
  { home, project, url }: Place,
  { look = DARK, ...size }: { columns: number; rows: number; look?: Look },
  args: readonly string[] = [],
): Promise<TmuxScreen> {
  const flags = [
    'chat',
    '-m',
    `openai-compatible/${MODEL}`,
    '--base-url',
    url,
    '--sandbox',
    'local',
    ...args,
  ];
  return await TmuxScreen.open({
    command: [process.execPath, LONGHAUL, ...flags],
    ...size,
    folder: home,
    cwd: project,
    background: look.background,
    env: { HOME: home, TMPDIR: home, PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', PAGER: 'less -R' },
  });
}

interface Picture {
  name: string;
  title: string;
  columns: number;
  rows: number;
  look?: Look;
}

async function keep(screen: TmuxScreen, { name, look = DARK, ...picture }: Picture): Promise<void> {
  const lines = await settled(screen, look);
  await writeFile(
    join(IMAGES, `${name}.svg`),
    terminalSvg([{ atMs: 0, lines }], { ...picture, look, rows: usedRows(lines) }),
  );
}

/** The screen, when it changes no more. */
async function settled(screen: TmuxScreen, look: Look): Promise<Span[][]> {
  const capture = async () => (await screen.capture(look)).map((line) => line.map(withoutVarying));
  for (let before = await capture(); ; ) {
    await sleep(SETTLE_MS);
    const after = await capture();
    if (JSON.stringify(after) === JSON.stringify(before)) return after;
    before = after;
  }
}

/** The rows up to the last one with text. */
function usedRows(lines: readonly Span[][]): number {
  return lines.findLastIndex((line) => line.length > 0) + 1;
}

/** What differs each time, and what takes its place: durations, the sign of work, the beginning of a session's id. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\b\d\.\d s\b/g, '0.8 s'],
  [/[\u2800-\u28ff]/g, '⠹'],
  [/\b[\da-f]{8}-[\da-f]{4}\b/g, '0197a3c2-5e1b'],
];

function withoutVarying(span: Span): Span {
  const text = VARYING.reduce((shown, [found, same]) => shown.replaceAll(found, same), span.text);
  return { ...span, text };
}
