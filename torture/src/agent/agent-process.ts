/**
 * The process that drives a tortured session and resumes it after the previous process was killed. It uses the real
 * runtime, SQLite, files, a sandbox, and a driver over HTTP. Its only argument is its `AgentSettings` as JSON. It kills
 * or stops itself at the fault point that its environment names. SIGTERM cancels the run. SIGHUP stops the program
 * as a user would, so that the session can be resumed later.
 */
import './lease-time.ts';
import { flushCompileCache } from 'node:module';
import { dirname } from 'node:path';
import { createStrategy } from '@longhaul/context/engine';
import { ALLOW_ALL, Runtime, type Tool } from '@longhaul/core';
import { createFileTrees } from '@longhaul/files';
import { chooseSandbox, createSandboxDriver } from '@longhaul/sandbox';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import {
  blobsWithFaultPoints,
  clockWithFaultPoints,
  filesFaultPoints,
  storeWithFaultPoints,
  toolWithFaultPoints,
} from '@longhaul/testing/fault-points';
import { createTools } from '@longhaul/tools';
import { TASK, taskText } from '../model/plan.ts';
import { openLines, type ReceivedLine } from '../records/lines.ts';
import { type SessionPaths, sessionPaths } from '../records/paths.ts';
import { trueTime } from '../records/true-time.ts';
import { armedFaults } from './armed-faults.ts';
import { effectTools } from './effect-tools.ts';
import { HOOKS } from './hooks.ts';
import { modelDriver } from './model-driver.ts';
import { recordingFetch } from './recording-fetch.ts';
import { recordingTool } from './recording-tool.ts';
import { resumeSession } from './resume-session.ts';
import {
  type AgentReport,
  type AgentSettings,
  FILES_OPTIONS,
  LIFE_VARIABLE,
  MODEL,
  TASK_ID,
  WINDOW_TOKENS,
} from './settings.ts';

// The parent process is part of this package, so its argument is not validated.
const settings: AgentSettings = JSON.parse(process.argv[2] ?? '{}');
const paths = sessionPaths(settings.folder);
const received = openLines<ReceivedLine>(paths.received(settings.life));
const cancel = new AbortController();
process.on('SIGTERM', () => cancel.abort());

process.stdout.write('begun\n');
// Exits with the parent, because nothing else would end this process.
process.stdin.resume().once('end', () => process.exit(1));

const faults = armedFaults(received);
const driver = await modelDriver(settings, {
  windowTokens: WINDOW_TOKENS,
  fetch: recordingFetch(received),
});
await using opened = await openSqliteStore({
  path: paths.database,
  now: clockWithFaultPoints(Date.now, faults),
});
const store = storeWithFaultPoints(opened, faults);
const blobs = blobsWithFaultPoints(createFileBlobStore(paths.blobs), faults);
const runtime = new Runtime({
  approverFor: () => ALLOW_ALL,
  store,
  blobs,
  fileTrees: createFileTrees({
    ...FILES_OPTIONS,
    blobs,
    cacheFolder: paths.fileCache,
    passed: filesFaultPoints(faults),
  }),
  tools: toolsOf(paths),
  hooksFor: async () => HOOKS,
  driverFor: async () => driver,
  endProcess: (place) => createSandboxDriver(place.driver).end(place),
  openSandbox: (session, signal, recordProcess) => {
    received.write({ type: 'run', at: trueTime() });
    return chooseSandbox(settings.sandbox, {
      sessionId: session.id,
      workspace: session.workspace,
      network: 'off',
      memoryMb: 512,
      pids: 256,
      cpus: 1,
      image: '',
      env: { [LIFE_VARIABLE]: String(settings.life) },
      programFolders: [dirname(process.execPath)],
      recordProcess,
      signal,
    });
  },
  compression: {
    strategy: createStrategy('reactive-overflow', {}),
    auto: true,
    ledgerShare: 0.2,
    // With the defaults, a window this small would be compacted before anything is pruned.
    pruneProtectTokens: 600,
    pruneMinimumTokens: 400,
  },
  retry: { attempts: 8, totalMs: 60_000 },
});

process.on('SIGHUP', () => void runtime.stop({ graceMs: 150 }));

const { sessionId } = settings;
// Saves the compile cache for the next life now, because a killed process saves nothing.
flushCompileCache();
if ((await store.getSession(sessionId)) === undefined) {
  const model = `${MODEL}/${MODEL}`;
  await store.createSession({
    id: sessionId,
    createdAt: Date.now(),
    task: TASK,
    title: 'Torture',
    model,
    workspace: paths.workspace,
  });
}
await runtime.queue.enqueue(sessionId, [{ type: 'text', text: taskText(settings.mark) }], { id: TASK_ID });
report(await resumeSession(runtime, sessionId, cancel.signal));
process.stdin.destroy();

function toolsOf(of: SessionPaths): Tool[] {
  const own = createTools({ bash: { maxOutputChars: 2_000 } }).filter(({ name }) =>
    ['bash', 'write', 'todo', 'recall'].includes(name),
  );
  return [...own, ...effectTools(of, settings.life)].map((tool) =>
    recordingTool(toolWithFaultPoints(tool, faults), received),
  );
}

function report(line: AgentReport): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
