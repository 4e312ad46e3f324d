/**
 * The process that drives a tortured parent and its children, and resumes them after the previous process was killed.
 * Its only argument is its `AgentSettings` as JSON. It kills itself at the fault point that its environment names.
 * SIGTERM cancels the parent's run. SIGHUP stops the program as a user would, so that the parent can be resumed later.
 */
import './lease-time.ts';
import { flushCompileCache } from 'node:module';
import { createStrategy } from '@longhaul/context/engine';
import { ALLOW_ALL, Runtime, type SubtaskSettings } from '@longhaul/core';
import { createSandboxDriver } from '@longhaul/sandbox';
import { createFileBlobStore } from '@longhaul/storage/blobs';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import {
  blobsWithFaultPoints,
  clockWithFaultPoints,
  storeWithFaultPoints,
  toolWithFaultPoints,
} from '@longhaul/testing/fault-points';
import { createTools } from '@longhaul/tools';
import { FAMILY_TASK } from '../family/family-plan.ts';
import { familyTools } from '../family/family-tools.ts';
import { openLines, type ReceivedLine } from '../records/lines.ts';
import { sessionPaths } from '../records/paths.ts';
import { armedFaults } from './armed-faults.ts';
import { modelDriver } from './model-driver.ts';
import { recordingTool } from './recording-tool.ts';
import { resumeSession } from './resume-session.ts';
import { type AgentSettings, MODEL, TASK_ID } from './settings.ts';

/** Nothing is compacted, so the scripted model sees every call and every result. */
const WINDOW_TOKENS = 400_000;
const SUBTASKS: SubtaskSettings = {
  agents: [{ name: 'general', description: 'any task' }],
  atOnce: 2,
  maxDepth: 2,
};

// The parent process is part of this package, so its argument is not validated.
const settings: AgentSettings = JSON.parse(process.argv[2] ?? '{}');
const { sessionId } = settings;
const paths = sessionPaths(settings.folder);
const received = openLines<ReceivedLine>(paths.received(settings.life));
const faults = armedFaults(received);
const cancel = new AbortController();
process.on('SIGTERM', () => cancel.abort());

process.stdout.write('begun\n');
// Exits with the parent, because nothing else would end this process.
process.stdin.resume().once('end', () => process.exit(1));

const driver = await modelDriver(settings, { windowTokens: WINDOW_TOKENS });
await using opened = await openSqliteStore({
  path: paths.database,
  now: clockWithFaultPoints(Date.now, faults),
});
const store = storeWithFaultPoints(opened, faults);
const tools = [
  ...createTools({ task: SUBTASKS }).filter(({ name }) => name === 'task'),
  ...familyTools(paths, settings.life),
].map((tool) => recordingTool(toolWithFaultPoints(tool, faults), received));
const runtime = new Runtime({
  approverFor: () => ALLOW_ALL,
  store,
  blobs: blobsWithFaultPoints(createFileBlobStore(paths.blobs), faults),
  tools,
  agentFor: () => ({ tools }),
  subtasks: SUBTASKS,
  driverFor: async () => driver,
  endProcess: (place) => createSandboxDriver(place.driver).end(place),
  openSandbox: (session, signal, recordProcess) =>
    createSandboxDriver('local').open({
      sessionId: session.id,
      workspace: session.workspace,
      network: 'off',
      memoryMb: 512,
      pids: 256,
      cpus: 1,
      image: '',
      env: {},
      programFolders: [],
      recordProcess,
      signal,
    }),
  compression: { strategy: createStrategy('reactive-overflow', {}), auto: true, ledgerShare: 0.2 },
  retry: { attempts: 8, totalMs: 60_000 },
});

process.on('SIGHUP', () => void runtime.stop({ graceMs: 150 }));

// Saves the compile cache for the next life now, because a killed process saves nothing.
flushCompileCache();
if ((await store.getSession(sessionId)) === undefined) {
  await store.createSession({
    id: sessionId,
    createdAt: Date.now(),
    task: FAMILY_TASK,
    title: 'Family',
    model: `${MODEL}/${MODEL}`,
    workspace: paths.workspace,
  });
}
await runtime.queue.enqueue(sessionId, [{ type: 'text', text: FAMILY_TASK }], { id: TASK_ID });
const report = await resumeSession(runtime, sessionId, cancel.signal);
process.stdout.write(`${JSON.stringify(report)}\n`);
process.stdin.destroy();
