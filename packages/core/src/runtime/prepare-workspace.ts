import {
  gitAtStart,
  handleOf,
  LonghaulError,
  workspaceSourceMetadata,
  workspaceSourceOf,
} from '@longhaul/protocol';
import type { SettledWorkspace } from '../ports/index.ts';
import { createToolFinder } from '../ports/tool-set.ts';
import { loadFilesState } from '../session/files/files-state.ts';
import { unrecordedCalls } from '../session/files/unrecorded-calls.ts';
import { loadPlace, savePlace } from '../session/files/workspace-place.ts';
import type { RunWork } from '../session/runs/session-runs.ts';
import type { RunAgent, RuntimeOptions } from './runtime-options.ts';

/**
 * Puts the folder of a session in place that moves between machines. Does nothing for others, and for children, which
 * work in the folder of their parent or in a copy.
 *
 * @returns What the model must know, if the session has come from another machine.
 */
export async function prepareWorkspace(
  { session, writer, signal }: RunWork,
  { options, agent }: { options: RuntimeOptions; agent: Pick<RunAgent, 'tools'> },
): Promise<string | undefined> {
  const source = workspaceSourceOf(session);
  if (source === undefined || session.parentId !== undefined) return undefined;
  const { store, movingWorkspaces } = options;
  if (movingWorkspaces === undefined) throw withoutFolders(session.id);
  const state = await loadFilesState(store, session.id);
  const place = await loadPlace(store, session.id);
  const { commit } = gitAtStart(session) ?? {};
  const settled = await movingWorkspaces.settle({
    session,
    source,
    tree: state?.tree ?? source.tree,
    commit: commit ?? undefined,
    place,
    signal,
  });
  if (settled.place !== place) await savePlace(store, session.id, settled.place);
  if (settled.machine !== source.machine) {
    const metadata = workspaceSourceMetadata({ ...source, machine: settled.machine });
    await store.updateSession(session.id, { metadata });
  }
  if (!settled.isNew || place === undefined) return undefined;
  const findTool = createToolFinder(agent.tools);
  const lost = unrecordedCalls(writer.log.messages, {
    through: state?.through,
    mayWrite: (name) => findTool(name)?.isReadOnly !== true,
  });
  await writer.announce({ type: 'context:warning', message: warningText(lost, settled) });
  return arrivalText({ lost, settled, through: state?.through, hasGit: source.git !== undefined });
}

function warningText(lost: readonly string[], { left }: SettledWorkspace): string {
  return [
    'The session has moved to another machine. Its files were restored as they were recorded last.',
    ...(lost.length === 0 ? [] : [`Lost are the changes of files by these calls:\n${lost.join('\n')}`]),
    ...(left.length === 0 ? [] : [`Not restored:\n${listOf(left)}`]),
  ].join('\n');
}

function arrivalText({
  lost,
  settled: { left },
  through,
  hasGit,
}: {
  lost: readonly string[];
  settled: SettledWorkspace;
  through: number | undefined;
  hasGit: boolean;
}): string {
  const recorded =
    through === undefined ? 'they were at the start' : `your calls in ${handleOf(through)} left them`;
  return [
    `This session continues on another machine. The files of the workspace were restored there as ${recorded}. Ignored files, such as installed dependencies and build results, are missing, and no process runs.`,
    ...(hasGit
      ? [
          'The git repository was cloned again: branches, commits and stashes that were made in this session are missing, and the changes of files are uncommitted.',
        ]
      : []),
    ...(lost.length === 0
      ? []
      : [
          `The changes of files by these calls are lost, because they were not recorded in time:\n${lost.join('\n')}`,
        ]),
    ...(left.length === 0 ? [] : [`These files could not be restored:\n${listOf(left)}`]),
    'Look at what you rely on, and repeat what is missing.',
  ].join('\n');
}

const MAX_LISTED = 10;

function listOf(left: SettledWorkspace['left']): string {
  const lines = left.slice(0, MAX_LISTED).map(({ path, reason }) => `- ${path}: ${reason}`);
  const more = left.length - lines.length;
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n');
}

function withoutFolders(sessionId: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `Session ${sessionId} has a folder of its own, which only a store on disk can keep. Set storage.url to a SQLite or PostgreSQL database.`,
  );
}
