import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outline } from '../../test/support.ts';
import { findSessionFiles } from '../backtest/find-session-files.ts';
import { loadSession } from '../backtest/load-session.ts';
import { findOwnSessions } from './find-own-sessions.ts';

let home = '';

/** Files of sessions in the order of their age, the oldest first, and files beside them that are none. */
const FILES = [
  '.claude/projects/-home-dev-shop/a.jsonl',
  '.codex/sessions/2026/02/03/rollout-2026-02-03-b.jsonl',
  '.codex/archived_sessions/rollout-2026-02-01-c.jsonl',
  '.pi/agent/sessions/--home-dev-shop--/d.jsonl',
  '.gemini/tmp/ab12/chats/session-e.json',
  '.gemini/tmp/ab12/chats/session-f.jsonl',
  '.copilot/session-state/g/events.jsonl',
  '.local/share/opencode/storage/session/p1/ses_h.json',
  '.local/share/opencode/project/shop/storage/session/info/ses_i.json',
];
const OTHERS = [
  '.claude/projects/-home-dev-shop/agent-x.jsonl',
  '.claude/projects/-home-dev-shop/a/subagents/agent-y.jsonl',
  '.claude/history.jsonl',
  '.codex/history.jsonl',
  '.gemini/tmp/ab12/logs.json',
  '.copilot/config.json',
];

async function put(name: string, content = '{}', minute = 0): Promise<void> {
  const path = join(home, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await utimes(path, minute * 60, minute * 60);
}

const USER = { role: 'user', time: { created: 1 } };
const ASSISTANT = { role: 'assistant', providerID: 'a', modelID: 'm', time: { created: 2 } };
const TASK = { type: 'text', text: 'Fix the tax.' };
const CALL = {
  type: 'tool',
  tool: 'read',
  callID: 'c1',
  state: { status: 'completed', input: { filePath: 'src/tax.ts' }, output: 'const taxRate' },
};
const SESSION = ['user: Fix the tax.', 'assistant: read{"filePath":"src/tax.ts"} completed → const taxRate'];

function database(path: string): void {
  const db = new DatabaseSync(path);
  db.exec(`CREATE TABLE session (id TEXT, parent_id TEXT, title TEXT, directory TEXT, time_created INT, time_updated INT);
    CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT);
    CREATE TABLE part (id TEXT, message_id TEXT, data TEXT);`);
  const session = db.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)');
  session.run('ses_j', null, 'The tax', '/home/dev/shop', 1, 100 * 60_000);
  session.run('ses_child', 'ses_j', 'A part', '/home/dev/shop', 2, 200 * 60_000);
  const message = db.prepare('INSERT INTO message VALUES (?, ?, ?, ?)');
  message.run('msg_1', 'ses_j', 1, JSON.stringify(USER));
  message.run('msg_2', 'ses_j', 2, JSON.stringify(ASSISTANT));
  const part = db.prepare('INSERT INTO part VALUES (?, ?, ?)');
  part.run('prt_1', 'msg_1', JSON.stringify(TASK));
  part.run('prt_2', 'msg_2', JSON.stringify(CALL));
  db.close();
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'longhaul-home-'));
  for (const [index, name] of FILES.entries()) await put(name, '{}', index + 1);
  for (const name of OTHERS) await put(name);
  const storage = '.local/share/opencode/storage';
  await put(`${storage}/session/p1/ses_k.json`, '{"id":"ses_k","parentID":"ses_h"}');
  await put(`${storage}/message/ses_h/msg_1.json`, JSON.stringify(USER));
  await put(`${storage}/message/ses_h/msg_2.json`, JSON.stringify(ASSISTANT));
  await put(`${storage}/part/msg_1/prt_1.json`, JSON.stringify(TASK));
  await put(`${storage}/part/msg_2/prt_2.json`, JSON.stringify(CALL));
  const old = '.local/share/opencode/project/shop/storage/session';
  await put(`${old}/message/ses_i/msg_1.json`, JSON.stringify(USER));
  await put(`${old}/message/ses_i/msg_2.json`, JSON.stringify(ASSISTANT));
  await put(`${old}/part/ses_i/msg_1/prt_1.json`, JSON.stringify(TASK));
  await put(`${old}/part/ses_i/msg_2/prt_2.json`, JSON.stringify(CALL));
  database(join(home, '.local/share/opencode/opencode.db'));
});

afterAll(() => rm(home, { recursive: true, force: true }));

describe('the sessions of agents on this machine', () => {
  test('are found in the home folder, the newest first, without those of subagents', async () => {
    const { sessions, problems } = await findOwnSessions({ env: {}, home });
    expect(problems).toEqual([]);
    expect(sessions.map(({ path }) => path.slice(home.length + 1))).toEqual([
      '.local/share/opencode/opencode.db#ses_j',
      ...FILES.toReversed(),
    ]);
    expect(new Set(sessions.map(({ agent }) => agent)).size).toBe(6);
  });

  test('are found in the folders that the variables of the agents name', async () => {
    const env = {
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CODEX_HOME: join(home, '.codex'),
      XDG_DATA_HOME: join(home, '.local', 'share'),
      PI_CODING_AGENT_DIR: join(home, '.pi', 'agent'),
      GEMINI_CLI_HOME: home,
      COPILOT_HOME: join(home, '.copilot'),
    };
    const { sessions } = await findOwnSessions({ env, home: join(home, 'nobody') });
    expect(sessions).toHaveLength(FILES.length + 1);
  });

  test('are none if no agent was used here', async () => {
    const { sessions, problems } = await findOwnSessions({ env: {}, home: join(home, 'nobody') });
    expect({ sessions, problems }).toEqual({ sessions: [], problems: [] });
  });

  test('of OpenCode are read from its database and from its files', async () => {
    const { sessions } = await findOwnSessions({ env: {}, home });
    const paths = sessions.filter(({ agent }) => agent === 'OpenCode').map(({ path }) => path);
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const { messages = [], format } = await loadSession(path);
      expect({ format, lines: outline(messages) }).toEqual({ format: 'opencode', lines: SESSION });
    }
    expect((await findSessionFiles(paths)).files).toHaveLength(3);
  });

  test('of a database that is not OpenCode’s are a problem', async () => {
    const folder = join(home, 'other', 'opencode');
    await mkdir(folder, { recursive: true });
    new DatabaseSync(join(folder, 'opencode.db')).close();
    await writeFile(join(folder, 'opencode-dev.db'), 'no database');
    const { problems } = await findOwnSessions({
      env: { XDG_DATA_HOME: join(home, 'other') },
      home: join(home, 'nobody'),
    });
    expect(problems.map(({ message }) => message).sort()).toEqual([
      expect.stringContaining('no table session'),
      expect.stringContaining('not a database'),
    ]);
  });
});
