import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = 'packages/cli/test';

/** Tests that CI runs a second time, with Bun: together they use every kind of command. Names without `.test.ts`. */
export const WITH_BUN: readonly string[] = [
  'acp/acp-processes.slow',
  'acp/acp.slow',
  'approvals',
  'background-kill.slow',
  'gateway',
  'import.slow',
  'kept-commands.slow',
  'mcp-kill.slow',
  'queue-cancel-resume.slow',
  'replay.slow',
  'run.slow',
  'send.slow',
  'serve.slow',
  'sessions',
  'storage.slow',
  'wait.slow',
];

/** Tests that pass with Bun too. They take CI minutes, and what they use is also in a test of WITH_BUN. */
const PASS_WITH_BUN: readonly string[] = [
  'acp/acp-features.slow',
  'acp/acp-generated.slow',
  'acp/acp-mcp.slow',
  'agent-models',
  'attach',
  'backup.slow',
  'bad-input.slow',
  'chat-question.slow',
  'clock-steps.slow',
  'context.slow',
  'demo.slow',
  'git-worktree.slow',
  'hostile-model.slow',
  'hostile-repository.slow',
  'hostile-text',
  'learned-window',
  'login',
  'mcp-login',
  'mcp-sandbox.slow',
  'mcp-served',
  'open-page',
  'planted-programs',
  'reach.slow',
  'recorded-files.slow',
  'serve-overload.slow',
  'serve-stop.slow',
  'served-directory',
  'session-address.slow',
  'skills-served',
  'successor.slow',
  'terminal.slow',
  'workspaces',
];

/** All other tests that start the command, by the reason why CI does not run them with Bun. */
export const WITHOUT_BUN: Readonly<Record<string, readonly string[]>> = {
  'LONGHAUL_BUN=all runs it': PASS_WITH_BUN,
  'looks into Node.js: its signals, its modules, its version': [
    'help',
    'loaded-modules.slow',
    'watchdog.slow',
  ],
  'needs hooks for modules, which Bun does not have': ['hostile-modules'],
  'uses folders with files that Bun reads, where the command does not start: bun-settings tests that': [
    'files-journey.slow',
    'task-copies.slow',
    'trust',
  ],
  'drives the page in Chromium, the same with every server: serve.slow tests the server with Bun': [
    'page/approvals.slow',
    'page/background.slow',
    'page/budgets.slow',
    'page/composer.slow',
    'page/context.slow',
    'page/conversation.slow',
    'page/follow-end.slow',
    'page/gateway.slow',
    'page/hostile-text.slow',
    'page/keyboard.slow',
    'page/mcp.slow',
    'page/panels.slow',
    'page/sessions.slow',
    'page/sharing.slow',
  ],
  'starts PostgreSQL, which takes long: not yet run with Bun': [
    'cluster/any-server.slow',
    'cluster/dispatch.slow',
    'cluster/fail-over.slow',
    'cluster/faults.slow',
    'cluster/full-disk.slow',
    'cluster/moving.slow',
    'cluster/network.slow',
    'cluster/readers.slow',
    'cluster/rolling-update.slow',
    'cluster/waiting.slow',
    'postgres.slow',
  ],
  'takes long: not yet run whole with Bun': [
    'chat.slow',
    'embedded-loading.slow',
    'fuzz/fuzz.slow',
    'hostile-repository',
    'mcp-demo.slow',
    'talk.slow',
    'team-page.slow',
  ],
};

/** Starts the command as a process of its own. */
const STARTS = /bench\)?\.(?:start|run|invocation)\(/i;

/** Returns the names of all tests that start the command, or whose own modules do. */
export function testsOfProcesses(root: string): string[] {
  const folder = join(root, FOLDER);
  return globSync('**/*.test.ts', { cwd: folder })
    .filter((path) => startsCommand(join(folder, path), folder))
    .map((path) => path.replace(/\.test\.ts$/, ''))
    .sort();
}

function startsCommand(path: string, folder: string): boolean {
  if (path === join(folder, 'harness.ts')) return false;
  const text = readFileSync(path, 'utf8');
  if (STARTS.test(text)) return true;
  const imported = [...text.matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g)].map(([, name = '']) =>
    join(dirname(path), name),
  );
  return imported.some((each) => each.startsWith(folder) && startsCommand(each, folder));
}

/** Returns the paths of the tests of the vitest project `bun`. */
export function bunTests(isComplete: boolean): string[] {
  return [...WITH_BUN, ...(isComplete ? PASS_WITH_BUN : [])].map((name) => `${FOLDER}/${name}.test.ts`);
}
