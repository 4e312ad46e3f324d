import {
  childPlaceOf,
  gitAtStart,
  handleOf,
  LonghaulError,
  workspaceSourceMetadata,
  workspaceSourceOf,
} from '@longhaul/protocol';
import type { SettledWorkspace } from '../ports/index.ts';
import { createToolFinder } from '../ports/tool-set.ts';
import { loadFilesState } from '../session/files/files-state.ts';
import type { SessionCopies } from '../session/files/session-copies.ts';
import { unrecordedCalls } from '../session/files/unrecorded-calls.ts';
import { loadPlace, savePlace } from '../session/files/workspace-place.ts';
import type { RunWork } from '../session/runs/session-runs.ts';
import type { RunAgent, RuntimeOptions } from './runtime-options.ts';

/**
 * Puts the folder of a session in place that moves between machines, or the copy of a child. Does nothing for others, and
 * for children that work in the folder of their parent.
 *
 * @returns What the model must know, if the session has come from another machine.
 */
export async function prepareWorkspace(
  work: RunWork,
  parts: { options: RuntimeOptions; agent: Pick<RunAgent, 'tools'>; copies: Pick<SessionCopies, 'settle'> },
): Promise<string | undefined> {
  const { session, signal } = work;
  const { options, copies } = parts;
  if (session.parentId !== undefined) {
    const left = childPlaceOf(session)?.files === 'own' ? await copies.settle(session.id) : undefined;
    return left && (await announceArrival(work, parts, { left, hasGit: false }));
  }
  const source = workspaceSourceOf(session);
  if (source === undefined) return undefined;
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
  return await announceArrival(work, parts, { left: settled.left, hasGit: source.git !== undefined });
}

interface Arrival extends Pick<SettledWorkspace, 'left'> {
  hasGit: boolean;
}

/** Reports what was lost. Returns what the model must know. */
async function announceArrival(
  { session, writer }: RunWork,
  { options, agent }: { options: RuntimeOptions; agent: Pick<RunAgent, 'tools'> },
  { left, hasGit }: Arrival,
): Promise<string> {
  const findTool = createToolFinder(agent.tools);
  const { through } = (await loadFilesState(options.store, session.id)) ?? {};
  const lost = unrecordedCalls(writer.log.messages, {
    through,
    mayWrite: (name) => findTool(name)?.isReadOnly !== true,
  });
  await writer.announce({ type: 'context:warning', message: warningText(lost, { left }) });
  return arrivalText({ lost, left, through, hasGit });
}

function warningText(lost: readonly string[], { left }: Pick<Arrival, 'left'>): string {
  return [
    'The session has moved to another machine. Its files were restored as they were recorded last.',
    ...(lost.length === 0 ? [] : [`Lost are the changes of files by these calls:\n${lost.join('\n')}`]),
    ...(left.length === 0 ? [] : [`Not restored:\n${listOf(left)}`]),
  ].join('\n');
}

function arrivalText({
  lost,
  left,
  through,
  hasGit,
}: Arrival & { lost: readonly string[]; through: number | undefined }): string {
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
